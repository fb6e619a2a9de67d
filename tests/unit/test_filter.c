/* SPDX-License-Identifier: MIT
 *
 * Runs the generated filters of both architectures in a small BPF interpreter: golden rows that a
 * person can check against syscalls.def, then every call number in every variant against an
 * oracle read from the same rows without libseccomp. A filter is only data here: nothing is
 * loaded, so the foreign architecture is tested on any machine.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "box/filter.h"

#define FILTERS(name) aarch64_##name
#include "aarch64/filters.h"
#undef FILTERS
#define FILTERS(name) x86_64_##name
#include "x86_64/filters.h"
#undef FILTERS

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define INSNS_MAX 4096	 /* BPF_MAXINSNS */
#define CMPS_MAX 3
#define SWEEP_MAX 1200	 /* call numbers tried by the oracle, beyond every table */
#define X32_BIT 0x40000000U
#define BROKEN 0xdeadU	 /* the interpreter's answer to a program the kernel would refuse */

#define ALLOW SECCOMP_RET_ALLOW
#define NOTIFY SECCOMP_RET_USER_NOTIF
#define KILL SECCOMP_RET_KILL_PROCESS
#define ERR(number) (SECCOMP_RET_ERRNO | (number))
#define HIGH (1ULL << 32) /* a bit that the kernel drops from an int argument */

enum { A64 = 1, X64 = 2, BOTH = 3 };

struct arch {
	int bit;
	const char *name;
	uint32_t audit;
	const struct filter_variant *variants;
	const struct call_name *names;
	size_t name_count;
	const struct call_rule *rules;
	size_t rule_count;
};

struct row {
	const char *name;
	enum call_action action;
	int err;
	unsigned int set;
};

struct arg_row {
	const char *name;
	enum call_action action;
	int err;
	unsigned int set;
	struct {
		unsigned int index;
		uint64_t mask, value;
	} cmp[CMPS_MAX];
};

/* One expectation: in all variants with the sets `on` and without the sets `off`. */
struct golden {
	int archs;
	const char *call; /* NULL: `nr` is used */
	uint64_t args[6];
	unsigned int on, off;
	uint32_t expected;
	uint32_t nr, audit; /* audit 0: the architecture's own */
};

static const struct arch archs[] = {
	{A64, "aarch64", AUDIT_ARCH_AARCH64, aarch64_filter_variants, aarch64_call_names,
	 COUNT(aarch64_call_names), aarch64_call_rules, COUNT(aarch64_call_rules)},
	{X64, "x86_64", AUDIT_ARCH_X86_64, x86_64_filter_variants, x86_64_call_names,
	 COUNT(x86_64_call_names), x86_64_call_rules, COUNT(x86_64_call_rules)},
};

static const struct row rows[] = {
#define CALL(name, action, err, set, text) {#name, CALL_##action, err, SET_##set},
#include "box/syscalls.def"
};

static const struct arg_row arg_rows[] = {
#define ARG(name, action, err, set, ...) {#name, CALL_##action, err, SET_##set, {__VA_ARGS__}},
#include "box/syscalls.def"
};

