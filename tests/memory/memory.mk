# SPDX-License-Identifier: MIT
#
# The programs with allocations that fail on request of tests/memory/run. tests/tests.mk includes this file.
# With sanitizers the C library is shared, and its functions that allocate are replaced by name.

MEMORY_WRAPS := pages_new pages_new_large arena_alloc arena_dup arena_printf $(if $(SAN),reallocarray strdup strndup open_memstream \
                fopen opendir fdopendir asprintf vasprintf)
MEMORY_FAILS := $(addprefix -Wl$(comma)--wrap=,$(MEMORY_WRAPS))

tests: $(addprefix $(BUILD)/tests/memory/,cordon cordon-box)
$(BUILD)/tests/memory/cordon: $(CLI_OBJS) $(BUILD)/obj/tests/memory/fail.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(START) $(MEMORY_FAILS) -o $@ $^ $(CLI_LIBS)
$(BUILD)/tests/memory/cordon-box: $(BOX_OBJS) $(BUILD)/obj/tests/memory/fail.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(START) $(MEMORY_FAILS) -o $@ $^ $(BOX_LIBS)
