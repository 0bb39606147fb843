# The commands of the README. The build itself is CMake's (CMakePresets.json).

BUILD ?= build
JOBS ?= $(shell nproc)

.PHONY: help run configure build test test-interop test-services bench asan tsan fuzz format check deps clean

help:
	@echo 'make run             install what is missing, build the program, and run the example pipeline'
	@echo 'make test            install what is missing, build, and run the tests'
	@echo 'make build           only build: $(BUILD)/weir and $(BUILD)/weir-bench'
	@echo 'make bench           measure, beside Java Paimon where it can be found'
	@echo 'make asan | tsan     the tests under AddressSanitizer + UBSan, or ThreadSanitizer'
	@echo 'make fuzz            ten minutes of fuzzing for each parser of bytes (SECONDS_EACH=600)'
	@echo 'make test-interop    the tests against real Java Paimon (needs WEIR_SHARED)'
	@echo 'make test-services   the tests against real servers (needs WEIR_SHARED); ONLY=test_hdfs for some of them'
	@echo 'make format check    clang-format; clang-tidy and the include rules'

deps:
	@tools/deps.sh

configure: deps
	@cmake --preset release -B $(BUILD) -G Ninja > $(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log

build: configure
	@cmake --build $(BUILD) --parallel $(JOBS)

# The program, the library and what makes the example's data: done sooner than everything.
run: configure
	@cmake --build $(BUILD) --parallel $(JOBS) --target weir libweir.so weir-orders-generate
	@examples/orders/run.sh $(BUILD)

test: build
	@ctest --test-dir $(BUILD) --output-on-failure --parallel $(JOBS)

test-interop: build
	@tests/interop/run.sh $(BUILD)

test-services: build
	@tests/services/run.sh $(BUILD) $(ONLY)

bench: build
	@bench/run.sh $(BUILD)

asan tsan: deps
	@cmake --preset $@ -G Ninja
	@cmake --build build-$@ --parallel $(JOBS)
	@ctest --test-dir build-$@ --output-on-failure --parallel $(JOBS)

fuzz:
	@tools/fuzz.sh $(or $(SECONDS_EACH),600)

format:
	@tools/deps.sh --check
	@git ls-files 'src/*.[ch]' 'include/*.h' 'tests/*.[ch]' 'bench/*.[ch]' 'examples/*.c' | xargs clang-format-19 -i

check: build
	@tools/deps.sh --check
	@tools/check-includes.sh
	@tools/check-architecture.sh
	@git ls-files 'src/*.c' | xargs clang-tidy-19 -p $(BUILD) --quiet

clean:
	rm -rf $(BUILD) build-asan build-tsan build-fuzz build-debug tmp
