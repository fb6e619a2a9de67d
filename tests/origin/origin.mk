# SPDX-License-Identifier: MIT
#
# What attribution is worth, measured: tests/origin/measure. tests/tests.mk includes this file.

ORIGIN_TESTS := $(addprefix $(BUILD)/tests/origin/,chance recall)

tests: $(ORIGIN_TESTS)
$(ORIGIN_TESTS): $(BUILD)/tests/origin/%: $(BUILD)/obj/tests/origin/%.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)
