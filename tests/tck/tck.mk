# tck.mk: make check-tck TCK=DIR runs the read-only scenarios of the openCypher TCK; DIR is `tck`
# of github.com/opencypher/openCypher.  VERBOSE=1 shows what failed.  Needs libjansson-dev.

$(BUILD)/tests/tck/tck: tests/tck/tck.c $(unit_objects)
	@mkdir -p $(@D)
	@echo "  TEST $<"
	$(Q)$(CC) $(CFLAGS_TESTS) $(CFLAGS) -o $@ $^ -ljansson $(LIBS_VFLOW) $(LDFLAGS)

check-tck: $(BUILD)/tests/tck/tck
	@test -d "$(TCK)/features" || { echo "usage: make check-tck TCK=DIR, with DIR/features"; exit 1; }
	@tests/tck/check $< "$(TCK)"

.PHONY: check-tck
