# SPDX-License-Identifier: MIT
#
# What the tests of the code view are built from; tests/tests.mk includes this file.

VIEW_TESTS := $(addprefix $(BUILD)/tests/,view-show view-rule view-parts)
tests: $(VIEW_TESTS)

# The view of what the first reads, and which of a rule's expressions match what the second reads;
# see tests/cli/view.bats. The first looks for cordon-box beside itself.
$(BUILD)/tests/view-show $(BUILD)/tests/view-rule: $(BUILD)/tests/view-%: \
		$(BUILD)/obj/tests/view/%.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)

# The reader as it is in cordon, for tests/view/parts.
$(BUILD)/tests/view-parts: tests/view/parts.c $(GEN)/view_program.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLFLAGS) $(LINK) -o $@ $<
