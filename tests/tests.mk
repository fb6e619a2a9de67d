# SPDX-License-Identifier: MIT
#
# Builds the tests. The Makefile includes this file and provides BUILD, CC, ALLFLAGS, LINK, GEN, BOX_OBJS
# and CLI_OBJS. A unit test is one file: tests/unit/test_NAME.c becomes build/tests/unit/NAME. Most of
# these are names of one program, build/tests/units, which runs the test that it is called by: one link
# instead of a hundred, and still a process for each test. Probes and their runner are always plain and
# static: they run in virtual machines without libraries.

UNIT_NAMES := $(patsubst tests/unit/test_%.c,%,$(wildcard tests/unit/test_*.c))
# The virtual machines run no cordon-egress, and have none of its libraries; nor ssh-keygen.
KEYGEN_NAMES := approval $(addprefix approval_,ended hostile people property race)
UNIT_NAMES := $(if $(CROSS),$(filter-out egress_% $(KEYGEN_NAMES),$(UNIT_NAMES)),$(UNIT_NAMES))
UNIT_BINS  := $(addprefix $(BUILD)/tests/unit/,$(UNIT_NAMES))
# These replace functions of the program, wrap calls, or leave objects out: each has its own link.
OWN_LINK   := approval approval_ended approval_fields approval_hostile approval_people approval_property approval_queue \
              approval_race ssh_keygen cgroup creds decode double gate_again gate_properties gate_start memory normal \
              overlay_kill redact unread warm warm_damage watch
JOINT      := $(filter-out $(OWN_LINK) egress_%,$(UNIT_NAMES))
JOINT_OBJS := $(JOINT:%=$(BUILD)/obj/joint/%.o)
ATTACK_RUNNER := $(addprefix tests/attacks/,run.c stage.c world.c canaries.c launch.c outcome.c \
                 judge.c hostchecks.c boxes.c)
