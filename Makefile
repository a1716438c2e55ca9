# make            build ./vflow and the libraries it puts into profiled programs
# make check      install what is missing, build, all tests that need no GPU; ends with "N passed, M failed"
# make demo       install what is missing, build, profile the demo, draw it
# make deps       install the Debian packages that vflow needs (root or sudo)
# make install    PREFIX=/usr/local DESTDIR=
# make deb        a Debian package of what was built, build/deb/vflow_VERSION_ARCHITECTURE.deb
# switches        DEBUG=1  ASAN=1  CC=clang  BUILD=folder  V=1  WERROR= (warnings of new compilers)

ifneq ($(words $(subst :, ,$(CURDIR))),1)
$(error a folder with a space or a colon in its name cannot be preloaded from (LD_PRELOAD): move vflow out of $(CURDIR))
endif

BUILD ?= build
PREFIX ?= /usr/local
WERROR ?= -Werror
VFLOW = $(if $(filter build,$(BUILD)),./vflow,$(BUILD)/vflow)

PACKAGES = gcc g++ make pkg-config libunwind-dev libdw-dev libelf-dev libgraphviz-dev \
	libpcre2-dev libssl-dev libsqlite3-dev libzstd-dev uthash-dev \
	librsvg2-dev libedit-dev libcmocka-dev graphviz libxml2-utils sqlite3
LIBRARIES = libdw libelf libcgraph libgvc libcdt libpcre2-8 libcrypto sqlite3 libzstd

# goals that install the packages first look for them in a make of their own
building_elsewhere := $(filter deps demo check clean install-built deb-built,$(MAKECMDGOALS))
ifeq ($(building_elsewhere),)
missing := $(shell for l in $(LIBRARIES) libunwind; do (pkg-config --exists $$l) 2>/dev/null || echo $$l; done; \
	echo '\#include <uthash.h>' | $(CC) -E - >/dev/null 2>&1 || echo uthash)
endif
have_rsvg := $(shell (pkg-config --exists librsvg-2.0 cairo) 2>/dev/null && echo 1 || echo 0)
have_edit := $(shell (pkg-config --exists libedit) 2>/dev/null && echo 1 || echo 0)
# librsvg is loaded when a bitmap is drawn: with the 40 libraries that it needs, each start would take 5 ms more
used_libraries := $(LIBRARIES) $(if $(filter 1,$(have_edit)),libedit)
used_cflags := $(shell (pkg-config --cflags $(used_libraries) $(if $(filter 1,$(have_rsvg)),librsvg-2.0 cairo)) 2>/dev/null)
used_libs := $(shell (pkg-config --libs $(used_libraries)) 2>/dev/null)
unwind_libs := $(shell (pkg-config --libs libunwind) 2>/dev/null)
plugins := $(shell (pkg-config --variable=libdir libgvc) 2>/dev/null)/graphviz
NVCC := $(shell command -v nvcc 2>/dev/null || ls /usr/local/cuda/bin/nvcc 2>/dev/null)

# nvcc itself knows where its toolkit is: what is found on PATH may be a script that calls it.
# That of Debian and Ubuntu's own package does not say: it is spread over /usr.
nvcc_top := $(if $(NVCC),$(shell $(NVCC) --dryrun -x cu /dev/null 2>&1 | sed -n 's/^\#\$$ TOP=//p'))
export CUDA_TOOLKIT := $(abspath $(or $(nvcc_top),$(if $(and $(NVCC),$(wildcard /usr/include/cuda.h)),/usr)))

# The GPU provider needs nvcc and the Sanitizer's headers and library, of any CUDA 12 or 13
cuda_folders := $(CUDA_HOME) $(CUDA_TOOLKIT) /usr/local/cuda /opt/cuda
SANITIZER := $(firstword $(patsubst %/include/sanitizer.h,%,$(wildcard \
	$(foreach f,$(cuda_folders),$(f)/compute-sanitizer/include/sanitizer.h $(f)/extras/compute-sanitizer/include/sanitizer.h \
	$(f)/extras/Sanitizer/include/sanitizer.h) /usr/lib/nvidia-cuda-toolkit/compute-sanitizer/include/sanitizer.h \
	.deps/toolkit/usr/lib/nvidia-cuda-toolkit/compute-sanitizer/include/sanitizer.h)))
