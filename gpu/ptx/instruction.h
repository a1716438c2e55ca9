/*
 * gpu/ptx/instruction.h: a decoded PTX module, shared by the parser and the interpreter.
 *
 * The parser (gpu/ptx) turns text into `struct ptx_instruction`s by looking each opcode up in
 * the table of opcodes of a struct ptx_machine.  The interpreter's rows stand beside their
 * executors (gpu/emulator/interpreter/): a new opcode is a new row and an executor, nothing else.
 *
 * Values live in rows of 32 lanes x 64 bits.  An operand is the number of a row in a bank:
 * registers of the running function, constants of the module, special registers of the warp.
 * Predicates are 32-bit lane masks in a file of their own.
 */
#ifndef VFLOW_GPU_PTX_INSTRUCTION_H
#define VFLOW_GPU_PTX_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/ptx/ptx.h"

#define PTX_LANES 32u

/* clang-format off */
enum ptx_type {
	PTX_B8, PTX_U8, PTX_S8,
	PTX_B16, PTX_U16, PTX_S16, PTX_F16, PTX_BF16,
	PTX_B32, PTX_U32, PTX_S32, PTX_F32, PTX_F16X2, PTX_BF16X2, PTX_TF32,
	PTX_U16X2, PTX_S16X2, PTX_E4M3X2, PTX_E5M2X2, /* the last two have 16 bits */
	PTX_B64, PTX_U64, PTX_S64, PTX_F64,
	PTX_B128, PTX_PRED,
	PTX_NO_TYPE,
};
/* clang-format on */

/* One bit of a row's set of types: T(F32) | T(F64). */
#define PTX_T(type) (1u << PTX_##type)

/* The size of a value in bytes; 0 for predicates. */
unsigned ptx_type_size(enum ptx_type type);
/* Rows that a register of the type takes: 128 bits are two, the lower half first. */
static inline unsigned ptx_type_rows(enum ptx_type type)
{
	return type == PTX_B128 ? 2 : 1;
}

/*
 * Every word that may follow a mnemonic, except types.  One word, one number, whatever it means
 * to the opcode (".lo" is half of a product to mul, a comparison to setp).
 */
/* clang-format off */
#define PTX_MODIFIERS(X) \
	X(RN, "rn") X(RZ, "rz") X(RM, "rm") X(RP, "rp") X(RNA, "rna") \
	X(RNI, "rni") X(RZI, "rzi") X(RMI, "rmi") X(RPI, "rpi") \
	X(FTZ, "ftz") X(SAT, "sat") X(APPROX, "approx") X(FULL, "full") X(PROPAGATE, "NaN") \
	X(XORSIGN, "xorsign") X(ABS, "abs") X(RELU, "relu") X(SATFINITE, "satfinite") \
	X(CC, "cc") X(WIDE, "wide") X(HI, "hi") X(LO, "lo") \
	X(EQ, "eq") X(NE, "ne") X(LT, "lt") X(LE, "le") X(GT, "gt") X(GE, "ge") \
	X(LS, "ls") X(HS, "hs") X(EQU, "equ") X(NEU, "neu") X(LTU, "ltu") X(LEU, "leu") \
	X(GTU, "gtu") X(GEU, "geu") X(NUM, "num") X(ISNAN, "nan") \
	X(AND, "and") X(OR, "or") X(XOR, "xor") X(POPC, "popc") \
	X(ADD, "add") X(MIN, "min") X(MAX, "max") X(INC, "inc") X(DEC, "dec") \
	X(EXCH, "exch") X(CAS, "cas") \
	X(GLOBAL, "global") X(SHARED, "shared") X(LOCAL, "local") X(PARAM, "param") \
	X(CONST, "const") \
	X(CA, "ca") X(CG, "cg") X(CS, "cs") X(CV, "cv") X(LU, "lu") X(WB, "wb") X(WT, "wt") \
	X(NC, "nc") X(HINT, "L1::") X(CACHE_HINT, "L2::cache_hint") \
	X(WEAK, "weak") X(VOLATILE, "volatile") X(MMIO, "mmio") X(RELAXED, "relaxed") \
	X(ACQUIRE, "acquire") X(RELEASE, "release") X(ACQ_REL, "acq_rel") X(SC, "sc") \
	X(CTA, "cta") X(CLUSTER, "cluster") X(GPU, "gpu") X(SYS, "sys") X(GL, "gl") \
	X(NOFTZ, "noftz") X(V2, "v2") X(V4, "v4") X(V8, "v8") \
	X(UNI, "uni") X(SYNC, "sync") X(ALIGNED, "aligned") X(ARRIVE, "arrive") \
	X(RED, "red") X(WARP, "warp") X(ALL, "all") X(ANY, "any") X(BALLOT, "ballot") \
	X(UP, "up") X(DOWN, "down") X(BFLY, "bfly") X(IDX, "idx") \
	X(WRAP, "wrap") X(CLAMP, "clamp") X(L, "l") X(R, "r") X(SHIFTAMT, "shiftamt") \
	X(TO, "to") X(F4E, "f4e") X(B4E, "b4e") X(RC8, "rc8") X(ECL, "ecl") X(ECR, "ecr") \
	X(RC16, "rc16") \
	X(FINITE, "finite") X(INFINITE, "infinite") X(NUMBER, "number") X(NOTANUMBER, "notanumber") \
	X(NORMAL, "normal") X(SUBNORMAL, "subnormal") \
	X(PREFETCH_L1, "L1") X(PREFETCH_L2, "L2") \
	X(TRAP, "trap") X(ZERO, "zero") \
	X(D1, "1d") X(D2, "2d") X(D3, "3d") X(D4, "4d") X(D5, "5d") X(TILE, "tile") \
	X(BULK_GROUP, "bulk_group") X(MULTICAST, "multicast::cluster") \
	X(COMPLETES_BYTES, "mbarrier::complete_tx::bytes")
