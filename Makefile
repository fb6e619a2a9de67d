# SPDX-License-Identifier: MIT
#
#   make        every program and the library, in build/
#   make run    install what is missing, build, play the demonstration
#   make test   install what is missing, build, run the tests
#   make check-all              make test, and every long test: before a release
#   make deb    Debian packages, in build/deb; make wheel: the Python client, in build/wheel
#   make goal-gate | goal-verify | goal-corpus CORPUS=FILE      the gate's goals: status 0 when met
#   make goal-conversations                                     questions and effects of whole conversations
#   make goal-utility [CORPUS=FILE]                             programs of Debian's and npm's packages give the same in the box
#   make bench | fuzz | soak | kernels | releases | analyze     the longer things
#   V=1         shows each command
#   SAN=1       everything with ASan and UBSan, in build/san
#   CROSS=x86_64|aarch64 SYSROOT=DIR BUILD=DIR kernels-bin     for the other architecture

comma    := ,
Q         = $(if $(V),,@printf '  %s\n' $@; )
ARCH     := $(or $(CROSS),$(shell uname -m))
BUILD    ?= $(if $(SAN),build/san,build)
CC       := $(if $(CROSS),$(CROSS)-linux-gnu-gcc,$(CC))
HOSTCC   ?= cc
GEN      := $(BUILD)/gen/$(ARCH)

WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef \
            -Wformat=2 -Wpointer-arith
HARDEN   := -fstack-protector-strong $(if $(findstring clang,$(CC)),,-fstack-clash-protection) -fPIE -fvisibility=hidden \
            $(if $(filter x86_64,$(ARCH)),-fcf-protection,-mbranch-protection=standard)
OPT      := $(if $(SAN),-O1 -fsanitize=address$(comma)undefined -fno-sanitize-recover=all \
            -fno-omit-frame-pointer,-O2 -D_FORTIFY_SOURCE=2)
CFLAGS   ?= -g
ALLFLAGS  = -std=c17 -D_GNU_SOURCE $(WARN) $(if $(WERROR),-Werror) $(HARDEN) $(OPT) $(CFLAGS) -Isrc -I$(GEN) \
            $(if $(SYSROOT),-isystem $(SYSROOT)/usr/include) -MMD -MP
LINK      = $(if $(SAN),-pie -fsanitize=address$(comma)undefined tools/sanitize.c,-static-pie) \
            -Wl,-z,relro,-z,now,-z,noexecstack,--gc-sections \
            $(if $(SYSROOT),-L$(SYSROOT)/usr/lib/$(ARCH)-linux-gnu)
# What is started for every run begins in src/base/entry_point.c.
START     = $(LINK) $(if $(SAN),,-Wl$(comma)-e$(comma)entry_point)

