# cupti.mk: the provider of GPU times and samples.  CUPTI comes with the CUDA toolkit, in its own folders or in
# extras/CUPTI; Debian's and Ubuntu's package has it in /usr.

cupti_places = $(foreach f,$(cuda_folders),$(f) $(f)/extras/CUPTI) /usr
CUPTI := $(firstword $(foreach f,$(cupti_places),$(if $(and $(wildcard $(f)/include/cupti.h), \
	$(wildcard $(f)/lib64/libcupti.so $(f)/lib/libcupti.so $(f)/lib/*/libcupti.so)),$(f))))
cupti_library := $(if $(CUPTI),$(firstword $(wildcard $(CUPTI)/lib64/libcupti.so $(CUPTI)/lib/libcupti.so $(CUPTI)/lib/*/libcupti.so)))
# CUDA 11's headers lack what the provider needs
have_cupti := $(if $(CUPTI),$(shell grep -qs CUpti_ActivityKernel9 $(CUPTI)/include/*.h && \
	ls $(CUDA_TOOLKIT)/include/cuda.h $(CUPTI)/include/cuda.h 2>/dev/null | grep -q . && echo 1))

cupti_objects = $(patsubst %.c,$(BUILD)/inside.o/%.o,$(wildcard gpu/cupti/*.c gpu/nvidia/*.c) gpu/analysis/object_rows.c util/start_environment.c)
provider_objects += $(cupti_objects)
all: $(if $(have_cupti),$(BUILD)/lib/libvflow-cupti.so)

$(BUILD)/inside.o/gpu/cupti/%.o: CFLAGS_INSIDE += -isystem $(CUPTI)/include -isystem $(CUDA_TOOLKIT)/include

# CUPTI is found where it was at build time; LD_LIBRARY_PATH can name another
$(BUILD)/lib/libvflow-cupti.so: $(cupti_objects)
	@mkdir -p $(@D)
	@echo "  LINK $@"
	$(Q)$(CC) $(sanitize) -shared -o $@ $^ $(cupti_library) -Wl,-rpath,$(dir $(abspath $(cupti_library))) \
		-ldl -lpthread -Wl,-z,defs $(LDFLAGS)

-include $(cupti_objects:.o=.d)
