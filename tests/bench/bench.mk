# bench.mk: make bench prints figures and ratios; it never fails because something is slow.

bench_folder = $(BUILD)/tests/bench
bench_runs = figure3 demo demo_corrected exactness:loop exactness:big

$(bench_folder)/shadow: tests/bench/shadow.c \
		$(patsubst %.c,$(BUILD)/inside.o/%.o,$(wildcard gpu/analysis/*.c))
	@mkdir -p $(@D)
	$(Q)$(CC) $(COMMON) $(CFLAGS) -o $@ $^ $(LDFLAGS)

$(bench_folder)/builder: tests/bench/builder.c $(unit_objects)
	@mkdir -p $(@D)
	$(Q)$(CC) $(COMMON) $(CFLAGS) -o $@ $^ $(LIBS_VFLOW) $(LDFLAGS)

$(bench_folder)/query: tests/bench/query.c $(unit_objects)
	@mkdir -p $(@D)
	$(Q)$(CC) $(COMMON) $(CFLAGS) -o $@ $^ $(LIBS_VFLOW) $(LDFLAGS)

$(bench_folder)/replay: tests/bench/replay.c tests/unit/replay_model.h $(unit_objects)
	@mkdir -p $(@D)
	$(Q)$(CC) $(COMMON) $(CFLAGS) -o $@ $(filter-out %.h,$^) $(LIBS_VFLOW) $(LDFLAGS)

# the same kernels twice: without optimisation, and with
$(bench_folder)/kernels_%.o: tests/bench/interpreter/kernels.c tests/bench/interpreter/kernels.h
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -I. $(if $(filter un%,$*),-O0,-O2) -DPLAIN_KERNELS=plain_$* -c -o $@ $<

$(bench_folder)/interpreter: tests/bench/interpreter/bench.c $(cuda_objects) \
		$(bench_folder)/kernels_unoptimised.o $(bench_folder)/kernels_optimised.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(COMMON) $(CFLAGS) -o $@ $^ -lm -ldl -lpthread $(LDFLAGS)

bench: all programs $(bench_folder)/interpreter $(bench_folder)/shadow $(bench_folder)/builder $(bench_folder)/query $(bench_folder)/replay
	@$(bench_folder)/interpreter
	@$(bench_folder)/shadow
	@$(bench_folder)/builder
	@$(bench_folder)/query
	@$(bench_folder)/replay
	@BUILD=$(BUILD) VFLOW=$(abspath $(VFLOW)) tests/bench/filters
	@BUILD=$(BUILD) VFLOW=$(abspath $(VFLOW)) CC=$(CC) tests/bench/report
	@echo "whole processes on the emulated device, vflow collect against none:"
	@for run in $(bench_runs); do \
		VFLOW=$(abspath $(VFLOW)) tests/bench/overhead $(BUILD)/programs/$${run%%:*} \
			$$(echo $$run | sed -n 's/.*://p'); \
	done
	@VFLOW=$(abspath $(VFLOW)) tests/bench/render

.PHONY: bench