/* clang-format on */

/* clang-format off */
enum ptx_modifier {
#define PTX_MODIFIER(name, text) PTX_MOD_##name,
	PTX_MODIFIERS(PTX_MODIFIER)
#undef PTX_MODIFIER
	PTX_MODIFIER_COUNT,
};
/* clang-format on */

typedef unsigned __int128 ptx_modifiers;
_Static_assert(PTX_MODIFIER_COUNT <= 128, "ptx_modifiers is too narrow");
#define PTX_M(name) ((ptx_modifiers)1 << PTX_MOD_##name)

struct warp;
struct ptx_instruction;
typedef void ptx_executor(struct warp *warp, const struct ptx_instruction *i);

/*
 * A row of the table of opcodes.  An instruction belongs to the first row of its mnemonic that
 * allows its types and modifiers.  A name with dots ("tex.2d") is a mnemonic of its own; the
 * longest one counts.
 *
 * `shape` has a letter per operand, in the order of the text:
 *   d  destination register (or _)        D  the same, or a vector, for ld
 *   p  destination predicate, or p|q      e  destination register, or d|p
 *   s  source of the first type           t  source of the second type
 *   S  source or vector, for st           u  source of type u32
 *   w  source of the type's double width  P  source predicate, may be negated
 *   m  memory operand                     l  label
 *   X  texture or surface: [handle, {coordinates}]; the coordinates are extras from `immediate`
 *      on, `compare` says how many
 *   h  texture or surface: [handle]
 *   G  vector that changes nothing: gradients, which choose among mipmaps
 *   n  memory operand that a copy writes: address in `b`, the constant offset in `q`
 *   Q  the same, to `e`
 *   ?  the operands from here on may be missing        /  another shape that it may have
 *   o  one more memory operand: address in `e`, the constant offset in `extra`
 *   N  the same: address in the next source, the constant offset in `q`
 *   U  source of type u32, to `d`
 *   Z  source predicate, its number in `immediate`
 *   I  source of type u32, or source predicate, to `d`
 *   M  all of mov   C  all of call   B  all of brx   W  all of wmma, mma and their like
 *   V  all of the video instructions   K  all of wgmma
 * The first source goes to `a`, then `b`, `c`, `e`.  With both D and S the elements of S follow
 * those of D.
 */
struct ptx_opcode {
	const char *name;
	const char *shape;
	uint32_t types, second;          /* sets of PTX_T(); 0: the opcode has no (second) type */
	ptx_modifiers required, allowed; /* required ones need not be repeated in allowed */
	ptx_executor *execute;
};

/*
 * What a module is decoded for: the table of opcodes of who is to run it, and the executors of what
 * only operands tell apart.
 */
struct ptx_machine {
	/* sections, each ending with a row without a name, up to NULL */
	const struct ptx_opcode *const *opcodes;
	ptx_executor *unsupported;  /* of an unsupported instruction: faults when it executes */
	ptx_executor *ret;          /* also at the end of a function's body */
	ptx_executor *ld_parameter; /* from the launch's parameter block */
	/* forms of mov */
	ptx_executor *mov_predicate, *mov_explicit_cluster, *mov_pack, *mov_unpack, *mov_wide,
		*mov_frame, *mov_clock;
};

