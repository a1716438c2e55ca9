/*
 * gpu/emulator/interpreter/rows.h: executors made of an expression on one lane.
 */
#ifndef VFLOW_GPU_EMULATOR_INTERPRETER_ROWS_H
#define VFLOW_GPU_EMULATOR_INTERPRETER_ROWS_H

#include "gpu/emulator/interpreter/warp.h"

/* An executor of three or four operands: the expression sees a, b, c of the C type. */
#define EXECUTE_2(name, ctype, result, expression)                                                 \
	static void name(struct warp *w, const struct ptx_instruction *i)                          \
	{                                                                                          \
		uint64_t *d_ = warp_row(w, i->d);                                                  \
		const uint64_t *a_ = warp_row(w, i->a), *b_ = warp_row(w, i->b);                   \
		FOR_LANES(w, {                                                                     \
			ctype a = (ctype)a_[l];                                                    \
			ctype b = (ctype)b_[l];                                                    \
			d_[l] = (result)(expression);                                              \
		});                                                                                \
	}

#define EXECUTE_3(name, ctype, ctype3, result, expression)                                         \
	static void name(struct warp *w, const struct ptx_instruction *i)                          \
	{                                                                                          \
		uint64_t *d_ = warp_row(w, i->d);                                                  \
		const uint64_t *a_ = warp_row(w, i->a), *b_ = warp_row(w, i->b),                   \
			       *c_ = warp_row(w, i->c);                                            \
		FOR_LANES(w, {                                                                     \
			ctype a = (ctype)a_[l];                                                    \
			ctype b = (ctype)b_[l];                                                    \
			ctype3 c = (ctype3)c_[l];                                                  \
			d_[l] = (result)(expression);                                              \
		});                                                                                \
	}

#define EXECUTE_1(name, ctype, result, expression)                                                 \
	static void name(struct warp *w, const struct ptx_instruction *i)                          \
	{                                                                                          \
		uint64_t *d_ = warp_row(w, i->d);                                                  \
		const uint64_t *a_ = warp_row(w, i->a);                                            \
		FOR_LANES(w, {                                                                     \
			ctype a = (ctype)a_[l];                                                    \
			d_[l] = (result)(expression);                                              \
		});                                                                                \
	}

#endif
