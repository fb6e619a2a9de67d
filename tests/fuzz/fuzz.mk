# SPDX-License-Identifier: MIT
#
# What is fuzzed, a word each: tests/fuzz/NAME.c takes bytes, NAME_seeds.c gives the first ones.
# The smoke runs in `make test`; `make fuzz FUZZ_SECONDS=600` is the long way, with libFuzzer and
# both sanitizers, each target with its own corpus. tests/tests.mk includes this file.

FUZZ      := egress telemetry spec yaml config policy atoms approval trees event scan decode db view unpack store warm lines mcp executor
FUZZ_BINS := $(addprefix $(BUILD)/tests/fuzz-smoke-,$(FUZZ))
FUZZ_LIB  := $(BUILD)/fuzz/libcordon-fuzz.a
FUZZ_OBJS := $(patsubst $(BUILD)/obj/%,$(BUILD)/fuzz/obj/%,$(TEST_OBJS))
FUZZ_FLAGS = -std=c17 -D_GNU_SOURCE -g -O1 -fno-omit-frame-pointer -Isrc -I$(GEN) -MMD -MP \
             -DCORDON_LIBEXEC='"$(LIBEXECDIR)"' -DCORDON_SHARE='"$(SHAREDIR)"' -fsanitize=$(1),address,undefined \
             -fno-sanitize-recover=all
# An expression that explodes is stopped by our own limit, which takes a while here.
FUZZ_MORE_scan := -max_len=4096 -timeout=10
FUZZ_MORE_db   := -max_len=4096 -timeout=10

.PHONY: fuzz $(addprefix fuzz-run-,$(FUZZ))
tests: $(FUZZ_BINS)

$(FUZZ_BINS): $(BUILD)/tests/fuzz-smoke-%: $(BUILD)/obj/tests/fuzz/smoke.o \
		$(BUILD)/obj/tests/fuzz/%.o $(BUILD)/obj/tests/fuzz/%_seeds.o \
		$(BUILD)/obj/tests/fuzz/seeds.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)
$(BUILD)/tests/fuzz-seeds-%: $(BUILD)/obj/tests/fuzz/write_seeds.o \
		$(BUILD)/obj/tests/fuzz/%_seeds.o $(BUILD)/obj/tests/fuzz/seeds.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)

$(BUILD)/fuzz/obj/%.o: %.c Makefile tests/fuzz/fuzz.mk $(GEN)/filters.h $(GEN)/view_program.h $(GEN)/build_id.h
	@mkdir -p $(@D)
	$(Q)clang $(call FUZZ_FLAGS,fuzzer-no-link) -c -o $@ $<
$(FUZZ_LIB): $(FUZZ_OBJS)
	@rm -f $@
	$(Q)ar rcs $@ $^
$(BUILD)/tests/fuzz-%: tests/fuzz/%.c $(FUZZ_LIB)
	@mkdir -p $(@D)
	$(Q)clang $(call FUZZ_FLAGS,fuzzer) -o $@ $^ $(filter-out -Wl%,$(CLI_LIBS)) $(MEMORY)

fuzz: $(addprefix fuzz-run-,$(FUZZ))
$(addprefix fuzz-run-,$(FUZZ)): fuzz-run-%: $(BUILD)/tests/fuzz-% $(BUILD)/tests/fuzz-seeds-%
	@mkdir -p $(BUILD)/fuzz/$*
	$(BUILD)/tests/fuzz-seeds-$* $(BUILD)/fuzz/$*
	cd $(BUILD)/fuzz && ../tests/fuzz-$* -max_total_time=$(or $(FUZZ_SECONDS),60) $(addprefix -seed=,$(FUZZ_SEED)) \
		$(or $(FUZZ_MORE_$*),-max_len=65536) -verbosity=0 -print_final_stats=1 $*

# Which texts take a scan the longest (it only tells): FUZZ_SECONDS, with the public pack's rules.
.PHONY: fuzz-slowest
$(BUILD)/tests/slowest: $(BUILD)/obj/tests/fuzz/slowest.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)
fuzz-slowest: $(BUILD)/tests/slowest
	@BUILD=$(BUILD) tests/atr/run slowest $(or $(FUZZ_SECONDS),300)
tests: $(BUILD)/tests/slowest

-include $(shell find $(BUILD)/fuzz/obj -name '*.d' 2>/dev/null)
