# sanitizer.mk: the provider for NVIDIA GPUs.  Its GPU code is a fat binary for each architecture
# that this nvcc knows, plus PTX for later ones.

sanitizer_folder = $(BUILD)/sanitizer.o
sanitizer_objects = $(patsubst gpu/sanitizer/%,$(sanitizer_folder)/%.o,$(wildcard gpu/sanitizer/*.c gpu/sanitizer/*/*.c)) \
	$(patsubst %.c,$(BUILD)/inside.o/%.o,$(wildcard gpu/nvidia/*.c) $(patsubst %,gpu/sass/%.c,cubin instructions variables) gpu/analysis/accessed.c gpu/analysis/loaded_code.c gpu/analysis/may_write.c gpu/analysis/node_ordinals.c gpu/analysis/transfer.c) $(sanitizer_folder)/images.S.o
provider_folders += $(sanitizer_folder)
provider_objects += $(sanitizer_objects)
all: $(if $(have_sanitizer),$(BUILD)/lib/libvflow-sanitizer.so)

cuda_include = $(CUDA_TOOLKIT)/include

architectures := 75 80 86 89 90 100 120
nvcc_knows := $(if $(have_sanitizer),$(shell $(NVCC) --list-gpu-code 2>/dev/null))
fat := $(foreach a,$(architectures),$(if $(filter sm_$(a),$(nvcc_knows)),-gencode arch=compute_$(a)$(comma)code=sm_$(a))) \
	-gencode arch=compute_80$(comma)code=compute_80
patch_fat := $(foreach a,$(architectures),$(if $(filter sm_$(a),$(nvcc_knows)),-gencode arch=compute_75$(comma)code=sm_$(a))) \
	-gencode arch=compute_75$(comma)code=compute_75
CFLAGS_SANITIZER = $(CFLAGS_INSIDE) -isystem $(cuda_include) -isystem $(SANITIZER)/include
NVCC_FATBIN = $(NVCC) --fatbin -std=c++17 -I. -I$(SANITIZER)/include $(fat)
device_headers = $(wildcard gpu/sanitizer/device/*.h gpu/sanitizer/device/*.cuh gpu/analysis/*.h gpu/*.h gpu/*.def)

# Only PTX ISA 6.3 and older have the shuffles without .sync on these architectures: see compare().
$(sanitizer_folder)/patches.ptx: gpu/sanitizer/device/patches.cu $(device_headers)
	@mkdir -p $(@D)
	@echo "  NVCC $<"
	$(Q)$(NVCC) --ptx -arch=compute_75 -std=c++17 -I. -I$(SANITIZER)/include --keep-device-functions -o $@ $<
	$(Q)sed -i 's/^\.version .*/.version 6.3/' $@

# the same for runs with the pass `access`, so that others do no more for it
$(sanitizer_folder)/patches_access.ptx: gpu/sanitizer/device/patches.cu $(device_headers)
	@mkdir -p $(@D)
	@echo "  NVCC $< (access)"
	$(Q)$(NVCC) --ptx -DFOLLOW_ACCESSES -arch=compute_75 -std=c++17 -I. -I$(SANITIZER)/include --keep-device-functions -o $@ $<
	$(Q)sed -i 's/^\.version .*/.version 6.3/' $@

$(patsubst %,$(sanitizer_folder)/%.fatbin,patches patches_access values): %.fatbin: %.ptx
	$(Q)$(NVCC) --fatbin -w $(patch_fat) -Xptxas -w,--compile-as-tools-patch -o $@ $<

$(sanitizer_folder)/values.ptx: gpu/sanitizer/device/values.cu $(device_headers)
	@mkdir -p $(@D)
	@echo "  NVCC $<"
	$(Q)$(NVCC) --ptx -arch=compute_75 -std=c++17 -I. -I$(SANITIZER)/include --keep-device-functions -o $@ $<
	$(Q)sed -i 's/^\.version .*/.version 6.3/' $@

$(sanitizer_folder)/passes.fatbin: gpu/sanitizer/device/passes.cu $(device_headers)
	@mkdir -p $(@D)
	@echo "  NVCC $<"
	$(Q)$(NVCC_FATBIN) -Werror all-warnings -o $@ $<

$(sanitizer_folder)/passes_access.fatbin: gpu/sanitizer/device/passes.cu $(device_headers)
	@mkdir -p $(@D)
	@echo "  NVCC $< (access)"
	$(Q)$(NVCC_FATBIN) -DFOLLOW_ACCESSES -Werror all-warnings -o $@ $<

$(sanitizer_folder)/images.S.o: gpu/sanitizer/device/images.S $(patsubst %,$(sanitizer_folder)/%.fatbin,patches patches_access values passes passes_access)
	$(Q)$(CC) -c -DPATCHES='"$(sanitizer_folder)/patches.fatbin"' -DPATCHES_ACCESS='"$(sanitizer_folder)/patches_access.fatbin"' -DVALUES='"$(sanitizer_folder)/values.fatbin"' -DPASSES='"$(sanitizer_folder)/passes.fatbin"' -DPASSES_ACCESS='"$(sanitizer_folder)/passes_access.fatbin"' -o $@ $<

$(sanitizer_folder)/%.c.o: gpu/sanitizer/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CC   $<"
	$(Q)$(CC) $(CFLAGS_SANITIZER) $(CFLAGS) -c -o $@ $<

# the Sanitizer's library is found where it was at build time; LD_LIBRARY_PATH can name another
LIBS_SANITIZER = -L$(SANITIZER) -lsanitizer-public -Wl,-rpath,$(abspath $(SANITIZER)) -ldl -lpthread -Wl,-z,defs
$(BUILD)/lib/libvflow-sanitizer.so: $(sanitizer_objects)
	@mkdir -p $(@D)
	@echo "  LINK $@"
	$(Q)$(CC) $(sanitize) -shared -o $@ $^ $(LIBS_SANITIZER) $(LDFLAGS)

-include $(sanitizer_objects:.o=.d)
