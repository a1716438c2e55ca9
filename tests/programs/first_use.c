/*
 * First uses of what a wait has put into the host's memory, for tests/cli/first_use.sh:
 * `first_use CASE`.  The line of the first use ends with "the use".
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/programs/launch.h"

enum { PAGE = 4096, SIZE = 16 * PAGE };

static void *device;
static volatile int sum;

static void *fresh(size_t size, int flags)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(3);
	memset(memory, 1, size);
	return memory;
}

static void download(void *to, size_t size)
{
	CHECK(cudaMemcpy(to, device, size, cudaMemcpyDeviceToHost));
}

/* -- what the program does with the bytes -- */

static void run_read(void)
{
	volatile char *data = fresh(SIZE, MAP_PRIVATE);

	download((void *)data, SIZE);
	sum += data[5 * PAGE + 100]; /* the use */
	sum += data[7 * PAGE];
	sum += data[7 * PAGE + 1];
}

static void run_write(void)
{
	volatile char *data = fresh(SIZE, MAP_PRIVATE);

	download((void *)data, SIZE);
	data[3] = 1; /* the use */
}

static void run_system_call(void)
{
	char *data = fresh(SIZE, MAP_PRIVATE);
	int ends[2];

	if (pipe(ends) != 0)
		exit(3);
	download(data, SIZE);
	if (write(ends[1], data + 2 * PAGE, 2 * PAGE) != 2 * PAGE) /* the use */
		exit(3);
	if (read(ends[0], data, 2 * PAGE) != 2 * PAGE)
		exit(3);
	for (int i = 0; i < 2 * PAGE; i++)
		if (data[i] != 7)
			exit(3);
}

/* As a C library that keeps frame pointers makes system calls: RBP leads to the caller. */
static __attribute__((noinline, optimize("no-omit-frame-pointer"))) long framed_write(
	int file, const void *data, size_t size)
{
	volatile char room[200];
	long result;

	room[0] = 1;
	__asm__ volatile("syscall" /* the use */
			 : "=a"(result)
			 : "a"(SYS_write), "D"((long)file), "S"(data), "d"(size)
			 : "rcx", "r11", "memory");
	return result - room[0] + 1;
}

static void run_framed(void)
{
	char *data = fresh(SIZE, MAP_PRIVATE);
	int ends[2];

	if (pipe(ends) != 0)
		exit(3);
	download(data, SIZE);
	if (framed_write(ends[1], data, PAGE) != PAGE) /* the use */
		exit(3);
}

static void run_fwrite(void)
{
	char *data = fresh(SIZE, MAP_PRIVATE), back[100];
	FILE *file = tmpfile();

	setvbuf(file, NULL, _IONBF, 0);
	download(data, SIZE);
	if (fwrite(data, 1, SIZE, file) != SIZE) /* the use */
		exit(3);
	rewind(file);
	if (fread(back, 1, sizeof(back), file) != sizeof(back) || back[99] != 7)
		exit(3);
}

static void run_memcpy(void)
{
	char *data = fresh(SIZE, MAP_PRIVATE), *other = fresh(SIZE, MAP_PRIVATE);

	download(data, SIZE);
	memcpy(other, data, (size_t)(sum + SIZE)); /* the use */
	sum += other[SIZE - 1];
}

static void *other_thread(void *data)
{
	sum += *(volatile char *)data; /* the use */
	return NULL;
}

static void run_thread(void)
{
	char *data = fresh(SIZE, MAP_PRIVATE);
	pthread_t thread;

	download(data, SIZE);
	if (pthread_create(&thread, NULL, other_thread, data) != 0)
		exit(3);
	pthread_join(thread, NULL);
}

struct fields {
	char before[1000];
	int count;
	char after[3000];
};

static void run_field(void)
{
	volatile struct fields *data = fresh(PAGE, MAP_PRIVATE);

	download((void *)data, sizeof(*data));
	sum += data->count; /* the use */
}

/* Something else on the page is touched before. */
static void run_neighbour(void)
{
	volatile char *data = fresh(PAGE, MAP_PRIVATE);

	download((void *)(data + 1000), 100);
	for (int i = 0; i < 50; i++)
		data[i] += data[2000 + i];
	sum += data[1050]; /* the use */
}

