# SPDX-License-Identifier: MIT
#
# Tests of the store that run against every backend: each is one program, tests/store/run says on
# which database. tests/tests.mk includes this file.

STORE_TESTS := $(addprefix $(BUILD)/tests/store/,contract tamper)

tests: $(STORE_TESTS)
$(STORE_TESTS): $(BUILD)/tests/store/%: $(BUILD)/obj/tests/store/%.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)
