# The tests.  Every test is a program that prints TAP lines ("ok 1 - name", "not ok ...", "# SKIP");
# tests/run adds them up.

# Unit tests are linked together, which takes a minute less than a program for each: the name that it is called by
# says which test runs.  Those that define functions in the place of others', or look for their own, are programs by
# themselves; what else a test defines is its own (objcopy).
unit_alone = collect_failures collect_managed gpu_forms gpu_hints gpu_shadow graph_build graph_nodes graph_symbols progress query_value
unit_names = $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/*.c))
unit_gpu = $(filter gpu_%,$(filter-out $(unit_alone),$(unit_names)))
unit_vflow = $(filter-out gpu_% $(unit_alone),$(unit_names))
unit_tests = $(unit_names:%=$(BUILD)/tests/unit/%)
cli_tests = $(wildcard tests/cli/*.sh tests/sanitizer/*.sh tests/cupti/*.sh)

CFLAGS_TESTS = $(CFLAGS_VFLOW) -Wno-unused-function
# the command table and what refers to it belong to the program
unit_objects = $(filter-out %/vflow.o/vflow.o %/util/cmd_help.o,$(vflow_objects))

# tests of gpu/ (named gpu_*.c) link with the emulator's objects, those of the other rooms with vflow's
unit_headers = $(wildcard tests/unit/*.h tests/gpu/ptx/*.h)
CFLAGS_UNIT = $(if $(filter gpu_%,$*),$(COMMON),$(CFLAGS_TESTS))
gpu_libs = -lcmocka -lcrypto -lm -ldl -lpthread

$(BUILD)/tests/unit.o/%.o: tests/unit/%.c $(unit_headers) $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  TEST $<"
	$(Q)$(CC) $(CFLAGS_UNIT) $(CFLAGS) -Dmain=main_of_$* -c -o $@ $<
	$(Q)objcopy --keep-global-symbol=main_of_$* $@

-include $(unit_names:%=$(BUILD)/tests/unit.o/%.d)

tests_of = '-DTESTS=$(patsubst %,TEST(%),$(1))'

$(BUILD)/tests/unit-gpu: tests/unit_main.c $(unit_gpu:%=$(BUILD)/tests/unit.o/%.o) $(cuda_objects)
	@echo "  LINK $@"
	$(Q)$(CC) $(COMMON) $(CFLAGS) $(call tests_of,$(unit_gpu)) -o $@ $^ $(gpu_libs) $(LDFLAGS)

$(BUILD)/tests/unit-vflow: tests/unit_main.c $(unit_vflow:%=$(BUILD)/tests/unit.o/%.o) $(unit_objects)
	@echo "  LINK $@"
	$(Q)$(CC) $(CFLAGS_TESTS) $(CFLAGS) $(call tests_of,$(unit_vflow)) -o $@ $^ -lcmocka $(LIBS_VFLOW) $(LDFLAGS)

$(unit_gpu:%=$(BUILD)/tests/unit/%): $(BUILD)/tests/unit-gpu
	@mkdir -p $(@D)
	@ln -f $< $@

$(unit_vflow:%=$(BUILD)/tests/unit/%): $(BUILD)/tests/unit-vflow
	@mkdir -p $(@D)
	@ln -f $< $@

$(BUILD)/tests/unit/gpu_%: tests/unit/gpu_%.c $(cuda_objects) $(unit_headers)
	@mkdir -p $(@D)
	@echo "  TEST $<"
	$(Q)$(CC) $(COMMON) $(CFLAGS) -o $@ $(filter-out %.h,$^) $(gpu_libs) $(LDFLAGS)

$(BUILD)/tests/unit/%: tests/unit/%.c $(unit_objects) $(unit_headers)
	@mkdir -p $(@D)
	@echo "  TEST $<"
	$(Q)$(CC) $(CFLAGS_TESTS) $(CFLAGS) -o $@ $(filter-out %.h,$^) -lcmocka $(LIBS_VFLOW) $(LDFLAGS)

# beside $(BUILD)/lib, where it looks for vflow's libraries
$(BUILD)/vflow-passes: tests/cli/collect_passes.c $(unit_objects)
	@echo "  TEST $<"
	$(Q)$(CC) $(CFLAGS_TESTS) $(CFLAGS) -o $@ $^ $(LIBS_VFLOW) $(LDFLAGS)

$(BUILD)/stalls-profile: tests/cli/stalls_profile.c $(unit_objects)
	@echo "  TEST $<"
	$(Q)$(CC) $(CFLAGS_TESTS) $(CFLAGS) -o $@ $^ $(LIBS_VFLOW) $(LDFLAGS)

include tests/programs/programs.mk
include tests/fuzz/fuzz.mk
include tests/bench/bench.mk
include tests/browser/browser.mk
include tests/tck/tck.mk
include tests/advice/advice.mk

# with the sanitizers, under which each takes three times as long, a third of the programs
advice_parts = $(if $(ASAN),1 2,1 2 3 4 5 6)

# Packages that cannot be installed are named, and what is left to do without them is done.
check:
	@tests/install-packages $(PACKAGES) || :
	@$(MAKE) --no-print-directory check-built

check-built: all $(unit_tests) $(BUILD)/vflow-passes $(BUILD)/stalls-profile programs $(replays) fuzz-seeds $(if $(have_sanitizer),timed)
	@BUILD=$(BUILD) VFLOW=$(abspath $(VFLOW)) CC="$(CC)" NVCC="$(NVCC)" ASAN="$(if $(ASAN),$(sanitize) $(LDFLAGS))" SANITIZER="$(if $(have_sanitizer),$(SANITIZER))" CUPTI="$(if $(have_cupti),$(CUPTI))" \
		tests/run $(patsubst %,"tests/advice/run %/6",$(advice_parts)) $(patsubst %,"tests/random/run %/2",1 2) $(replays) $(unit_tests) $(cli_tests) tests/check-includes tests/check-format tests/check-coverage

# On a machine with an NVIDIA GPU: the end-to-end programs there, and the same graphs as emulated.
gpu_test_tools = sqlite3 gvpr
# what measures time, or takes all memory of the GPU
gpu_tests_alone = $(patsubst %,tests/gpu/%.sh,costs diff faults full memory stalls timed_out times wait_times whatif)
gpu_tests_split = $(patsubst %,tests/gpu/%.sh,access advice equality programs)
gpu_tests = $(filter-out $(gpu_tests_alone) $(gpu_tests_split) tests/gpu/pytorch.sh,$(wildcard tests/gpu/*.sh))
check-gpu: all programs $(BUILD)/stalls-profile
	@for tool in $(gpu_test_tools); do command -v $$tool >/dev/null || lacking="$$lacking $$tool"; done; \
		[ -z "$$lacking" ] || { echo "make check-gpu: install what its tests need, and is not here:$$lacking" >&2; exit 1; }
	@BUILD=$(BUILD) VFLOW=$(abspath $(VFLOW)) CC="$(CC)" NVCC="$(NVCC)" \
		tests/run $(foreach test,$(gpu_tests_split),$(patsubst %,"$(test) %/6",1 2 3 4 5 6)) $(patsubst %,"tests/gpu/pytorch.sh %/4",1 2 3 4) $(gpu_tests) -- $(gpu_tests_alone)

# A vflow whose provider also times kernels (tests/gpu/kernel_times.h), apart from the one that is measured.
timed = $(BUILD)/timed
timed_objects = $(patsubst %,$(timed)/%.o,kernel_times kernel_times_hook)

$(timed)/%.o: tests/gpu/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CC   $<"
	$(Q)$(CC) $(CFLAGS_SANITIZER) $(CFLAGS) -c -o $@ $<

$(timed)/lib/libvflow-sanitizer.so: $(sanitizer_objects) $(timed_objects)
	@mkdir -p $(@D)
	@echo "  LINK $@"
	$(Q)$(CC) $(sanitize) -shared -o $@ $^ -Wl,--wrap=driver_load,--wrap=calls_api $(LIBS_SANITIZER) $(LDFLAGS)

$(timed)/lib/libvflow-guest.so: $(BUILD)/lib/libvflow-guest.so
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(timed)/vflow: $(VFLOW)
	@mkdir -p $(@D)
	$(Q)cp $< $@

timed: $(timed)/vflow $(timed)/lib/libvflow-guest.so $(if $(have_sanitizer),$(timed)/lib/libvflow-sanitizer.so)

-include $(timed_objects:.o=.d)

bench-gpu: all timed
	@BUILD=$(BUILD) VFLOW=$(abspath $(VFLOW)) TIMED_VFLOW=$(abspath $(timed)/vflow) CC="$(CC)" NVCC="$(NVCC)" SANITIZER="$(if $(have_sanitizer),$(SANITIZER))" tests/gpu/overhead

check-asan:
	$(MAKE) ASAN=1 BUILD=$(abspath build-asan) check

# The README's first command: everything from a bare machine to a picture.
demo: deps
	@$(MAKE) --no-print-directory all programs
	@BUILD=$(BUILD) VFLOW=$(abspath $(VFLOW)) tests/programs/run-demo

.PHONY: timed check check-built check-gpu bench-gpu check-asan demo
