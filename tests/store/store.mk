# SPDX-License-Identifier: MIT
#
# Tests of the store that run against every backend: each is one program, tests/store/run says on
# which database. tests/tests.mk includes this file.

STORE_TESTS := $(addprefix $(BUILD)/tests/store/,contract tamper story rotate heads in_force kill sqlite measure)

tests: $(STORE_TESTS)
# cordon-postgres is looked for beside the program.
tests: $(if $(PG_PROGRAM),$(BUILD)/tests/store/cordon-postgres)
$(BUILD)/tests/store/cordon-postgres: $(PG_PROGRAM)
	@mkdir -p $(@D)
	ln -sf ../../cordon-postgres $@
$(STORE_TESTS): $(BUILD)/tests/store/%: $(BUILD)/obj/tests/store/%.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)