enum ptx_bank { PTX_BANK_REGISTER, PTX_BANK_CONSTANT, PTX_BANK_SPECIAL, PTX_BANK_SINK };
#define PTX_OPERAND(bank, index) ((uint32_t)(bank) << 30 | (uint32_t)(index))

/* The first predicates of every frame: always true, always false, never read. */
enum { PTX_PREDICATE_TRUE, PTX_PREDICATE_FALSE, PTX_PREDICATE_SINK, PTX_PREDICATE_FIRST };
#define PTX_NEGATED 0x80000000u

/* A source that the text leaves out: a row that may be read, with nothing in it. */
#define PTX_MISSING PTX_OPERAND(PTX_BANK_SINK, 0)

enum ptx_flag {
	PTX_FLAG_FTZ = 1,
	PTX_FLAG_SAT = 2,
	PTX_FLAG_NARROW = 4, /* the base register of the address has 32 bits */
	PTX_FLAG_RELU = 16,
	PTX_FLAG_NARROW_TO = 32,  /* the same of the memory that a copy writes */
	PTX_FLAG_CACHE_HINT = 64, /* the last operand is a cache policy, which has no effect */
	PTX_FLAG_SATFINITE = 128,
	PTX_FLAG_FRAME = 8, /* the address is relative to the function's frame in local memory */
};

struct ptx_instruction {
	ptx_executor *execute;
	uint32_t guard; /* predicate, | PTX_NEGATED; 0: always */
	/* operands: see the shape.  Predicates are numbers in the predicate file, sources
	 * of them perhaps | PTX_NEGATED. */
	uint32_t d, q, a, b, c, e;
	uint32_t extra;    /* index in module->extras: elements of a vector, struct ptx_call ... */
	int64_t immediate; /* offset of the memory operand; target of the branch */
	uint8_t type, second, flags;
	uint8_t space;    /* enum ptx_modifier: PTX_MOD_GLOBAL ...; PTX_MODIFIER_COUNT: generic */
	uint8_t vector;   /* elements: 1, 2, 4, 8 */
	uint8_t compare;  /* enum ptx_modifier: the comparison */
	uint8_t boolean;  /* enum ptx_modifier: and, or, xor; the operation of atom, red, vote */
	uint8_t rounding; /* enum ptx_modifier; PTX_MODIFIER_COUNT: none given; of ld, st: the order
			   */
};

/*
 * A video instruction, in extras from instruction->extra on.  One part (vadd) or two or four
 * (vadd2, vadd4).  A selector of a part: with one part what is taken of the register, PTX_WHOLE,
 * PTX_BYTE + 0..3, PTX_HALF + 0..1; else the number of the part, counted over a and b.
 */
enum { PTX_WHOLE, PTX_BYTE, PTX_HALF = PTX_BYTE + 4 };
enum ptx_video_operation {
	PTX_VADD,
	PTX_VSUB,
	PTX_VABSDIFF,
	PTX_VMIN,
	PTX_VMAX,
	PTX_VAVRG,
	PTX_VSET,
	PTX_VSHL,
	PTX_VSHR,
	PTX_VMAD,
};
struct ptx_video {
	uint8_t operation, parts;
	bool signed_d, signed_a, signed_b, saturates, clamps, plus_one, negative_product,
		negative_c;
	uint8_t second;  /* enum ptx_modifier: add, min, max; PTX_MODIFIER_COUNT: none */
	uint8_t compare; /* of vset */
	uint8_t shift;   /* of vmad */
	uint8_t mask;    /* parts of the result that are written, the others come from c */
	uint8_t select_d, select_a[4], select_b[4];
};
#define PTX_VIDEO_EXTRAS ((sizeof(struct ptx_video) + 3) / 4)

/*
 * A matrix instruction, in extras from instruction->extra on, with the registers behind it: of d,
 * a, b and c.  Loads have the fragment in d, stores in a.
 */