static void run_never(void)
{
	char *data = malloc(SIZE), *large = malloc(4 << 20);

	memset(data, 1, SIZE);
	memset(large, 1, SIZE);
	download(data, SIZE);
	download(large, SIZE);
	free(data);
	free(large);
}

static void run_overwritten(void)
{
	volatile char *data = fresh(SIZE, MAP_PRIVATE);

	for (int i = 0; i < 3; i++)
		download((void *)data, SIZE);
	sum += data[0]; /* the use */
}

static void run_upload(void)
{
	char *data = fresh(SIZE, MAP_PRIVATE);

	download(data, SIZE);
	CHECK(cudaMemcpy(device, data, SIZE, cudaMemcpyHostToDevice)); /* the use */
}

/* -- where they lie, and who waits -- */

static void run_shared(void)
{
	volatile char *data = fresh(SIZE, MAP_SHARED);

	CHECK(cudaHostRegister((void *)data, SIZE, 0));
	CHECK(cudaMemcpyAsync((void *)data, device, SIZE, cudaMemcpyDeviceToHost, NULL));
	CHECK(cudaDeviceSynchronize());
	if (data[PAGE] != 7) /* the use */
		exit(3);
}

static void run_pinned(void)
{
	volatile char *data;
	cudaStream_t stream, other;

	CHECK(cudaMallocHost((void **)&data, SIZE));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamCreate(&other));
	CHECK(cudaMemcpyAsync((void *)data, device, SIZE, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(other)); /* protects nothing */
	CHECK(cudaStreamSynchronize(stream));
	if (data[PAGE] != 7) /* the use */
		exit(3);
}

static void run_realloc(void)
{
	char *data = malloc(4 << 20);

	download(data, SIZE);
	data = realloc(data, 64 << 20);
	for (int i = 0; i < SIZE; i++)
		if (data[i] != 7)
			exit(3);
}

static void run_fork(void)
{
	volatile char *data = fresh(SIZE, MAP_PRIVATE);
	int status;
	pid_t child;

	download((void *)data, SIZE);
	child = fork();
	if (child == 0)
		_exit(data[PAGE] == 7 && data[SIZE - 1] == 7 ? 0 : 3);
	if (waitpid(child, &status, 0) != child || status || data[2 * PAGE] != 7)
		exit(3);
}

/* Pages that are thrown away are zero afterwards; a stack is not watched. */
static void run_discard(void)
{
	volatile char *data = fresh(SIZE, MAP_PRIVATE);
	char local[100];

	download(local, sizeof(local));
	if (local[50] != 7)
		exit(3);
	download((void *)data, SIZE);
	madvise((void *)data, 2 * PAGE, MADV_DONTNEED);
	if (data[PAGE] != 0 || data[2 * PAGE] != 7) /* the use */
		exit(3);
	munmap((void *)data, SIZE);
	if (mmap((void *)data, SIZE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != data)
		exit(3);
	for (int i = 0; i < SIZE; i++)
		if (data[i] != 0)
			exit(3);
}

/* Many threads, whose memory is anywhere on the heap: all must read what was copied. */
static void *stress(void *seed)
{
	unsigned random = (unsigned)(uintptr_t)seed;

	for (int i = 0; i < 150; i++) {
		size_t size = 1 + (size_t)rand_r(&random) % SIZE, bytes = size;
		unsigned char *data = malloc(size);
		int next = rand_r(&random) % 8;

		memset(data, 1, size);
		CHECK(cudaMemcpy(data, device, size, cudaMemcpyDeviceToHost));
		if (next == 0)
			data = realloc(data, bytes = 2 * size);
		else if (next == 1)
			data = realloc(data, bytes = size / 2 + 1);
		else if (next == 2)
			free(malloc(size));
		for (size_t k = 0; next < 6 && k < size && k < bytes; k++)
			if (data[k] != 7)
				exit(3);
		free(data);
	}
	return NULL;
}

/* -- what goes natively, and must while pages are taken away -- */

static void expect_7(const volatile char *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (data[i] != 7)
			exit(3);
}

/* By mremap(), of a mapping of which a part is watched. */
static void run_remap(void)
{
	char *data = fresh(2 * SIZE, MAP_PRIVATE), *other = fresh(2 * SIZE, MAP_PRIVATE);

	download(data, SIZE);
	data = mremap(data, 2 * SIZE, 4 * SIZE, MREMAP_MAYMOVE);
	if (data == MAP_FAILED)
		exit(3);
	expect_7(data, SIZE);
	download(other, SIZE);
	if (syscall(SYS_mremap, other, 2 * SIZE, 4 * SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, data) !=
	    (long)data)
		exit(3);
	expect_7(data, SIZE);
}

/* What others have read of the memory: its descriptor, the system call; and then the watch is over.
 */
static void run_memory_file(void)
{
	char *data = fresh(2 * SIZE, MAP_PRIVATE), *other = fresh(SIZE, MAP_PRIVATE);
	struct iovec from = {data + SIZE, SIZE}, to = {other, SIZE};
	int file;

	download(data, SIZE);
	download(data + SIZE, SIZE);
	if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != SIZE)
		exit(3);
	expect_7(other, SIZE);
	memset(other, 1, SIZE);
	file = open("/proc/self/mem", O_RDONLY);
	if (pread(file, other, SIZE, (off_t)(uintptr_t)data) != SIZE)
		exit(3);
	expect_7(other, SIZE);
	download(data, SIZE);
	if (pread(file, other, SIZE, (off_t)(uintptr_t)data) != SIZE)
		exit(3);
	expect_7(other, SIZE);
	close(file);
}