static const struct golden goldens[] = {
	/* the gate */
	{.archs = BOTH, .call = "read", .expected = ALLOW},
	{.archs = BOTH, .call = "read", .audit = AUDIT_ARCH_I386, .expected = KILL},
	{.archs = BOTH, .call = "read", .audit = AUDIT_ARCH_ARM, .expected = KILL},
	{.archs = A64, .call = "read", .audit = AUDIT_ARCH_X86_64, .expected = KILL},
	{.archs = X64, .call = "read", .audit = AUDIT_ARCH_AARCH64, .expected = KILL},
	{.archs = X64, .nr = X32_BIT, .expected = KILL},
	{.archs = X64, .nr = X32_BIT | 39, .expected = KILL},
	{.archs = X64, .nr = 0xffffffff, .expected = KILL},
	{.archs = A64, .nr = X32_BIT, .expected = ERR(ENOSYS)},
	{.archs = A64, .nr = 0xffffffff, .expected = ERR(ENOSYS)},
	{.archs = BOTH, .nr = 9999, .expected = ERR(ENOSYS)},
	{.archs = BOTH, .nr = 470, .expected = ERR(ENOSYS)},
	{.archs = BOTH, .nr = 400, .expected = NOTIFY},

	/* programs */
	{.archs = BOTH, .call = "execve", .off = SET_EXEC, .expected = NOTIFY},
	{.archs = BOTH, .call = "execve", .on = SET_EXEC, .expected = ALLOW},
	{.archs = BOTH, .call = "execveat", .expected = NOTIFY},
	{.archs = BOTH, .call = "execveat", .args = {[4] = 0x1000}, .expected = NOTIFY},
	{.archs = BOTH, .call = "memfd_create", .expected = NOTIFY},
	{.archs = BOTH, .call = "memfd_create", .args = {0, 1}, .expected = NOTIFY},
	{.archs = BOTH, .call = "memfd_create", .args = {0, 0x8}, .expected = ALLOW},
	{.archs = BOTH, .call = "memfd_create", .args = {0, 0xb}, .expected = ALLOW},
	{.archs = BOTH, .call = "memfd_create", .args = {0, 0x10}, .expected = NOTIFY},
	{.archs = BOTH, .call = "memfd_create", .args = {0, 0x18}, .expected = NOTIFY},
	{.archs = BOTH, .call = "memfd_create", .args = {0, 0x8 * HIGH}, .expected = NOTIFY},

	/* processes */
	{.archs = BOTH, .call = "clone", .args = {17}, .expected = ALLOW},
	{.archs = BOTH, .call = "clone", .args = {0x3d0f00}, .expected = ALLOW},
	{.archs = BOTH, .call = "clone", .args = {0x4111}, .expected = ALLOW},
	{.archs = BOTH, .call = "clone", .args = {0x10000011}, .expected = NOTIFY},
	{.archs = BOTH, .call = "clone", .args = {0x00020011}, .expected = NOTIFY},
	{.archs = BOTH, .call = "clone", .args = {0x02000011}, .expected = NOTIFY},
	{.archs = BOTH, .call = "clone", .args = {0x04000011}, .expected = NOTIFY},
	{.archs = BOTH, .call = "clone", .args = {0x08000011}, .expected = NOTIFY},
	{.archs = BOTH, .call = "clone", .args = {0x20000011}, .expected = NOTIFY},
	{.archs = BOTH, .call = "clone", .args = {0x40000011}, .expected = NOTIFY},
	{.archs = BOTH, .call = "clone", .args = {0x10000011 | HIGH}, .expected = NOTIFY},
	{.archs = BOTH, .call = "clone3", .expected = ERR(ENOSYS)},
	{.archs = BOTH, .call = "unshare", .expected = NOTIFY},
	{.archs = BOTH, .call = "setns", .expected = NOTIFY},
	{.archs = X64, .call = "vfork", .expected = ALLOW},
	{.archs = BOTH, .call = "prlimit64", .expected = ALLOW},
	{.archs = BOTH, .call = "prlimit64", .args = {1}, .expected = NOTIFY},
	{.archs = BOTH, .call = "prlimit64", .args = {0xffffffff}, .expected = NOTIFY},
	{.archs = BOTH, .call = "prlimit64", .args = {1 | HIGH}, .expected = NOTIFY},
	{.archs = BOTH, .call = "prctl", .args = {15}, .expected = ALLOW},
	{.archs = BOTH, .call = "prctl", .args = {4}, .expected = NOTIFY},
	{.archs = BOTH, .call = "prctl", .args = {4 | HIGH}, .expected = NOTIFY},
	{.archs = BOTH, .call = "prctl", .args = {22, 2}, .expected = NOTIFY},
	{.archs = BOTH, .call = "prctl", .args = {0x59616d61}, .expected = NOTIFY},
	{.archs = BOTH, .call = "prctl", .args = {0x53564d41}, .expected = ERR(EINVAL)},
	{.archs = X64, .call = "arch_prctl", .args = {0x1002}, .expected = ALLOW},
	{.archs = X64, .call = "arch_prctl", .args = {0x1001}, .expected = NOTIFY},
	{.archs = X64, .call = "arch_prctl", .args = {0x3001}, .expected = ERR(EINVAL)},
	{.archs = X64, .call = "arch_prctl", .args = {0x5005}, .expected = ERR(EINVAL)},
	{.archs = BOTH, .call = "ptrace", .expected = NOTIFY},
	{.archs = BOTH, .call = "process_vm_readv", .expected = NOTIFY},
	{.archs = BOTH, .call = "pidfd_getfd", .expected = NOTIFY},
	{.archs = BOTH, .call = "personality", .args = {0x40000}, .expected = NOTIFY},
	{.archs = BOTH, .call = "setresuid", .expected = NOTIFY},
	{.archs = BOTH, .call = "sched_setscheduler", .args = {0, 1}, .expected = NOTIFY},
	{.archs = BOTH, .call = "seccomp", .expected = NOTIFY},
	{.archs = BOTH, .call = "kill", .expected = ALLOW},
	{.archs = BOTH, .call = "rseq", .expected = ALLOW},

	/* terminals and devices */
	{.archs = BOTH, .call = "ioctl", .args = {0, 0x5401}, .expected = ALLOW},
	{.archs = BOTH, .call = "ioctl", .args = {0, 0x5401 | HIGH}, .expected = ALLOW},
	{.archs = BOTH, .call = "ioctl", .args = {0, 0x5412}, .expected = NOTIFY},
	{.archs = BOTH, .call = "ioctl", .args = {0, 0x5412 | HIGH}, .expected = NOTIFY},
	{.archs = BOTH, .call = "ioctl", .args = {0, 0x541c}, .expected = NOTIFY},
	{.archs = BOTH, .call = "ioctl", .args = {0, 0x40049409}, .expected = ERR(EOPNOTSUPP)},
	{.archs = BOTH, .call = "mknodat", .args = {0, 0, 0x1180}, .expected = ALLOW},
	{.archs = BOTH, .call = "mknodat", .args = {0, 0, 0x2180}, .expected = NOTIFY},
	{.archs = BOTH, .call = "mknodat", .args = {0, 0, 0x6180}, .expected = NOTIFY},
	{.archs = BOTH, .call = "mknodat", .args = {0, 0, 0x3180}, .expected = NOTIFY},
	{.archs = X64, .call = "mknod", .args = {0, 0x2180}, .expected = NOTIFY},

	/* sockets: STREAM 1, DGRAM 2, RAW 3, SEQPACKET 5, CLOEXEC 0x80000 */
	{.archs = BOTH, .call = "socket", .args = {1, 1}, .on = SET_UNIX, .expected = ALLOW},
	{.archs = BOTH, .call = "socket", .args = {1, 0x80802}, .on = SET_UNIX, .expected = ALLOW},
	{.archs = BOTH, .call = "socket", .args = {1, 5}, .on = SET_UNIX, .expected = ALLOW},
	{.archs = BOTH, .call = "socket", .args = {1, 1}, .off = SET_UNIX, .expected = NOTIFY},
	{.archs = BOTH, .call = "socket", .args = {1, 0x80801}, .on = SET_UNIX, .expected = ALLOW},
	{.archs = BOTH, .call = "socket", .args = {1, 0x80801}, .off = SET_UNIX,
	 .expected = ERR(EPERM)},
	{.archs = BOTH, .call = "socket", .args = {1, 3}, .expected = NOTIFY},
	{.archs = BOTH, .call = "socket", .args = {2, 1}, .expected = NOTIFY},
	{.archs = BOTH, .call = "socket", .args = {2 | HIGH, 1}, .expected = NOTIFY},
	{.archs = BOTH, .call = "socket", .args = {10, 2}, .expected = NOTIFY},
	{.archs = BOTH, .call = "socket", .args = {16, 3}, .expected = NOTIFY},
	{.archs = BOTH, .call = "socket", .args = {17, 3}, .expected = NOTIFY},
	{.archs = BOTH, .call = "socket", .args = {38, 5}, .expected = NOTIFY},
	{.archs = BOTH, .call = "socket", .args = {40, 1}, .expected = NOTIFY},
	{.archs = BOTH, .call = "socketpair", .args = {1, 0x80001}, .expected = ALLOW},
	{.archs = BOTH, .call = "socketpair", .args = {1, 5}, .expected = ALLOW},
	{.archs = BOTH, .call = "socketpair", .args = {1, 2}, .on = SET_UNIX, .expected = ALLOW},
	{.archs = BOTH, .call = "socketpair", .args = {1, 2}, .off = SET_UNIX, .expected = NOTIFY},
	{.archs = BOTH, .call = "socketpair", .args = {30, 1}, .expected = NOTIFY},
	{.archs = BOTH, .call = "connect", .off = SET_UNIX, .expected = NOTIFY},
	{.archs = BOTH, .call = "bind", .on = SET_UNIX, .expected = ALLOW},

	/* files and the rest */
	{.archs = BOTH, .call = "openat", .expected = ALLOW},
	{.archs = X64, .call = "open", .expected = ALLOW},
	{.archs = BOTH, .call = "statx", .expected = ALLOW},
	{.archs = BOTH, .call = "fchmodat2", .expected = ALLOW},
	{.archs = BOTH, .call = "mseal", .expected = ALLOW},
	{.archs = BOTH, .call = "renameat2", .args = {[4] = 1}, .expected = ALLOW},
	{.archs = BOTH, .call = "renameat2", .args = {[4] = 4}, .expected = NOTIFY},
	{.archs = BOTH, .call = "getxattr", .expected = ERR(ENOTSUP)},
	{.archs = BOTH, .call = "setxattrat", .expected = ERR(ENOTSUP)},
	{.archs = BOTH, .call = "open_tree_attr", .expected = NOTIFY},
	{.archs = BOTH, .call = "listmount", .expected = ERR(ENOSYS)},
	{.archs = BOTH, .call = "io_uring_setup", .expected = ERR(ENOSYS)},
	{.archs = BOTH, .call = "mbind", .expected = ERR(ENOSYS)},
	{.archs = BOTH, .call = "inotify_init1", .off = SET_NODE, .expected = NOTIFY},
	{.archs = BOTH, .call = "inotify_init1", .on = SET_NODE, .expected = ALLOW},
	{.archs = BOTH, .call = "capget", .off = SET_NODE, .expected = NOTIFY},
	{.archs = BOTH, .call = "keyctl", .expected = NOTIFY},
	{.archs = BOTH, .call = "bpf", .expected = NOTIFY},
	{.archs = BOTH, .call = "shmget", .expected = NOTIFY},
	{.archs = BOTH, .call = "vmsplice", .expected = NOTIFY},
};