# CUDA 11's headers lack what the provider needs
have_sanitizer := $(if $(and $(NVCC),$(SANITIZER)),$(shell grep -qs Sanitizer_ExternalMemoryData $(SANITIZER)/include/*.h && \
	grep -qs CUkernel $(CUDA_TOOLKIT)/include/cuda.h && echo 1))

# Ubuntu's compiler does it unasked, and then warns of more
optimize := $(if $(DEBUG),-O0 -DDEBUG,-O2 $(if $(ASAN),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))
comma := ,
sanitize := $(if $(ASAN),-fsanitize=address$(comma)undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
ifneq ($(and $(ASAN),$(findstring clang,$(shell $(CC) --version))),)
# as gcc does it: clang's runtime inside the program would leave the libraries without one
sanitize += -shared-libasan
override LDFLAGS += -Wl,-rpath,$(dir $(shell $(CC) -print-file-name=libclang_rt.asan-$(shell uname -m).so))
endif
COMMON = -std=gnu11 -Wall -Wextra $(WERROR) -g $(optimize) $(sanitize) -D_GNU_SOURCE -I. -I$(BUILD) -MMD -MP
CFLAGS_VFLOW = $(COMMON) -DHAVE_RSVG=$(have_rsvg) -DHAVE_EDIT=$(have_edit) $(used_cflags)
# code that lives in other people's processes: nothing but the named entry points is visible
CFLAGS_INSIDE = $(COMMON) -fPIC -fvisibility=hidden -fno-math-errno -ffp-contract=off
LIBS_VFLOW = $(used_libs) -L$(plugins) -l:libgvplugin_dot_layout.so.6 -Wl,-rpath,$(plugins) -lstdc++ -lm
Q = $(if $(V),,@)

# with other switches than the last time everything is built anew
flags := $(strip $(CC) $(CFLAGS_VFLOW) $(CFLAGS) $(LDFLAGS))
ifeq ($(building_elsewhere),)
ifneq ($(strip $(file <$(BUILD)/flags)),$(flags))
$(shell rm -f $(BUILD)/flags)
endif
endif

# Tables whose rows are the files of a folder: a list of ROW(name), written when a file comes or goes;
# GNU make 4.3 leaves the newline at the end of some files that it reads
row_folders = graph/build/analysis advice/pattern advice/stall/optimizer collect/passes
rows = $(patsubst $(1)/%.c,ROW(%),$(sort $(wildcard $(1)/*.c)))
differ = $(subst x$(1),,x$(2))$(subst x$(2),,x$(1))
ifeq ($(building_elsewhere),)
$(foreach f,$(row_folders),$(if $(call differ,$(strip $(file <$(BUILD)/rows/$f.def)),$(call rows,$f)), \
	$(shell mkdir -p $(BUILD)/rows/$(dir $f))$(file >$(BUILD)/rows/$f.def,$(call rows,$f))))
endif

rooms = util util/format util/perfetto gpu/sass gpu/stalls graph graph/build graph/build/pairs graph/build/analysis graph/build/values graph/memory graph/profile graph/profile/kernel collect collect/coverage collect/device collect/doctor collect/pass collect/passes query query/language query/filter replay advice advice/diff advice/lines advice/memory advice/order advice/pattern advice/report advice/stall advice/stall/optimizer render render/memory render/perfetto
vflow_objects = $(patsubst %.c,$(BUILD)/vflow.o/%.o,vflow.c gpu/nvidia/apis.c $(wildcard $(rooms:%=%/*.c)))
guest_sources = $(wildcard collect/guest/*.c collect/guest/watch/*.c) collect/trace_write.c collect/trace_check.c collect/trace_rows.c \
	collect/coverage/coverage.c collect/kernel_filter.c collect/userfaultfd.c gpu/nvidia/apis.c util/error.c util/mangled.c util/say.c util/start_environment.c
cuda_sources = $(wildcard $(patsubst %,gpu/emulator/%/*.c,device driver interpreter state) gpu/ptx/*.c gpu/analysis/*.c) gpu/nvidia/apis.c util/error.c util/say.c util/start_environment.c
cudart_sources = $(wildcard gpu/emulator/runtime/*.c)
guest_objects = $(guest_sources:%.c=$(BUILD)/inside.o/%.o)
# executors that loop over lanes, a second time for CPUs with AVX2
lane_sources = $(patsubst %,gpu/emulator/interpreter/%.c,integer bits float compare convert memory half matrix)
lane_objects = $(if $(filter x86_64,$(shell uname -m)),$(lane_sources:%.c=$(BUILD)/inside.o/%.avx2.o))
cuda_objects = $(cuda_sources:%.c=$(BUILD)/inside.o/%.o) $(lane_objects)
majors = 11 12 13
soname = libcudart.so.$(if $(filter 11,$(1)),11.0,$(1))
libraries = $(BUILD)/lib/libvflow-guest.so $(BUILD)/lib/emulator/libcuda.so.1 \
	$(foreach m,$(majors),$(BUILD)/lib/emulator/$(call soname,$(m)))

completions = $(patsubst %,$(BUILD)/completion/vflow.%,bash zsh fish)

all: packages $(VFLOW) $(libraries) $(completions)

packages:
	@$(if $(missing),echo "vflow: missing libraries: $(missing)"; echo "install them with:  make deps"; exit 1,:)
	@$(if $(filter 1,$(have_rsvg)),:,echo "vflow: no PNG output: install librsvg2-dev")
	@$(if $(filter 1,$(have_edit)),:,echo "vflow: no line editing in vflow query -i: install libedit-dev")
	@$(if $(NVCC),:,echo "vflow: no CUDA toolkit: the tests of programs built with nvcc are left out")
	@$(if $(have_sanitizer),:,echo "vflow: no collecting on GPUs: it needs nvcc and compute-sanitizer's headers (CUDA toolkit 12 or 13)")
	@$(if $(have_cupti),:,echo "vflow: no times of GPUs: they need CUPTI and its headers (CUDA toolkit 12 or 13)")

$(BUILD)/flags:
	@$(shell mkdir -p $(@D))$(file >$@,$(flags)):

$(VFLOW): $(vflow_objects)
	@echo "  LINK $@"
	$(Q)$(CC) $(sanitize) -o $@ $^ $(LIBS_VFLOW) $(LDFLAGS)

# What shells complete of a command line, from what --help says
$(BUILD)/completion/options: util/completion/options $(VFLOW)
	@mkdir -p $(@D)
	$(Q)util/completion/options $(VFLOW) >$@.tmp && mv $@.tmp $@

$(completions): $(BUILD)/completion/vflow.%: util/completion/common.awk util/completion/%.awk $(BUILD)/completion/options \
		util/completion/bash.body
	@echo "  AWK  $@"
	$(Q)awk -v body=util/completion/bash.body -f util/completion/common.awk -f util/completion/$*.awk \
		$(BUILD)/completion/options >$@.tmp && mv $@.tmp $@

$(BUILD)/vflow.o/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CC   $<"
	$(Q)$(CC) $(CFLAGS_VFLOW) $(CFLAGS) -c -o $@ $<

$(BUILD)/vflow.o/render/html_static.o: $(wildcard web-static/*) # .incbin

$(BUILD)/inside.o/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CC   $< (inside)"
	$(Q)$(CC) $(CFLAGS_INSIDE) $(CFLAGS) -c -o $@ $<

$(BUILD)/inside.o/%.avx2.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CC   $< (inside, AVX2)"
	$(Q)$(CC) $(CFLAGS_INSIDE) $(if $(DEBUG),,-O3) -mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt -mpopcnt -DINTERPRETER_AVX2 \
		$(CFLAGS) -c -o $@ $<

$(BUILD)/lib/libvflow-guest.so: $(guest_objects)
	@mkdir -p $(@D)
	@echo "  LINK $@"
	$(Q)$(CC) $(sanitize) -shared -o $@ $^ -Wl,-soname,libvflow-guest.so $(unwind_libs) -l:libpcre2-8.a -l:libsupc++.a \
		-Wl,--exclude-libs,ALL -Wl,-z,defs -Wl,-z,now $(LDFLAGS)

# The preloaded libraries need libc and libm only.
$(BUILD)/lib/emulator/libcuda.so.1: $(cuda_objects) gpu/emulator/driver/libcuda.map
	@mkdir -p $(@D)
	@echo "  LINK $@"
	$(Q)$(CC) $(sanitize) -shared -o $@ $(cuda_objects) -Wl,-soname,libcuda.so.1 \
		-Wl,--version-script=gpu/emulator/driver/libcuda.map -lm -ldl -lpthread -Wl,-z,defs $(LDFLAGS)

# providers in libraries of their own: each adds its library to `all`
include $(sort $(wildcard gpu/*/*.mk))

