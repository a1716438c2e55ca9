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

bench: all programs $(bench_folder)/shadow $(bench_folder)/builder $(bench_folder)/query
	@$(bench_folder)/shadow
	@$(bench_folder)/builder
	@$(bench_folder)/query
	@echo "whole processes on the emulated device, vflow collect against none:"
	@for run in $(bench_runs); do \
		VFLOW=$(abspath $(VFLOW)) tests/bench/overhead $(BUILD)/programs/$${run%%:*} \
			$$(echo $$run | sed -n 's/.*://p'); \
	done
	@VFLOW=$(abspath $(VFLOW)) tests/bench/render

.PHONY: bench