static int test_count;
static int failure_count;

static void ok(bool passed, const char *what, const char *arch)
{
	printf("%s %d - filter %s: %s\n", passed ? "ok" : "not ok", ++test_count, arch, what);
	if (!passed)
		failure_count++;
}

/* ---- the interpreter: what the kernel's checker accepts for seccomp and libseccomp makes ---- */

static size_t jump_length(const struct sock_filter *insn, uint32_t a)
{
	bool taken;

	switch (BPF_OP(insn->code)) {
	case BPF_JA:
		return insn->k;
	case BPF_JEQ:
		taken = a == insn->k;
		break;
	case BPF_JGT:
		taken = a > insn->k;
		break;
	case BPF_JGE:
		taken = a >= insn->k;
		break;
	default: /* BPF_JSET, the last of the five */
		taken = (a & insn->k) != 0;
		break;
	}
	return taken ? insn->jt : insn->jf;
}

static uint32_t load(const struct seccomp_data *data, uint32_t offset)
{
	uint32_t word = 0;

	if (offset <= sizeof(*data) - sizeof(word))
		memcpy(&word, (const char *)data + offset, sizeof(word));
	return word;
}

static uint32_t run(const struct filter_variant *filter, const struct seccomp_data *data)
{
	uint32_t a = 0;

	for (size_t pc = 0; pc < filter->len; pc++) {
		const struct sock_filter *insn = &filter->insns[pc];

		if (insn->code == (BPF_LD | BPF_W | BPF_ABS))
			a = load(data, insn->k);
		else if (insn->code == (BPF_ALU | BPF_AND | BPF_K))
			a &= insn->k;
		else if (insn->code == (BPF_RET | BPF_K))
			return insn->k;
		else if (BPF_CLASS(insn->code) == BPF_JMP && BPF_SRC(insn->code) == BPF_K)
			pc += jump_length(insn, a);
		else
			return BROKEN;
	}
	return BROKEN;
}