define cudart
$(BUILD)/cudart$(1).o/%.o: %.c $(BUILD)/flags
	@mkdir -p $$(@D)
	@echo "  CC   $$< (cudart $(1))"
	$$(Q)$$(CC) $$(CFLAGS_INSIDE) -DCUDART_MAJOR=$(1) $$(CFLAGS) -c -o $$@ $$<

# ld.so aborts a program whose libcudart.so.N lacks the version node of that name
$(BUILD)/cudart$(1).map:
	@mkdir -p $$(@D)
	@echo '$(call soname,$(1)) { global: cuda*; __cuda*; local: *; };' > $$@

$(BUILD)/lib/emulator/$(call soname,$(1)): $$(cudart_sources:%.c=$(BUILD)/cudart$(1).o/%.o) \
		$(BUILD)/cudart$(1).map $(BUILD)/lib/emulator/libcuda.so.1
	@echo "  LINK $$@"
	$$(Q)$$(CC) $$(sanitize) -shared -o $$@ $$(filter %.o,$$^) -Wl,-soname,$(call soname,$(1)) \
		-Wl,--version-script=$(BUILD)/cudart$(1).map $(BUILD)/lib/emulator/libcuda.so.1 \
		-Wl,-rpath,'$$$$ORIGIN' -Wl,-z,defs $$(LDFLAGS)