enum ptx_matrix_operation {
	PTX_MATRIX_LOAD_A,
	PTX_MATRIX_LOAD_B,
	PTX_MATRIX_LOAD_C,
	PTX_MATRIX_STORE,
	PTX_MATRIX_MULTIPLY,
	PTX_MATRIX_QUADS,  /* mma.m8n8k4 of f16: four products, each by two quads of lanes */
	PTX_MATRIX_SPARSE, /* mma.sp: half of a is left out, the lanes of metadata in `immediate` */
	PTX_MATRIX_GROUP,  /* wgmma: a warpgroup's, with b and perhaps a in shared memory */
	PTX_MATRIX_LDMATRIX,
	PTX_MATRIX_STMATRIX,
	PTX_MATRIX_MOVMATRIX,
};
enum ptx_element {
	PTX_ELEMENT_F16,
	PTX_ELEMENT_BF16,
	PTX_ELEMENT_TF32,
	PTX_ELEMENT_F32,
	PTX_ELEMENT_F64,
	PTX_ELEMENT_S8,
	PTX_ELEMENT_U8,
	PTX_ELEMENT_S4,
	PTX_ELEMENT_U4,
	PTX_ELEMENT_B1,
	PTX_ELEMENT_S32,
	PTX_ELEMENT_E4M3,
	PTX_ELEMENT_E5M2,
	PTX_ELEMENT_NONE,
};
struct ptx_matrix {
	uint16_t m, n, k;
	uint8_t operation;  /* enum ptx_matrix_operation */
	uint8_t element[4]; /* enum ptx_element: d, a, b, c */
	uint8_t count[4];   /* registers: d, a, b, c */
	bool column[2];     /* layouts: of a and b, or of what is loaded or stored */
	bool saturates, is_and, transposes;
};
/* What wgmma has besides, in the instruction's `flags`; the predicate that keeps d is in `c`. */
enum { PTX_GROUP_NEGATIVE_A = 1, PTX_GROUP_NEGATIVE_B = 2 };
#define PTX_MATRIX_EXTRAS ((sizeof(struct ptx_matrix) + 3) / 4)

/* Where an instruction comes from. */
struct ptx_place {
	uint32_t line;              /* of the PTX */
	uint32_t file, source_line; /* of .loc; source_line 0: not known */
	uint32_t call; /* that is inlined there: index + 1 into module->inlined; 0: none */
};

/* A call that the compiler has inlined: inlined_at of .loc. */
struct ptx_inlined {
	uint32_t file, line;
	uint32_t outer; /* the call that this one is inlined in, as of a place */
};

enum ptx_special {
	PTX_TID_X,
	PTX_TID_Y,
	PTX_TID_Z,
	PTX_NTID_X,
	PTX_NTID_Y,
	PTX_NTID_Z,
	PTX_CTAID_X,
	PTX_CTAID_Y,
	PTX_CTAID_Z,
	PTX_NCTAID_X,
	PTX_NCTAID_Y,
	PTX_NCTAID_Z,
	PTX_LANEID,
	PTX_WARPID,
	PTX_NWARPID,
	PTX_LANEMASK_EQ,
	PTX_LANEMASK_LE,
	PTX_LANEMASK_LT,
	PTX_LANEMASK_GE,
	PTX_LANEMASK_GT,
	PTX_DYNAMIC_SHARED,
	PTX_TOTAL_SHARED,
	PTX_WORKSPACE_HIGH,
	PTX_WORKSPACE_LOW,
	PTX_RESERVED_SHARED_0,
	PTX_RESERVED_SHARED_1,
	PTX_CLUSTERID_X,
	PTX_CLUSTERID_Y,
	PTX_CLUSTERID_Z,
	PTX_NCLUSTERID_X,
	PTX_NCLUSTERID_Y,
	PTX_NCLUSTERID_Z,
	PTX_CLUSTER_CTAID_X,
	PTX_CLUSTER_CTAID_Y,
	PTX_CLUSTER_CTAID_Z,
	PTX_CLUSTER_NCTAID_X,
	PTX_CLUSTER_NCTAID_Y,
	PTX_CLUSTER_NCTAID_Z,
	PTX_CLUSTER_RANK,
	PTX_CLUSTER_SIZE,
	PTX_ZERO,
	PTX_ONE,   /* what does not vary here: %smid, %nsmid ... */
	PTX_CLOCK, /* counts instructions of the launch: time, the same in every run */
	PTX_SPECIAL_COUNT,
};

/* Addresses that are no memory of the device; generic pointers into the other spaces. */
#define PTX_WINDOW_SHARED 0x1000000000000u
#define PTX_WINDOW_LOCAL 0x1000100000000u
#define PTX_WINDOW_PARAM 0x1000200000000u
#define PTX_WINDOW_FUNCTION 0x1000300000000u
#define PTX_WINDOW_SIZE 0x100000000u
/* Shared memory of block r of the cluster, in shared addresses: (r + 1) << PTX_RANK_SHIFT. */
#define PTX_RANK_SHIFT 24u
#define PTX_FUNCTION_STRIDE 16u
#define PTX_WINDOW_KERNEL (PTX_WINDOW_FUNCTION + 0x80000000u) /* of kernels that kernels launch */

