# make demo builds everything and writes text; make test tests it. Both install what
# they need first. The CMake presets (CMakePresets.json) do the building.

# ccache, where it is installed.
export TANDEM_COMPILER_LAUNCHER ?= $(shell command -v ccache 2>/dev/null)

# Two jobs at most; the presets say so.
BUILD = cmake --build --preset
SOURCES = git ls-files '*.h' '*.cpp'
TEST_PRESETS = release $(if $(TANDEM_SKIP_ASAN),,asan)

.PHONY: help setup build demo test test-release test-asan test-tsan bench compare docs format lint clean
.NOTPARALLEL:

help: ## Lists these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22

setup: ## Installs the packages and oneDNN; does nothing where they are there
	@scripts/setup

build: setup build/build.ninja ## Builds build/bin/tandem and the other tools
	@$(BUILD) release

demo: setup build/build.ninja ## Compiles the default model and writes with it
	@$(BUILD) release --target tandem
	build/bin/tandem run --prompt "ROMEO:" -n 120

test: setup ## Runs every test, then again with ASan and UBSan (not with TANDEM_SKIP_ASAN=1)
	@scripts/run-tests $(TEST_PRESETS)

test-release: setup ## Runs every test once
	@scripts/run-tests release

test-asan: setup ## Runs every test with ASan and UBSan
	@scripts/run-tests asan

test-tsan: setup ## Runs the tests of threads with ThreadSanitizer; not part of test
	@scripts/run-tests tsan

bench: build ## Measures GPT-2 of 124M: eager and compiled, without and with the cache
	build/bin/tandem init gpt2 -o build/gpt2
	build/bin/tandem bench build/gpt2

compare: build ## Measures other programs beside it; the first time installs them, 7 GB
	tools/compare/run

docs: setup build/build.ninja ## Writes the reference of ops and passes to build/docs
	@$(BUILD) release --target docs

format: ## Lays the sources out with clang-format
	@scripts/setup --lint
	$(SOURCES) | xargs clang-format-19 -i

lint: build ## Checks layout, and names in the sources that include no MLIR
	@scripts/setup --lint
	$(SOURCES) | xargs clang-format-19 --dry-run --Werror
	git ls-files 'support/*.cpp' 'runtime/*.cpp' 'backend/*.cpp' | grep -v -e lowering -e OneDnn | \
	  xargs -P 2 -n 1 clang-tidy-19 -p build --quiet \
	  --extra-arg=-Wno-unknown-warning-option \
	  --extra-arg=-idirafter$$(g++ -print-file-name=include)

clean: ## Removes every build folder
	rm -rf build build-dev build-asan build-tsan

build/build.ninja:
	cmake --preset release