/* ---- the oracle: syscalls.def as a person reads it ---- */

static const char *name_of(const struct arch *arch, uint32_t nr)
{
	for (size_t i = 0; i < arch->name_count; i++) {
		if ((uint32_t)arch->names[i].nr == nr)
			return arch->names[i].name;
	}
	return NULL;
}

static bool number_of(const struct arch *arch, const char *name, uint32_t *ret_nr)
{
	for (size_t i = 0; i < arch->name_count; i++) {
		if (strcmp(arch->names[i].name, name) == 0) {
			*ret_nr = (uint32_t)arch->names[i].nr;
			return true;
		}
	}
	return false;
}

static bool is_active(unsigned int set, unsigned int sets)
{
	return set == SET_HOST ? (sets & SET_UNIX) == 0 : (set & sets) == set;
}

static uint32_t oracle_action(enum call_action action, int err)
{
	return action == CALL_ALLOW ? ALLOW : action == CALL_QUIET ? ERR((uint32_t)err) : NOTIFY;
}

static bool arg_matches(const struct arg_row *arg, const uint64_t *args)
{
	for (size_t i = 0; i < CMPS_MAX; i++) {
		if ((args[arg->cmp[i].index] & arg->cmp[i].mask) != arg->cmp[i].value)
			return false;
	}
	return true;
}

