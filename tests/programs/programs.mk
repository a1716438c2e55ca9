# programs.mk: the CUDA programs that the tests profile.  They are built as their users would
# build them: plainly, without vflow's own options.

program_names = questions call_paths first_use overwritten figure3 figure3_O2 exactness random_flow filters moves nodes targets timeline stream_order memory_waste frequency peaks drgpum_figures whatif demo demo_corrected
programs = $(program_names:%=$(BUILD)/programs/%) $(BUILD)/programs/hostile_trace \
	$(if $(NVCC),$(addprefix $(BUILD)/programs/,figure3_nvcc demo_nvcc))

demo_sources = $(addprefix tests/programs/demo/,demo.c network.c layers.c ongpu.c)
program_libraries = $(BUILD)/lib/emulator/libcudart.so.13 $(BUILD)/lib/emulator/libcuda.so.1
PROGRAM_CFLAGS = -std=gnu11 -Wall -Wextra $(WERROR) -g -D_GNU_SOURCE -I. -Igpu/emulator/include

$(BUILD)/programs/questions: tests/programs/questions.c
$(BUILD)/programs/call_paths: tests/programs/call_paths.c
$(BUILD)/programs/figure3 $(BUILD)/programs/figure3_O2: tests/programs/figure3.c
$(BUILD)/programs/figure3_O2: PROGRAM_CFLAGS += -O2
$(BUILD)/programs/exactness: tests/programs/exactness.c
$(BUILD)/programs/moves: tests/programs/moves.c
$(BUILD)/programs/nodes: tests/programs/nodes.c
$(BUILD)/programs/random_flow: tests/programs/random_flow.c
$(BUILD)/programs/first_use: tests/programs/first_use.c
$(BUILD)/programs/overwritten: tests/programs/overwritten.c
$(BUILD)/programs/filters: tests/programs/filters.c
$(BUILD)/programs/targets: tests/programs/targets.c
$(BUILD)/programs/timeline: tests/programs/timeline.c
$(BUILD)/programs/stream_order: tests/programs/stream_order.c
$(BUILD)/programs/memory_waste: tests/programs/memory_waste.c
$(BUILD)/programs/peaks: tests/programs/peaks.c
$(BUILD)/programs/drgpum_figures: tests/programs/drgpum_figures.c
$(BUILD)/programs/frequency: tests/programs/frequency.c
$(BUILD)/programs/whatif: tests/programs/whatif.c
$(BUILD)/programs/demo $(BUILD)/programs/demo_corrected: $(demo_sources)
$(BUILD)/programs/demo_corrected: PROGRAM_CFLAGS += -DCORRECTED

$(program_names:%=$(BUILD)/programs/%): $(program_libraries) tests/programs/launch.h \
		tests/programs/demo/network.h $(wildcard tests/programs/*.ptx tests/programs/demo/*.ptx)
	@mkdir -p $(@D)
	@echo "  PROG $@"
	$(Q)$(CC) $(PROGRAM_CFLAGS) $(sanitize) -o $@ $(filter %.c,$^) $(program_libraries) \
		-Wl,-rpath,'$$ORIGIN/../lib/emulator' -lm -lpthread $(LDFLAGS)

$(BUILD)/programs/%_nvcc: $(wildcard tests/programs/*.c tests/programs/*.cu tests/programs/*.h \
		tests/programs/demo/*.c tests/programs/demo/*.cu tests/programs/demo/*.h)
	@mkdir -p $(@D)
	@echo "  NVCC $@"
	$(Q)$(NVCC) -cudart shared -g -lineinfo -I. -o $@ $(filter %/$*_nvcc.cu,$^)

$(BUILD)/programs/hostile_trace: tests/programs/hostile_trace.c \
		$(addprefix $(BUILD)/vflow.o/,collect/trace_write.o collect/trace_check.o collect/coverage/coverage.o util/error.o)
	@mkdir -p $(@D)
	@echo "  PROG $@"
	$(Q)$(CC) $(COMMON) -MF $@.d -o $@ $^ $(LDFLAGS)

programs: $(programs)
.PHONY: programs
