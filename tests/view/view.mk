# SPDX-License-Identifier: MIT
#
# What the tests of the code view are built from; tests/tests.mk includes this file.

VIEW_TESTS := $(addprefix $(BUILD)/tests/,view-show view-rule fuzz-smoke-view)
.PHONY: fuzz-run-view
tests: $(VIEW_TESTS)

# The view of what the first reads, and which of a rule's expressions match what the second reads;
# see tests/cli/view.bats. The first looks for cordon-box beside itself.
$(BUILD)/tests/view-show $(BUILD)/tests/view-rule: $(BUILD)/tests/view-%: \
		$(BUILD)/obj/tests/view/%.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)

# The reader's answer, fuzzed.
$(BUILD)/tests/fuzz-smoke-view: $(addprefix $(BUILD)/obj/tests/fuzz/,smoke.o view.o view_seeds.o) \
		$(TEST_LIB)
	@mkdir -p $(@D)
	$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)
$(BUILD)/tests/fuzz-view: tests/fuzz/view.c src/flow/view_parse.c src/scan/utf8.c \
		$(wildcard src/base/*.[ch])
	@mkdir -p $(@D)
	$(FUZZER)
$(BUILD)/tests/fuzz-seeds-view: $(addprefix $(BUILD)/obj/tests/fuzz/,write_seeds.o view_seeds.o)
	@mkdir -p $(@D)
	$(CC) $(LINK) -o $@ $^
fuzz: fuzz-run-view
fuzz-run-view: $(BUILD)/tests/fuzz-view $(BUILD)/tests/fuzz-seeds-view
	@mkdir -p $(BUILD)/fuzz/view
	$(BUILD)/tests/fuzz-seeds-view $(BUILD)/fuzz/view
	cd $(BUILD)/fuzz && ../tests/fuzz-view -max_total_time=$(or $(FUZZ_SECONDS),60) \
		-max_len=65536 -print_final_stats=1 view