static uint32_t oracle_args(const char *name, unsigned int sets, const uint64_t *args)
{
	for (size_t i = 0; i < COUNT(arg_rows); i++) {
		const struct arg_row *arg = &arg_rows[i];

		if (strcmp(arg->name, name) == 0 && is_active(arg->set, sets) &&
		    arg_matches(arg, args))
			return oracle_action(arg->action, arg->err);
	}
	return NOTIFY;
}

static uint32_t oracle(const struct arch *arch, unsigned int sets, uint32_t nr,
		       const uint64_t *args)
{
	const char *name = name_of(arch, nr);

	if (name == NULL)
		return nr > (uint32_t)arch->names[arch->name_count - 1].nr ? ERR(ENOSYS) : NOTIFY;
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (strcmp(rows[i].name, name) != 0)
			continue;
		if (!is_active(rows[i].set, sets))
			return NOTIFY;
		if (rows[i].action == CALL_ARGS)
			return oracle_args(name, sets, args);
		return oracle_action(rows[i].action, rows[i].err);
	}
	return NOTIFY;
}

static bool agrees(const struct arch *arch, unsigned int sets, uint32_t nr, const uint64_t *args)
{
	struct seccomp_data data = {.nr = (int)nr, .arch = arch->audit};
	uint32_t got, expected = oracle(arch, sets, nr, args);

	memcpy(data.args, args, sizeof(data.args));
	got = run(&arch->variants[sets], &data);
	if (got != expected)
		printf("# %s %s: call %u args %#llx %#llx %#llx: %#x, expected %#x\n", arch->name,
		       arch->variants[sets].name, nr, (unsigned long long)args[0],
		       (unsigned long long)args[1], (unsigned long long)args[2], got, expected);
	return got == expected;
}

