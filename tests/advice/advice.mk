# advice.mk: programs with planted waste; tests/advice/README.md says what is asked of the advice.
check-advice: all
	@BUILD=$(BUILD) VFLOW=$(abspath $(VFLOW)) CC="$(CC)" NVCC="$(NVCC)" ASAN="$(if $(ASAN),$(sanitize) $(LDFLAGS))" tests/run tests/advice/run

.PHONY: check-advice