/* All threads are ended by a system call that vflow's would have to make. */
static void confine(unsigned int action, const int *calls, int count)
{
	struct sock_filter filter[32] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0)};
	struct sock_fprog program = {.filter = filter};
	int length = 1;

	for (int i = 0; i < count; i++) {
		filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
								(unsigned int)calls[i], 0, 1);
		filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
	}
	filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = (unsigned short)length;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
		exit(3);
}

static void run_confined(void)
{
	static const int calls[] = {SYS_ioctl, SYS_userfaultfd, SYS_tgkill, SYS_ppoll};
	char *data = fresh(2 * SIZE, MAP_PRIVATE);

	download(data, SIZE);
	confine(SECCOMP_RET_KILL_PROCESS, calls, sizeof(calls) / sizeof(*calls));
	expect_7(data, SIZE);
	download(data + SIZE, SIZE);
	expect_7(data + SIZE, SIZE);
}

/* The last system calls of a program that may only read, write and exit. */
static void run_strict(void)
{
	char *data = fresh(SIZE, MAP_PRIVATE);

	download(data, SIZE);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
		exit(3);
	for (int i = 0; i < SIZE; i++)
		if (data[i] != 7)
			syscall(SYS_exit, 3);
	if (write(1, "strict is over\n", 15) != 15)
		syscall(SYS_exit, 3);
	syscall(SYS_exit, 5);
}

static void run_stress(void)
{
	pthread_t threads[4];

	for (uintptr_t i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, stress, (void *)(i + 1)) != 0)
			exit(3);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"read", run_read},          {"write", run_write},
	{"write2", run_system_call}, {"fwrite", run_fwrite},
	{"memcpy", run_memcpy},      {"thread", run_thread},
	{"field", run_field},        {"neighbour", run_neighbour},
	{"never", run_never},        {"overwritten", run_overwritten},
	{"upload", run_upload},      {"shared", run_shared},
	{"pinned", run_pinned},      {"realloc", run_realloc},
	{"fork", run_fork},          {"discard", run_discard},
	{"stress", run_stress},      {"framed", run_framed},
	{"remap", run_remap},        {"memory_file", run_memory_file},
	{"confined", run_confined},  {"strict", run_strict},
};

int main(int argc, char **argv)
{
	CHECK(cudaMalloc(&device, SIZE));
	CHECK(cudaMemset(device, 7, SIZE));
	for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(*cases); i++)
		if (!strcmp(cases[i].name, argv[1])) {
			cases[i].run();
			printf("%s is over\n", argv[1]);
			return 5;
		}
	return 2;
}