-include $$(cudart_sources:%.c=$(BUILD)/cudart$(1).o/%.d)
endef
$(foreach m,$(majors),$(eval $(call cudart,$(m))))

# objects of files that have moved or gone: tests that link a folder's objects would find them
object_folders = $(patsubst %,$(BUILD)/%.o,vflow inside $(majors:%=cudart%)) $(provider_folders)
objects = $(vflow_objects) $(guest_objects) $(cuda_objects) $(provider_objects) \
	$(foreach m,$(majors),$(cudart_sources:%.c=$(BUILD)/cudart$(m).o/%.o))
ifeq ($(building_elsewhere),)
stale := $(filter-out $(objects),$(shell find $(wildcard $(object_folders)) /dev/null -type f -name '*.o'))
$(if $(stale),$(shell rm -f $(stale)))
endif

-include $(vflow_objects:.o=.d) $(guest_objects:.o=.d) $(cuda_objects:.o=.d)

include tests/tests.mk

deps:
	@tests/install-packages $(PACKAGES)

# what the providers for GPUs are compiled with, where there is no toolkit that has it; nvcc has to be there
deps-gpu:
	@tests/unpack-toolkit

man_pages = $(wildcard $(rooms:%=%/*.1))

install: all
	@$(MAKE) --no-print-directory install-built

install-built:
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/vflow/emulator $(DESTDIR)$(PREFIX)/share/man/man1
	install $(VFLOW) $(DESTDIR)$(PREFIX)/bin/vflow
	install -m 644 $(wildcard $(BUILD)/lib/libvflow-*.so) $(DESTDIR)$(PREFIX)/lib/vflow
	install -m 644 $(BUILD)/lib/emulator/*.so* $(DESTDIR)$(PREFIX)/lib/vflow/emulator
	install -d $(DESTDIR)$(PREFIX)/include/vflow
	install -m 644 collect/include/vflow/pool.h $(DESTDIR)$(PREFIX)/include/vflow
	install -m 644 $(man_pages) $(DESTDIR)$(PREFIX)/share/man/man1
	install -d $(DESTDIR)$(PREFIX)/share/vflow
	install -m 644 advice/vflow-report.schema.json $(DESTDIR)$(PREFIX)/share/vflow
	install -D -m 644 $(BUILD)/completion/vflow.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/vflow
	install -D -m 644 $(BUILD)/completion/vflow.zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_vflow
	install -D -m 644 $(BUILD)/completion/vflow.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/vflow.fish

# The libraries for GPUs are in it where they were built.
deb: all
	@$(MAKE) --no-print-directory deb-built

deb-built:
	@command -v dpkg-shlibdeps >/dev/null || { echo "vflow: make deb needs Debian's package dpkg-dev"; exit 1; }
	@rm -rf $(BUILD)/deb && mkdir -p $(BUILD)/deb
	$(Q)$(MAKE) --no-print-directory install-built DESTDIR=$(abspath $(BUILD))/deb/root PREFIX=/usr >$(BUILD)/deb/log
	@util/package $(BUILD)/deb/root $(BUILD)/deb

clean:
	rm -rf $(BUILD) $(VFLOW)

.PHONY: all packages deps install install-built deb deb-built clean
