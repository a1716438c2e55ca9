# browser.mk: the HTML view in a real browser.  make deps-browser installs Debian's chromium and,
# from npm into the build folder, playwright-core; without them make check-browser skips.

browser_folder = $(BUILD)/browser

deps-browser:
	@tests/install-packages chromium $(if $(shell command -v npm),,nodejs npm)
	@test -e $(browser_folder)/node_modules/playwright-core || \
		npm install --prefix $(browser_folder) --no-audit --no-fund --loglevel=error playwright-core@1

check-browser: all $(patsubst %,$(BUILD)/programs/%,demo exactness memory_waste)
	@BUILD=$(BUILD) VFLOW=$(abspath $(VFLOW)) BROWSER_FOLDER=$(abspath $(browser_folder)) tests/run tests/browser/run

# The pictures of the README: the demo, the flow through its fill_kernel, and the demo corrected.
gallery: all programs deps-browser
	@mkdir -p render/gallery
	@for program in demo demo_corrected; do \
		(cd $(BUILD)/programs && $(abspath $(VFLOW)) collect --quiet --device emulated -o $(abspath $(BUILD))/$$program.db ./$$program >/dev/null); \
	done
	@VFLOW=$(abspath $(VFLOW)) CHROMIUM=$$(command -v chromium) NODE_PATH=$(abspath $(browser_folder))/node_modules \
		node tests/browser/gallery.js $(BUILD)/demo.db \
		$$(sqlite3 $(BUILD)/demo.db "SELECT id FROM vertex WHERE name LIKE '%fill_kernel%'") render/gallery $(BUILD)/demo_corrected.db

.PHONY: deps-browser check-browser gallery
