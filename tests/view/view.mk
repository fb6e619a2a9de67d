# SPDX-License-Identifier: MIT
#
# The programs for the tests of the code view. tests/tests.mk includes this file.

VIEW_TESTS := $(addprefix $(BUILD)/tests/,view-show view-rule view-parts)
tests: $(VIEW_TESTS)

# view-show prints the view of its input, view-rule the expressions of a rule that match its input; see
# tests/cli/view.bats. view-show needs cordon-box beside itself.
$(BUILD)/tests/view-show $(BUILD)/tests/view-rule: $(BUILD)/tests/view-%: \
		$(BUILD)/obj/tests/view/%.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)

# The embedded reader, for tests/view/parts.
$(BUILD)/tests/view-parts: tests/view/parts.c $(GEN)/view_program.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLFLAGS) $(LINK) -o $@ $<
