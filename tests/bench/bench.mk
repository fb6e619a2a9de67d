# SPDX-License-Identifier: MIT
# Builds the benchmark's program; included by the Makefile, which says how objects are made.
# Not part of `make test`: there no time decides anything.
BENCH_OBJS := $(call objs,$(sort $(wildcard tests/bench/*.c)),)
$(BUILD)/bench: $(BENCH_OBJS)
	$(Q)$(CC) $(if $(SAN),-fsanitize=address$(comma)undefined) -pie -o $@ $^ -ljansson
$(BENCH_OBJS): tests/bench/bench.h
bench: $(BUILD)/bench $(BUILD)/box/cordon

# The box without the gate, to be measured beside peers that have none.
$(BUILD)/box/cordon: $(filter-out %/src/flow/run.o,$(CLI_OBJS)) $(BUILD)/obj/tests/bench/box/run.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(START) -o $@ $^ $(CLI_LIBS)

# Our literal matcher beside a library's, where that is installed (libvectorscan-dev, libhyperscan-dev).
$(BUILD)/tests/scan-literals: $(BUILD)/obj/tests/bench/scan/literals.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(PG_LINK) -o $@ $^ -lhs $(CLI_LIBS)
bench: $(if $(shell pkg-config --exists libhs 2>/dev/null && echo yes),$(BUILD)/tests/scan-literals)

# Starts in a live box, through the gate and without it; also for tests/cli/box_many.bats.
tests: $(BUILD)/live-starts
$(BUILD)/live-starts: $(BUILD)/obj/tests/bench/live/starts.o $(filter-out $(BUILD)/obj/src/door/cli/%,$(CLI_OBJS))
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)