/* ---- the tests ---- */

static void test_goldens(const struct arch *arch)
{
	for (size_t i = 0; i < COUNT(goldens); i++) {
		const struct golden *golden = &goldens[i];
		struct seccomp_data data = {.arch = golden->audit ? golden->audit : arch->audit};
		uint32_t nr = golden->nr;
		bool passed = true;
		char what[128];

		if ((golden->archs & arch->bit) == 0)
			continue;
		if (golden->call != NULL && !number_of(arch, golden->call, &nr))
			passed = false;
		data.nr = (int)nr;
		memcpy(data.args, golden->args, sizeof(data.args));
		for (unsigned int sets = 0; sets < SET_COUNT; sets++) {
			if ((sets & golden->on) == golden->on && (sets & golden->off) == 0)
				passed &= run(&arch->variants[sets], &data) == golden->expected;
		}
		snprintf(what, sizeof(what), "%s %#x (%#llx, %#llx, %#llx) is %#x",
			 golden->call != NULL ? golden->call : "number", nr,
			 (unsigned long long)golden->args[0], (unsigned long long)golden->args[1],
			 (unsigned long long)golden->args[2], golden->expected);
		ok(passed, what, arch->name);
	}
}

static void test_sweep(const struct arch *arch, unsigned int sets)
{
	static const uint64_t patterns[][6] = {
		{0}, {1, 1, 1, 1, 1, 1}, {~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL}};
	bool passed = true;

	for (uint32_t nr = 0; nr < SWEEP_MAX; nr++) {
		for (size_t i = 0; i < COUNT(patterns); i++)
			passed &= agrees(arch, sets, nr, patterns[i]);
	}
	ok(passed, "every call number agrees with syscalls.def", arch->variants[sets].name);
}

/* Each argument rule: as written, with all foreign bits set, and with each single bit turned. */
static bool arg_row_agrees(const struct arch *arch, unsigned int sets, const struct arg_row *arg)
{
	uint64_t plain[6] = {0}, noisy[6], turned[6];
	bool passed;
	uint32_t nr;

	if (!number_of(arch, arg->name, &nr))
		return true;
	memset(noisy, 0xff, sizeof(noisy));
	for (size_t i = 0; i < CMPS_MAX && arg->cmp[i].mask != 0; i++) {
		plain[arg->cmp[i].index] = arg->cmp[i].value;
		noisy[arg->cmp[i].index] = arg->cmp[i].value | ~arg->cmp[i].mask;
	}
	passed = agrees(arch, sets, nr, plain);
	passed &= agrees(arch, sets, nr, noisy);
	for (unsigned int bit = 0; bit < 6 * 64; bit++) {
		memcpy(turned, plain, sizeof(turned));
		turned[bit / 64] ^= 1ULL << bit % 64;
		passed &= agrees(arch, sets, nr, turned);
	}
	return passed;
}

static void test_args(const struct arch *arch, unsigned int sets)
{
	bool passed = true;

	for (size_t i = 0; i < COUNT(arg_rows); i++)
		passed &= arg_row_agrees(arch, sets, &arg_rows[i]);
	ok(passed, "every argument rule agrees with syscalls.def", arch->variants[sets].name);
}