ATTACK_PROBES := $(filter-out $(ATTACK_RUNNER),$(wildcard tests/attacks/*.c))
ATTACK_BINS   := $(if $(ATTACK_PROBES),$(BUILD)/tests/attacks-run $(BUILD)/tests/probes)
TEST_LIB   := $(BUILD)/tests/libcordon-test.a
TEST_OBJS  := $(filter-out %/main.o,$(sort $(BOX_OBJS) $(CLI_OBJS) $(if $(CROSS),,$(EGRESS_OBJS))))
PLAIN_FLAGS = $(filter-out -fsanitize% -fno-sanitize% -O1,$(ALLFLAGS)) -O2
PLAIN_LINK  = -static -Wl,-z,relro,-z,now,-z,noexecstack \
              $(if $(SYSROOT),-L$(SYSROOT)/usr/lib/$(ARCH)-linux-gnu)

.PHONY: tests kernels-bin test
.SECONDARY:
tests: $(UNIT_BINS) $(ATTACK_BINS) $(BUILD)/tests/kill $(BUILD)/tests/yaml-json \
       $(BUILD)/tests/atr-replay $(BUILD)/tests/atr-compare $(BUILD)/tests/atr-verdicts \
       $(BUILD)/tests/scan-engine $(BUILD)/tests/rules-pack $(BUILD)/tests/measure \
       $(BUILD)/tests/rules-tree-cache $(BUILD)/tests/rules-warm $(BUILD)/tests/scan-start
kernels-bin: $(BUILD)/cordon $(BUILD)/cordon-box $(BUILD)/cordon-probe $(UNIT_BINS) $(ATTACK_BINS)

# Two makes, because the packages that the first installs decide how the second builds. With sanitizers gcc
# warns of sizes that it no longer knows, so there warnings are no errors.
test: deps
	@$(MAKE) --no-print-directory $(PARALLEL) $(if $(SAN),,WERROR=1) all mutants tests
	@BUILD=$(BUILD) tests/run $(SUITES)

# ar adds to an archive that is there: objects of deleted sources would stay in it.
$(TEST_LIB): $(TEST_OBJS)
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(if $(CROSS),$(CROSS)-linux-gnu-)ar rcs $@ $^

# Tests need no second pass of the optimizer, and compile in two thirds of the time.
$(BUILD)/obj/joint/%.o $(BUILD)/obj/tests/unit/%.o: OPT := $(OPT:-O2=-O1)

# Each joint test's main function gets a name of its own. A joint test must define nothing else that is
# global: it could replace a function for all others.
$(BUILD)/obj/joint/%.o: tests/unit/test_%.c Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLFLAGS) -Dmain=unit_$* -Wno-missing-prototypes -c -o $@ $<
$(GEN)/units.h: FORCE
	@mkdir -p $(@D)
	@printf 'UNIT(%s)\n' $(JOINT) | cmp -s - $@ || printf 'UNIT(%s)\n' $(JOINT) >$@
$(BUILD)/obj/tests/unit/units.o: $(GEN)/units.h
$(BUILD)/tests/units: $(BUILD)/obj/tests/unit/units.o $(JOINT_OBJS) $(addprefix $(BUILD)/obj/tools/,bpf.o branch.o) $(TEST_LIB)
	@mkdir -p $(@D)
	@nm -A -g --defined-only $(JOINT_OBJS) | awk '$$3 !~ /^unit_/ { print $$1 " " $$3 ": add the test to OWN_LINK"; bad = 1 } END { exit bad }'
	$(Q)$(CC) $(LINK) -o $@ $(filter %.o,$^) $(TEST_LIB) $(CLI_LIBS)
$(JOINT:%=$(BUILD)/tests/unit/%): $(BUILD)/tests/units
	@mkdir -p $(@D)
	@ln -f $< $@
$(patsubst %,$(BUILD)/tests/unit/%,$(filter-out gate_%,$(OWN_LINK))): $(BUILD)/tests/unit/%: $(BUILD)/obj/tests/unit/test_%.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $(filter %.o,$^) $(TEST_LIB) $(CLI_LIBS)

# Without the box, whose gate is another one.
$(addprefix $(BUILD)/tests/unit/gate_,properties start again): $(BUILD)/tests/unit/%: \
		$(BUILD)/obj/tests/unit/test_%.o $(filter-out $(BUILD)/obj/src/door/cli/%,$(CLI_OBJS))
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)

# With what cordon-egress is linked with, which is not static.
$(BUILD)/tests/unit/egress_%: $(BUILD)/obj/tests/unit/test_egress_%.o $(filter-out %/egress/main.o,$(EGRESS_OBJS))
	@mkdir -p $(@D)
	$(Q)$(CC) $(EGRESS_LINK) -o $@ $^ -lssl -lcrypto

# Runs a program under a conversation's overlay; see tests/cli/overlay.bats.
tests: $(BUILD)/tests/overlay-run
$(BUILD)/tests/overlay-run: $(BUILD)/obj/tests/overlay/run.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)

# The MCP server with the tools of the conformance suite; see tests/mcp/run.
tests: $(BUILD)/tests/mcp-fixture
$(BUILD)/tests/mcp-fixture: $(BUILD)/obj/tests/mcp/fixture.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)

# Delivers a message; see tests/cli/deliver.bats.
tests: $(BUILD)/tests/deliver-send
$(BUILD)/tests/deliver-send: $(BUILD)/obj/tests/deliver/send.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)

# Compares with what Node.js says; see tests/atr/run.
$(BUILD)/tests/atr-replay $(BUILD)/tests/atr-verdicts: $(BUILD)/tests/atr-%: \
		$(BUILD)/obj/tests/atr/%.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)

# Compares a scan with asking every pattern; see tests/atr/run.
$(BUILD)/tests/atr-compare: $(BUILD)/obj/tests/atr/compare.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)

# What texts that are meant to be slow take; see tests/atr/run.
tests: $(BUILD)/tests/atr-worst
$(BUILD)/tests/atr-worst: $(BUILD)/obj/tests/atr/worst.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)

# Our half of the scan benchmark; tests/bench/scan/run gives it its events.
$(BUILD)/tests/scan-engine: $(BUILD)/obj/tests/bench/scan/engine.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)

# What a fresh process pays before it knows about one program.
$(BUILD)/tests/scan-start: $(BUILD)/obj/tests/bench/scan/start.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)

# These test a part of the build.
$(addprefix $(BUILD)/obj/,joint/bpf.o joint/branch.o tools/bpf.o tools/branch.o): ALLFLAGS += -I.

# These count what the scanner does (tests/unit/steps.h): it is compiled for them once more.
STEPS_BINS := $(addprefix $(BUILD)/tests/unit/,decode normal redact double)
STEPS_OBJS := $(patsubst %.c,$(BUILD)/obj/steps/%.o,$(wildcard src/scan/text/*.c src/base/utf8.c))
$(filter-out %/redact,$(STEPS_BINS)): $(STEPS_OBJS)
# From a file's bytes to its findings.
$(BUILD)/tests/unit/double: $(patsubst %.c,$(BUILD)/obj/steps/%.o,$(wildcard src/detect/*.c \
	src/base/arena.c src/scan/regex/*.c $(filter-out %_cache.c,$(wildcard src/scan/find/*.c))))
$(BUILD)/tests/unit/redact: $(BUILD)/obj/steps/src/store/redact.o
$(STEPS_BINS): LINK += $(addprefix -Wl$(comma)--wrap=,memchr memcpy memmove memset memcmp memmem)
$(BUILD)/obj/steps/%.o: %.c Makefile tests/tests.mk
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLFLAGS) -U_FORTIFY_SOURCE -fsanitize-coverage=trace-pc -c -o $@ $<

# The made-up cgroup file system of this one hooks into two calls.
$(BUILD)/tests/unit/cgroup: LINK += -Wl,--wrap=mkdirat,--wrap=unlinkat

# This one ends before any call that changes a file, and runs out of memory.
$(BUILD)/tests/unit/overlay_kill: LINK += $(addprefix -Wl$(comma)--wrap=,renameat unlinkat mkdirat mknodat linkat symlinkat fchmod sendfile io_write_all fsetxattr syncfs)

# Somebody else comes between a flag and the call that it is for.
$(BUILD)/tests/unit/egress_call: EGRESS_LINK += -Wl,--wrap=connect

# This one has a clock of its own, and fills a socket before TLS writes to it.
$(BUILD)/tests/unit/egress_relay_late: EGRESS_LINK += -Wl,--wrap=io_now_ns,--wrap=getsockopt,--wrap=SSL_CTX_new

# This one is told first that a program is the same, then not.
$(BUILD)/tests/unit/gate_start: LINK += -Wl,--wrap=payload_is_same

# Memory can be taken away from this one.
$(BUILD)/tests/unit/memory: LINK += -Wl,--wrap=calloc,--wrap=asprintf,--wrap=__asprintf_chk

# These have a clock of their own, and count what is read.
$(BUILD)/tests/unit/warm $(BUILD)/tests/unit/warm_damage: LINK += $(addprefix -Wl$(comma)--wrap=,stamp_now stamp_boot cache_file_verify io_read_full)

# This one looks at the filters of both architectures, whichever is being built for.
$(BUILD)/gen/%/filters.h: $(BUILD)/mkfilter
	@mkdir -p $(@D)
	$(BUILD)/mkfilter $* $(@D)
$(BUILD)/obj/joint/filter.o: ALLFLAGS += -I$(BUILD)/gen
$(BUILD)/obj/joint/filter.o: $(BUILD)/gen/aarch64/filters.h $(BUILD)/gen/x86_64/filters.h

$(BUILD)/tests/attacks-run: $(patsubst %.c,$(BUILD)/plain/%.o,$(ATTACK_RUNNER))
	@mkdir -p $(@D)
	$(Q)$(CC) $(PLAIN_LINK) -o $@ $^ -ljansson
$(BUILD)/tests/probes: $(patsubst %.c,$(BUILD)/plain/%.o,$(ATTACK_PROBES))
	@mkdir -p $(@D)
	$(Q)$(CC) $(PLAIN_LINK) -o $@ $^
$(BUILD)/tests/kill: $(BUILD)/plain/tests/kill/kill.o $(BUILD)/plain/tests/kill/step.o $(BUILD)/plain/tests/kill/traces.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(PLAIN_LINK) -o $@ $^
$(BUILD)/plain/%.o: %.c Makefile tests/tests.mk
	@mkdir -p $(@D)
	$(Q)$(CC) $(PLAIN_FLAGS) -c -o $@ $<

include tests/fuzz/fuzz.mk

# What a pack of rules says of itself; how much of the corpora it flags (tests/corpora/measure).
$(BUILD)/tests/rules-pack: $(BUILD)/obj/tests/rule/pack.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS) -lm
# A pack from the cache equals the pack.
$(BUILD)/tests/rules-tree-cache: $(BUILD)/obj/tests/rule/tree_cache.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)
# A scan with the cached file of all that it needs gives the same result; its clock is ahead.
$(BUILD)/tests/rules-warm: LINK += -Wl,--wrap=stamp_now
$(BUILD)/tests/rules-warm: $(BUILD)/obj/tests/rule/warm.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)
$(BUILD)/tests/measure: $(BUILD)/obj/tests/corpora/measure.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS) -lm

# What the YAML reader makes of files, for comparison with the reference's.
$(BUILD)/tests/yaml-json: $(BUILD)/obj/tests/rule/dump.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)

# What a run does at the gate, for tests/cli/approvals.bats.
tests: $(BUILD)/tests/approval-ask
$(BUILD)/tests/approval-ask: $(BUILD)/obj/tests/approval/ask.o $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)

include tests/memory/memory.mk
include tests/view/view.mk
include tests/store/store.mk
include tests/origin/origin.mk

-include $(shell find $(BUILD)/plain -name '*.d' 2>/dev/null)

# The live box; see tests/live.
tests: $(BUILD)/tests/live
$(BUILD)/tests/live: $(addprefix $(BUILD)/obj/tests/live/,test.o box.o) $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(CLI_LIBS)