/* Functions that are not in PTX but that nvcc's code calls. */
enum ptx_builtin {
	PTX_BUILTIN_NONE,
	PTX_BUILTIN_ASSERTFAIL,
	PTX_BUILTIN_VPRINTF,
	PTX_BUILTIN_MALLOC,
	PTX_BUILTIN_FREE,
	/* the device runtime: all return a number, 0 unless said otherwise */
	PTX_BUILTIN_NESTED_PARAMETERS,
	PTX_BUILTIN_NESTED_LAUNCH,
	PTX_BUILTIN_NESTED_COPY,
	PTX_BUILTIN_NESTED_STREAM,
	PTX_BUILTIN_NESTED_ALLOCATE,
	PTX_BUILTIN_NESTED_FREE,
	PTX_BUILTIN_NESTED_NOTHING,
};

struct ptx_function {
	const char *name;
	bool defined; /* has a body */
	enum ptx_builtin builtin;
	uint32_t entry, end; /* [entry, end) in module->code */
	uint32_t registers, predicates;
	/* the frame in local memory: the return value, the parameters, then all else */
	uint32_t frame_bytes;
	struct ptx_parameter *parameters;
	uint32_t parameter_count;
	struct ptx_parameter result; /* size 0: none */
	bool by_register;            /* has .reg parameters that have no slots: cannot be called */
	bool calls, observes_order;  /* its own code, without its callees' */
};

/* The operands of a call.  Offsets are in the caller's frame. */
struct ptx_call {
	uint32_t function; /* index, or PTX_CALL_INDIRECT: the register row `a` has the address */
	uint32_t argument_count, first_argument; /* in module->arguments */
	struct ptx_parameter result;             /* size 0: none */
	uint32_t line;
};
#define PTX_CALL_INDIRECT UINT32_MAX

/* A constant whose value the launch knows: the address of a variable, or in shared memory. */
struct ptx_patch {
	uint32_t constant; /* row */
	uint32_t variable; /* index, or one of: */
	int64_t addend;
};
#define PTX_PATCH_DYNAMIC_SHARED (UINT32_MAX - 1)
#define PTX_PATCH_SHARED UINT32_C(0x80000000) /* and an index in module->shared */

/* The kernel that code knows by that address; NULL: none. */
const struct ptx_kernel *ptx_kernel_at(const struct ptx_module *module, uint64_t address);
/* Where the kernel has the module's shared variable of that index. */
uint32_t ptx_shared_offset(const struct ptx_kernel *kernel, uint32_t index);

struct ptx_chunk; /* memory of names and small arrays */

struct ptx_shared {
	uint32_t size, alignment;
	bool in_function;                 /* code that is no kernel's names it */
	const struct ptx_kernel *used_in; /* the last kernel that is known to use it */
};

struct ptx_module {
	struct ptx_instruction *code;
	struct ptx_place *places;
	uint32_t code_count;

	uint64_t (*constants)[PTX_LANES];
	uint32_t constant_count;
	struct ptx_patch *patches;
	uint32_t patch_count;
	uint32_t *extras;
	uint32_t extra_count;
	struct ptx_call *calls;
	uint32_t call_count;
	struct ptx_parameter *arguments;
	uint32_t argument_count;
	const char **texts; /* of unsupported instructions, for the fault */
	uint32_t text_count;

	struct ptx_function **functions;
	uint32_t function_count;
	struct ptx_kernel **kernels;
	const char **launched; /* names of kernels whose addresses code takes */
	uint32_t launched_count;
	size_t launched_capacity;
	uint32_t kernel_count;
	struct ptx_variable **variables;
	uint32_t variable_count;
	/*
	 * Shared memory of a kernel: its own variables, then those that no kernel declares and that
	 * it reaches, then the dynamic part.
	 */
	struct ptx_shared *shared;
	uint32_t shared_count, dynamic_alignment;
	size_t shared_capacity;
	uint32_t target;              /* 75: .target sm_75 */
	bool functions_observe_order; /* one of those that are no kernels does */
	bool reserved_shared;         /* code looks at the shared memory that the system keeps */
	const char **files;           /* by number of .file; NULL: not given */
	uint32_t file_count;
	struct ptx_inlined *inlined;
	uint32_t inlined_count;

	struct ptx_chunk *chunks;
	size_t code_capacity, constant_capacity, patch_capacity, extra_capacity, call_capacity,
		argument_capacity, text_capacity, function_capacity, kernel_capacity,
		variable_capacity, file_capacity;
};

#endif