/* What the kernel checks at load time, since the foreign filter is never loaded here. */
static void test_shape(const struct arch *arch, const struct filter_variant *filter)
{
	bool passed = filter->len > 0 && filter->len < INSNS_MAX / 4;

	for (size_t pc = 0; pc < filter->len; pc++) {
		const struct sock_filter *insn = &filter->insns[pc];
		size_t left = filter->len - pc - 1;

		if (BPF_CLASS(insn->code) == BPF_JMP && BPF_OP(insn->code) == BPF_JA)
			passed &= insn->k < left;
		else if (BPF_CLASS(insn->code) == BPF_JMP)
			passed &= insn->jt < left && insn->jf < left;
		else if (BPF_CLASS(insn->code) == BPF_LD)
			passed &= insn->k % 4 == 0 && insn->k < sizeof(struct seccomp_data);
		else if (left == 0)
			passed &= BPF_CLASS(insn->code) == BPF_RET;
	}
	printf("# %s %s: %u instructions\n", arch->name, filter->name, filter->len);
	ok(passed, "short and well formed", filter->name);
}

static const struct call_rule *rule_of(const struct arch *arch, const char *name)
{
	uint32_t nr;

	if (!number_of(arch, name, &nr))
		return NULL;
	for (size_t i = 0; i < arch->rule_count; i++) {
		if ((uint32_t)arch->rules[i].nr == nr)
			return &arch->rules[i];
	}
	return NULL;
}

/* The supervisor must know what to answer to every call that can reach it. */
static void test_rules(const struct arch *arch)
{
	bool passed = true;

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		const struct call_rule *rule = rule_of(arch, row->name);
		bool is_silent = row->action == CALL_QUIET ||
				 (row->action == CALL_ALLOW && row->set == SET_COMMON);
		uint32_t nr;

		if (is_silent || !number_of(arch, row->name, &nr))
			passed &= rule == NULL;
		else
			passed &= rule != NULL && rule->err == row->err && rule->err > 0 &&
				  (rule->action == CALL_KILL) == (row->action == CALL_KILL);
	}
	ok(passed, "every call that can be reported has its rule", arch->name);
}

static void test_lookups(void)
{
	const struct filter_variant *filter = filter_find(true, false, true);
	const struct arch *arch = NULL;
	const struct call_rule *rule;
	uint32_t nr = 0;

	for (size_t i = 0; i < COUNT(archs); i++) {
		if (filter->insns[1].k == archs[i].audit)
			arch = &archs[i];
	}
	ok(arch != NULL, "filter_find gives a filter for a known architecture", "native");
	if (arch == NULL)
		return;
	ok(strcmp(filter->name, "node+unix") == 0, "filter_find picks the variant", arch->name);
	number_of(arch, "mount", &nr);
	rule = call_rule_find((int)nr);
	ok(rule != NULL && rule->action == CALL_KILL && rule->err == EPERM, "mount kills",
	   arch->name);
	ok(strcmp(call_name_find((int)nr), "mount") == 0, "a number has its name", arch->name);
	number_of(arch, "socket", &nr);
	rule = call_rule_find((int)nr);
	ok(rule != NULL && rule->action == CALL_DENY && rule->why[0] != '\0',
	   "a call with argument rules is denied with a text", arch->name);
	number_of(arch, "read", &nr);
	ok(call_rule_find((int)nr) == NULL, "a free call has no rule", arch->name);
	ok(call_name_find(-1) == NULL && call_name_find(9999) == NULL, "no name out of range",
	   arch->name);
	ok(call_rule_find(-1) == NULL && call_rule_find(9999) == NULL, "no rule out of range",
	   arch->name);
}

int main(void)
{
	for (size_t i = 0; i < COUNT(archs); i++) {
		test_goldens(&archs[i]);
		test_rules(&archs[i]);
		for (unsigned int sets = 0; sets < SET_COUNT; sets++) {
			test_shape(&archs[i], &archs[i].variants[sets]);
			test_sweep(&archs[i], sets);
			test_args(&archs[i], sets);
		}
	}
	test_lookups();
	printf("1..%d\n", test_count);
	return failure_count == 0 ? 0 : 1;
}
