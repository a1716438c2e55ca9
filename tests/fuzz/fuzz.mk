# fuzz.mk: every fuzz_NAME.c is an entry for libFuzzer (make fuzz, FUZZ_SECONDS each) and for
# replay.c, with which make check runs its corpus, cut and with flipped bits.

FUZZ_SECONDS ?= 60
fuzz_folder = $(BUILD)/tests/fuzz
fuzz_names = $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
replays = $(fuzz_names:%=$(fuzz_folder)/replay_%)

# $(1): name, $(2): objects, $(3): libraries.  libFuzzer brings libstdc++ along, which a shared runtime
# of the sanitizer would have to precede.
define fuzz_programs
$(fuzz_folder)/replay_$(1): tests/fuzz/fuzz_$(1).c tests/fuzz/replay.c $(wildcard tests/fuzz/*.h) $(2)
	@mkdir -p $$(@D)
	@echo "  TEST $$<"
	$$(Q)$$(CC) $$(COMMON) $$(CFLAGS) -o $$@ $$(filter-out %.h,$$^) $(3) $$(LDFLAGS)

$(fuzz_folder)/fuzz_$(1): tests/fuzz/fuzz_$(1).c $(wildcard tests/fuzz/*.h) $(2)
	@mkdir -p $$(@D)
	@echo "  FUZZ $$<"
	$$(Q)$$(CC) $$(filter-out -shared-libasan,$$(COMMON)) $$(CFLAGS) -fsanitize=fuzzer -o $$@ $$(filter-out %.h,$$^) $(3) $$(LDFLAGS)
endef
$(foreach n,$(filter-out ptx,$(fuzz_names)),$(eval $(call fuzz_programs,$(n),$(unit_objects),$$(LIBS_VFLOW))))
$(eval $(call fuzz_programs,ptx,$(cuda_objects),-lm -ldl -lpthread))

$(fuzz_folder)/make-seeds: tests/fuzz/seeds.c $(unit_objects)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_TESTS) $(CFLAGS) -o $@ $^ $(LIBS_VFLOW) $(LDFLAGS)

fuzz-seeds: $(fuzz_folder)/make-seeds
	@mkdir -p $(fuzz_folder)/seeds/ptx $(fuzz_folder)/seeds/sass
	@$< $(fuzz_folder)/seeds
	@cp $(wildcard tests/profiles/*.db) $(fuzz_folder)/seeds/profile
	@cp $(wildcard tests/programs/*.ptx tests/programs/demo/*.ptx) $(fuzz_folder)/seeds/ptx
	@cp $(wildcard tests/gpu/sass/*.txt) $(fuzz_folder)/seeds/sass

fuzz:
	@if echo 'int LLVMFuzzerTestOneInput(const char *d, long s) { return !d && s; }' | \
		clang -x c -fsanitize=fuzzer -o /dev/null - 2>/dev/null; then \
		$(MAKE) --no-print-directory CC=clang ASAN=1 BUILD=$(abspath build-fuzz) \
			CFLAGS=-fsanitize=fuzzer-no-link fuzz-run; \
	else \
		echo "vflow: no fuzzing: install clang and its libFuzzer (Debian: clang, libclang-rt-14-dev)"; \
	fi

fuzz-run: $(fuzz_names:%=$(fuzz_folder)/fuzz_%) fuzz-seeds
	@for name in $(fuzz_names); do \
		echo "fuzz_$$name: $(FUZZ_SECONDS) s"; \
		mkdir -p $(fuzz_folder)/corpus/$$name $(fuzz_folder)/seeds/$$name tests/fuzz/corpus/$$name; \
		set --; dictionary=tests/fuzz/$$name.dict; \
		test ! -e $$dictionary || set -- -dict=$$dictionary; \
		$(fuzz_folder)/fuzz_$$name "$$@" -max_total_time=$(FUZZ_SECONDS) -timeout=30 -rss_limit_mb=4096 \
			-artifact_prefix=$(fuzz_folder)/$$name- $(fuzz_folder)/corpus/$$name \
			$(fuzz_folder)/seeds/$$name tests/fuzz/corpus/$$name \
			>$(fuzz_folder)/$$name.log 2>&1 || { tail -40 $(fuzz_folder)/$$name.log; exit 1; }; \
		tail -1 $(fuzz_folder)/$$name.log; \
	done

.PHONY: fuzz fuzz-run fuzz-seeds
