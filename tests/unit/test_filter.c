/* SPDX-License-Identifier: MIT
 *
 * Runs the generated filters of both architectures in a small BPF interpreter: golden rows that a
 * person can check against syscalls.def, then every call number in every variant against an
 * oracle read from the same rows without libseccomp. Hot calls must be decided by number alone,
 * or the kernel does not remember the answer. A filter is only data here: nothing is loaded, so
 * the foreign architecture is tested on any machine.
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
#define INSNS_MAX 4096 /* BPF_MAXINSNS */
#define CMPS_MAX 3
#define SWEEP_MAX 1200 /* call numbers tried by the oracle, beyond every table */
#define X32_BIT 0x40000000U
#define BROKEN 0xdeadU /* the interpreter's answer to a program the kernel would refuse */

#define ALLOW SECCOMP_RET_ALLOW
#define NOTIFY SECCOMP_RET_USER_NOTIF
#define KILL SECCOMP_RET_KILL_PROCESS
#define ERR(number) (SECCOMP_RET_ERRNO | (number))
#define HIGH (1ULL << 32) /* a bit that the kernel drops from an int argument */

enum { A64 = 1, X64 = 2 };

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
	int archs;	  /* 0: both */
	const char *call; /* NULL: `nr` is used */
	uint64_t args[6];
	unsigned int on, off;
	uint32_t is, other; /* other: in all other variants, if not 0 */
	bool by_number;	    /* without a look at the arguments */
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
#include "filter_goldens.def"
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

static uint32_t run(const struct filter_variant *filter, const struct seccomp_data *data,
		    bool by_number)
{
	uint32_t a = 0;

	for (size_t pc = 0; pc < filter->len; pc++) {
		const struct sock_filter *insn = &filter->insns[pc];

		if (by_number && insn->code == (BPF_LD | BPF_W | BPF_ABS) &&
		    insn->k >= offsetof(struct seccomp_data, args))
			return BROKEN;
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
	if (set == SET_HOST)
		return (sets & SET_UNIX) == 0;
	if (set == SET_INET)
		return (sets & (SET_NET | SET_DEV)) != 0;
	return set == SET_OFFLINE ? (sets & SET_NET) == 0 : (set & sets) == set;
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

static const struct row *row_of(const char *name)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	return NULL;
}

/* It is asked a million times, about few numbers: what these are is found once. */
static uint32_t oracle(const struct arch *arch, unsigned int sets, uint32_t nr,
		       const uint64_t *args)
{
	static struct known {
		const char *name;
		const struct row *row;
		bool is_known;
	} all[X64 + 1][SWEEP_MAX];
	struct known *call = &all[arch->bit][nr % SWEEP_MAX];

	if (!call->is_known) {
		call->name = name_of(arch, nr);
		call->row = call->name ? row_of(call->name) : NULL;
		call->is_known = true;
	}
	if (call->name == NULL)
		return nr > (uint32_t)arch->names[arch->name_count - 1].nr ? ERR(ENOSYS) : NOTIFY;
	if (call->row == NULL || !is_active(call->row->set, sets))
		return NOTIFY;
	if (call->row->action == CALL_ARGS || call->row->action == CALL_KILL)
		return oracle_args(call->name, sets, args);
	return oracle_action(call->row->action, call->row->err);
}

static bool agrees(const struct arch *arch, unsigned int sets, uint32_t nr, const uint64_t *args)
{
	struct seccomp_data data = {.nr = (int)nr, .arch = arch->audit};
	uint32_t got, expected = oracle(arch, sets, nr, args);

	memcpy(data.args, args, sizeof(data.args));
	got = run(&arch->variants[sets], &data, false);
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

		if (golden->archs != 0 && golden->archs != arch->bit)
			continue;
		if (golden->call != NULL && !number_of(arch, golden->call, &nr))
			passed = false;
		data.nr = (int)nr;
		memcpy(data.args, golden->args, sizeof(data.args));
		for (unsigned int sets = 0; sets < SET_COUNT; sets++) {
			bool is_meant = (sets & golden->on) == golden->on && !(sets & golden->off);
			uint32_t expected = is_meant ? golden->is : golden->other;
			bool by_number = is_meant && golden->by_number;

			if (expected != 0)
				passed &= run(&arch->variants[sets], &data, by_number) == expected;
		}
		snprintf(what, sizeof(what), "%s %#x (%#llx, %#llx, %#llx, %#llx) is %#x",
			 golden->call != NULL ? golden->call : "number", nr,
			 (unsigned long long)golden->args[0], (unsigned long long)golden->args[1],
			 (unsigned long long)golden->args[2], (unsigned long long)golden->args[3],
			 golden->is);
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
	const struct filter_variant *filter = filter_find(SET_SPACED | SET_UNIX | SET_COUNTED);
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
	ok(strcmp(filter->name, "spaced+unix+counted") == 0, "filter_find picks the variant",
	   arch->name);
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