BASE  := $(wildcard src/base/*.c)
# Without what needs nettle.
PLAIN := $(filter-out src/base/digest.c src/base/cache_file.c,$(BASE))
MODEL := $(wildcard src/model/*.c)
BOX   := $(wildcard src/box/*.c)
PROBE := $(wildcard src/probe/*.c)
# Folders that every run uses come first: their code is adjacent in the program, so fewer pages are mapped.
CLI   := $(wildcard src/flow/*.c src/gate/*.c src/read/*.c src/live/*.c src/door/*.c src/door/executor/*.c src/door/mcp/*.c src/door/cli/*.c src/show/*.c src/conf/*.c src/store/*.c src/yaml/*.c src/policy/*.c src/trust/*.c src/trust/evidence/*.c src/approval/*.c src/rule/*.c src/scan/*/*.c src/detect/*.c src/overlay/*.c)
# What cordon links; cordon-box gets none of the parsers. Of libarchive only tar and gzip are used: so it
# needs zlib and none of the other libraries that its pkg-config names.
CLI_LIBS  = -ljansson -lyaml -lsodium -lnettle -lpcre2-8 -lutf8proc -larchive -lz -lsqlite3 $(LIBM) $(if $(SAN),,$(NOLOAD)) $(MEMORY)
BOX_LIBS  = -lnettle $(MEMORY)
# A failed allocation is noted, also one of a library: see src/base/memory.h.
MEMORY   := -Wl,-u,__wrap_malloc,--wrap=malloc,--wrap=calloc,--wrap=realloc
# The cross toolchain's libm.a is a script with the paths of a native one: its parts by name.
LIBM     := $(or $(if $(CROSS),$(wildcard $(addprefix /usr/$(CROSS)-linux-gnu/lib/,libm-*.a libmvec.a))),-lm)
# SQLite can load extensions, which a static program must not: see src/store/noload.c.
NOLOAD   := -Wl,-u,__wrap_dlopen,--wrap=dlopen,--wrap=dlsym,--wrap=dlclose,--wrap=dlerror

objs   = $(patsubst %.c,$(BUILD)/obj/$(2)%.o,$(1))
BOX_OBJS := $(call objs,$(BASE) $(MODEL) $(BOX),)
# It puts up layers as cordon-box does, with the same code; no line of it is in cordon-box.
PROBE_OF := $(filter-out src/box/main.c,$(BOX)) $(PROBE)
PROBE_OBJS := $(call objs,$(BASE) $(MODEL) $(PROBE_OF),)
CLI_OBJS := $(call objs,$(BASE) $(MODEL) $(CLI),)
# The test build that can leave a layer out shares every object but these.
MUTABLE  := $(BOX) $(PROBE) src/live/launch.c
mutant_objs = $(call objs,$(filter-out $(MUTABLE),$(1)),) $(call objs,$(filter $(MUTABLE),$(1)),mutant/)
MUT_BOX  := $(call mutant_objs,$(BASE) $(MODEL) $(BOX))
MUT_PROBE := $(call mutant_objs,$(BASE) $(MODEL) $(PROBE_OF))
MUT_CLI  := $(call mutant_objs,$(BASE) $(MODEL) $(CLI))

# The client of a database server: not static, because its library is not. Without the library there
# is no such program, and a store in a server says so.
HAS_PQ    := $(if $(CROSS)$(SYSROOT),,$(wildcard /usr/include/postgresql/libpq-fe.h))
POSTGRES  := $(wildcard src/postgres/*.c) $(addprefix src/store/,rpc.c buf.c kinds.c)
PG_LINK    = $(if $(SAN),$(LINK),-pie -Wl,-z,relro,-z,now,-z,noexecstack,--gc-sections)
PG_PROGRAM := $(if $(HAS_PQ),$(BUILD)/cordon-postgres)

# The library: a client of the program, not the program itself. Only what lib/libcordon.map names is seen.
VERSION   := $(shell sed -n 's/^\#define CORDON_VERSION "\(.*\)"/\1/p' src/base/version.h)
LIB       := $(wildcard lib/*.c)
LIBRARY   := $(if $(CROSS)$(SAN),,$(BUILD)/libcordon.so.$(VERSION))

# Holds live boxes between commands.
KEEPER_OBJS := $(call objs,$(BASE) $(MODEL) $(wildcard src/keeper/*.c src/overlay/*.c),)

# Connects for boxes. Not static: the system's resolver loads what the host is configured to ask.
EGRESS   := $(wildcard src/egress/*.c)
EGRESS_LINK = $(PG_LINK) -pthread $(MEMORY)
EGRESS_OBJS := $(call objs,$(PLAIN) $(EGRESS) src/policy/net.c,)

# Sends messages to a URL. Not static, as cordon-egress.
NOTIFY_OBJS := $(call objs,$(PLAIN) $(wildcard src/notify/*.c),)

.PHONY: check-all reference parity clang-syntax deb wheel all run test bench goal-gate goal-verify goal-corpus goal-conversations goal-utility fuzz soak kernels releases kernels-bin mutants tests deps lint analyze clean install FORCE
all: $(BUILD)/cordon $(BUILD)/cordon-box $(BUILD)/cordon-keeper $(BUILD)/cordon-probe $(BUILD)/cordon-egress $(BUILD)/cordon-notify $(PG_PROGRAM) $(LIBRARY)

$(BUILD)/libcordon.so.$(VERSION): $(patsubst %.c,$(BUILD)/shared/%.o,$(LIB)) lib/libcordon.map
	$(Q)$(CC) -shared -Wl,-soname,libcordon.so.0,--version-script=lib/libcordon.map,-z,relro,-z,now,-z,noexecstack,-z,defs \
		-o $@ $(filter %.o,$^) -ljansson
$(BUILD)/shared/%.o: %.c lib/private.h include/cordon.h Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c17 -D_GNU_SOURCE $(WARN) $(if $(WERROR),-Werror) -fstack-protector-strong -fPIC -fvisibility=default \
		-O2 -D_FORTIFY_SOURCE=2 $(CFLAGS) -DCORDON_PROGRAM='"$(PREFIX)/bin/cordon"' -Iinclude -Ilib -c -o $@ $<

$(BUILD)/cordon: $(CLI_OBJS)
	$(Q)$(CC) $(START) -o $@ $^ $(CLI_LIBS)
$(BUILD)/cordon-box: $(BOX_OBJS)
	$(Q)$(CC) $(START) -o $@ $^ $(BOX_LIBS)
$(BUILD)/cordon-probe: $(PROBE_OBJS)
	$(Q)$(CC) $(LINK) -o $@ $^ $(BOX_LIBS)

$(BUILD)/cordon-keeper: $(KEEPER_OBJS)
	$(Q)$(CC) $(LINK) -o $@ $^ $(BOX_LIBS)

$(BUILD)/cordon-postgres: $(call objs,$(PLAIN) $(POSTGRES),)
	$(Q)$(CC) $(PG_LINK) -o $@ $^ -lpq $(MEMORY)

$(BUILD)/cordon-egress: $(EGRESS_OBJS)
	$(Q)$(CC) $(EGRESS_LINK) -o $@ $^ -lssl -lcrypto

$(BUILD)/cordon-notify: $(NOTIFY_OBJS)
	$(Q)$(CC) $(PG_LINK) -o $@ $^ -lcurl -lcrypto $(MEMORY)

# Test builds in which a layer can be left out; see src/box/mutant.c.
mutants: $(addprefix $(BUILD)/mutant/,cordon cordon-box cordon-probe)
$(BUILD)/mutant/cordon: $(MUT_CLI)
	@mkdir -p $(@D)
	$(Q)$(CC) $(START) -o $@ $^ $(CLI_LIBS)
$(BUILD)/mutant/cordon-box: $(MUT_BOX)
	@mkdir -p $(@D)
	$(Q)$(CC) $(START) -o $@ $^ $(BOX_LIBS)
$(BUILD)/mutant/cordon-probe: $(MUT_PROBE)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(BOX_LIBS)

# The system call filter is compiled when Cordon is, never when it runs.
$(BUILD)/mkfilter: tools/mkfilter.c tools/bpf.c tools/bpf.h tools/branch.c tools/branch.h src/box/syscalls.def src/box/syscalls_refused.def src/box/filter.h
	@mkdir -p $(@D)
	$(HOSTCC) -std=c17 -O1 -D_GNU_SOURCE -Wall -Wextra -Isrc -I. -o $@ $(filter %.c,$^) -lseccomp
$(GEN)/filters.h: $(BUILD)/mkfilter
	@mkdir -p $(@D)
	$(BUILD)/mkfilter $(ARCH) $(@D)
$(BUILD)/obj/src/box/filter.o $(BUILD)/obj/mutant/src/box/filter.o: $(GEN)/filters.h

# The reader of code that runs in the box is a part of cordon: Python modules, in a header. Compiled
# too, if there is a Python here: the same one in the box takes them as they are, any other compiles
# their sources each time, which takes longer.
VIEW_FIRST  := runtime/python/parts.py
VIEW_PY     := $(VIEW_FIRST) $(filter-out $(VIEW_FIRST),$(sort $(wildcard runtime/python/*.py)))
VIEW_PYTHON ?= $(wildcard /usr/bin/python3)
VIEW_BOOT   := $(sort $(wildcard runtime/boot/*.py))
VIEW_CODED  := $(VIEW_PY) runtime/view.py runtime/boot/encodings.py runtime/boot/sitecustomize.py
# Another Python than the last time compiles them again.
$(GEN)/view-python: FORCE
	@mkdir -p $(@D)
	@echo '$(VIEW_PYTHON)' | cmp -s - $@ || echo '$(VIEW_PYTHON)' >$@
$(GEN)/view/key: tools/view-code $(VIEW_CODED) $(GEN)/view-python
	@rm -rf $(@D) && mkdir -p $(@D)
	$(if $(VIEW_PYTHON),$(VIEW_PYTHON) -BIS tools/view-code $(@D) $(VIEW_CODED),touch $@)
$(BUILD)/embed: tools/embed.c
	@mkdir -p $(@D)
	$(HOSTCC) -std=c17 -O1 -D_GNU_SOURCE -Wall -Wextra -o $@ $<
$(GEN)/view_program.h: $(BUILD)/embed $(GEN)/view/key runtime/view.py $(VIEW_PY) \
		$(VIEW_BOOT)
	@mkdir -p $(@D)
	$(BUILD)/embed $@ runtime/view.py runtime/boot $(GEN)/view $(VIEW_PY)
$(BUILD)/obj/src/live/boot.o $(BUILD)/obj/mutant/src/live/boot.o: $(GEN)/view_program.h

# A sum of every byte that decides what is in files of the cache names these files. It is computed each
# time, because make does not notice a deleted file.
BUILD_ID_OF := src/base src/yaml src/rule src/scan src/detect
$(GEN)/build_id.h: FORCE
	@mkdir -p $(@D)
	@id=$$(find $(BUILD_ID_OF) -type f | LC_ALL=C sort | xargs cat | cat - Makefile | sha256sum | cut -c1-32); \
		line="#define CORDON_BUILD_ID \"$$id\""; \
		echo "$$line" | cmp -s - $@ || echo "$$line" >$@
$(foreach f,rule/tree_cache scan/find/pattern_db_cache,$(BUILD)/obj/src/$(f).o $(BUILD)/obj/mutant/src/$(f).o): $(GEN)/build_id.h

# Commands and formats register themselves: one line for each COMMAND(name) and FORMAT(name).
$(GEN)/command_list.h: FORCE
	@mkdir -p $(@D)
	@sed -n 's/^COMMAND(\([a-z0-9_]*\)).*/ROW(\1)/p' $(sort $(wildcard src/door/cli/*.c)) >$@.new
	@cmp -s $@.new $@ || cp $@.new $@
$(GEN)/format_list.h: FORCE
	@mkdir -p $(@D)
	@sed -n 's/^FORMAT(\([a-z0-9_]*\)).*/ROW(\1)/p' $(sort $(wildcard src/show/*.c)) >$@.new
	@cmp -s $@.new $@ || cp $@.new $@
$(BUILD)/obj/src/door/cli/commands.o: $(GEN)/command_list.h
$(BUILD)/obj/src/show/format_list.o: $(GEN)/format_list.h

$(BUILD)/obj/mutant/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLFLAGS) -DCORDON_MUTANT -c -o $@ $<
$(BUILD)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLFLAGS) -c -o $@ $<

# What a user installs.
PREFIX     ?= /usr/local
LIBEXECDIR ?= $(PREFIX)/libexec/cordon
SHAREDIR   ?= $(PREFIX)/share/cordon
LIBDIR     ?= $(PREFIX)/lib
DOCDIR     ?= $(PREFIX)/share/doc/cordon
# Where the operator's configuration is: no variable and no option of cordon moves it.
SYSCONFDIR ?= /etc
ALLFLAGS   += -DCORDON_LIBEXEC='"$(LIBEXECDIR)"' -DCORDON_SHARE='"$(SHAREDIR)"' -DCORDON_ETC='"$(SYSCONFDIR)/cordon"'
# Where cordon looks for its box and its rules, and libcordon for cordon: another place than the last
# time builds that file again.
$(BUILD)/libexec: FORCE
	@mkdir -p $(@D)
	@echo '$(PREFIX) $(LIBEXECDIR) $(SHAREDIR) $(SYSCONFDIR)' | cmp -s - $@ || \
		echo '$(PREFIX) $(LIBEXECDIR) $(SHAREDIR) $(SYSCONFDIR)' >$@
$(foreach f,live/launch conf/places live/own_paths flow/doctor_host store/postgres conf/config conf/config_file door/cli/configure door/cli/command_config door/cli/command_man,$(BUILD)/obj/src/$(f).o $(BUILD)/obj/mutant/src/$(f).o) $(BUILD)/shared/lib/process.o: $(BUILD)/libexec
FORCE:
install: all
	install -D -m 755 $(BUILD)/cordon $(DESTDIR)$(PREFIX)/bin/cordon
	install -D -m 755 $(BUILD)/cordon-box $(DESTDIR)$(LIBEXECDIR)/cordon-box
	install -D -m 755 $(BUILD)/cordon-probe $(DESTDIR)$(LIBEXECDIR)/cordon-probe
	install -D -m 755 $(BUILD)/cordon-keeper $(DESTDIR)$(LIBEXECDIR)/cordon-keeper
	install -D -m 755 $(BUILD)/cordon-egress $(DESTDIR)$(LIBEXECDIR)/cordon-egress
	install -D -m 755 $(BUILD)/cordon-notify $(DESTDIR)$(LIBEXECDIR)/cordon-notify
	$(if $(PG_PROGRAM),install -D -m 755 $(PG_PROGRAM) $(DESTDIR)$(LIBEXECDIR)/cordon-postgres)
	rm -rf $(DESTDIR)$(SHAREDIR)/rules
	install -d $(DESTDIR)$(SHAREDIR)
	cp -R rules $(DESTDIR)$(SHAREDIR)/
	rm -rf $(DESTDIR)$(DOCDIR)/docs
	install -D -m 644 clients/python/README.md $(DESTDIR)$(DOCDIR)/clients/python/README.md
	install -m 644 README.md $(DESTDIR)$(DOCDIR)/README.md
	cp -R docs $(DESTDIR)$(DOCDIR)/
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
		$(DESTDIR)$(PREFIX)/share/zsh/vendor-completions $(DESTDIR)$(SHAREDIR)/apparmor
	$(BUILD)/cordon man >$(DESTDIR)$(PREFIX)/share/man/man1/cordon.1
	$(BUILD)/cordon completion bash >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/cordon
	$(BUILD)/cordon completion zsh >$(DESTDIR)$(PREFIX)/share/zsh/vendor-completions/_cordon
	sed 's|@LIBEXECDIR@|$(LIBEXECDIR)|' packaging/apparmor.in >$(DESTDIR)$(SHAREDIR)/apparmor/cordon-box
	$(if $(LIBRARY),install -D -m 644 $(LIBRARY) $(DESTDIR)$(LIBDIR)/libcordon.so.$(VERSION))
	$(if $(LIBRARY),ln -sf libcordon.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libcordon.so.0)
	$(if $(LIBRARY),ln -sf libcordon.so.0 $(DESTDIR)$(LIBDIR)/libcordon.so)
	install -D -m 644 include/cordon.h $(DESTDIR)$(PREFIX)/include/cordon.h
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|' lib/libcordon.pc.in \
		>$(DESTDIR)$(LIBDIR)/pkgconfig/libcordon.pc

# The tables of docs/reference, from the program's own; the suite "lint" compares.
reference: $(BUILD)/cordon
	@tools/reference $(BUILD)/cordon

# Packages have paths of their own, so they are built beside everything else.
DEB_BUILD := build/deb-build
deb:
	@rm -rf $(DEB_BUILD)/root
	@$(MAKE) --no-print-directory BUILD=$(DEB_BUILD) PREFIX=/usr LIBEXECDIR=/usr/libexec/cordon \
		LIBDIR=/usr/lib/$(shell $(CC) -print-multiarch) DESTDIR=$(CURDIR)/$(DEB_BUILD)/root install
	@tools/deb $(DEB_BUILD)/root $(VERSION) build/deb
wheel:
	@tools/wheel build/wheel

# Two makes where something may be installed first: it decides how the second one builds. All cores
# build, unless the caller has said how many.
PARALLEL = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))
deps:
	@tools/deps build demo test
run:
	@tools/deps build demo
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@tools/demo

include tests/tests.mk
include tests/bench/bench.mk

bench: all $(BUILD)/tests/scan-engine $(BUILD)/live-starts
	@export BUILD=$(BUILD); status=0; for part in run live/run scan/run egress/run 'python $(BUILD)/cordon clients/python'; do \
		tests/bench/$$part || status=1; \
	done; \
	[ $$status -eq 0 ] && echo 'bench: every goal that was measured is met' || \
		echo 'bench: a goal was MISSED, or something did not run: see above' >&2; exit $$status
# Each of the gate's goals by itself; the status says whether it is met. CORPUS: harmless programs, see there.
goal-gate: all $(BUILD)/bench $(BUILD)/box/cordon
	@BUILD=$(BUILD) PEERS= tests/bench/run --goal gate --seconds 0 \
		--only bare,cordon,cordon+gate,cordon-no-cgroup,cordon-no-cgroup+gate
goal-verify: $(BUILD)/tests/store/measure
	@d=$$(mktemp -d) && { $< $$d 1000000 30; status=$$?; rm -rf --one-file-system $$d; exit $$status; }
goal-conversations: all
	@had=$$(ls -d /etc/cordon 2>/dev/null); BUILD=$(BUILD) tests/own-etc sh -c "tests/conversations/replay && tests/conversations/replay --mcp"; status=$$?; \
		[ -n "$$had" ] || rmdir /etc/cordon 2>/dev/null; exit $$status
goal-corpus: all
	@tests/corpora/gate --goal 2 $(BUILD)/cordon '$(CORPUS)' --rules rules
goal-utility: all
	@tests/corpora/collect $(BUILD)/utility
	@tests/corpora/utility --goal 99 $(BUILD)/cordon $(BUILD)/utility $(CORPUS)
kernels: all tests
	@tests/kernels/run
# `make test` and all the long tests, before a release; PARTS names some of them (tests/check-all).
check-all:
	@tests/check-all $(PARTS)
# The packages, on this Debian and on the next one.
releases: all
	@BUILD=$(BUILD) tests/run packages
# Our matcher against JavaScript's own, on more texts and expressions than in `make test`.
parity: all tests
	@BUILD=$(BUILD) tests/run parity
lint: all
	@BUILD=$(BUILD) tests/lint
# What clang says of every file: it parses them and makes no code. gcc's warnings are errors in `make test`.
# One benchmark needs a library that only it needs.
clang-syntax: $(GEN)/filters.h $(BUILD)/gen/aarch64/filters.h $(BUILD)/gen/x86_64/filters.h $(GEN)/view_program.h $(GEN)/build_id.h $(GEN)/command_list.h $(GEN)/format_list.h $(GEN)/units.h
	@find src lib tools tests -name '*.c' ! -path tests/bench/scan/literals.c | sort | xargs -P $(shell nproc) -n 16 \
		clang -fsyntax-only -std=c17 -D_GNU_SOURCE $(WARN) -Werror $(LINT_DEFINES) -Isrc -I. -Iinclude -Ilib -I$(GEN) -I$(BUILD)/gen
	@clang -fsyntax-only -std=c17 -D_GNU_SOURCE $(WARN) -Werror -DCORDON_MUTANT $(LINT_DEFINES) -Isrc -I$(GEN) $(MUTABLE)
LINT_DEFINES = -DCORDON_LIBEXEC='""' -DCORDON_SHARE='""' -DCORDON_PROGRAM='""'
analyze: all
	@BUILD=$(BUILD) tests/lint analyze
# The same again and again: what happens once in a thousand times.
soak: all mutants tests
	$(BUILD)/tests/kill $(BUILD)/cordon $(or $(SOAK_KILLS),2000)
	MEMORY_ALL=1 BUILD=$(BUILD) tests/run memory
	for i in $$(seq $(or $(SOAK_ROUNDS),5)); do BUILD=$(BUILD) tests/run attacks mutants || exit 1; done
clean:
	rm -rf build

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
