/* SPDX-License-Identifier: MIT
 *
 * mkfilter ARCH OUTDIR: compiles src/box/syscalls.def into OUTDIR/filters.h (all filters, call
 * names, rules) and OUTDIR/filter-common.bpf (one filter for programs that take a file, default
 * EPERM instead of a notification). Runs at build time only, so that no compiler and no
 * libseccomp is in the program that holds privilege; works for a foreign architecture too.
 *
 * Names and numbers are libseccomp's. The tree is ours: libseccomp compares every call by itself,
 * this one compares borders between calls that are treated alike, which halves the filter and the
 * kernel's work when it is loaded. Must never guess: an unknown name stops the build, and a test
 * tries every number and argument against the table.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "box/filter.h"
#include "tools/bpf.h"
#include "tools/branch.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NR_MAX 1024 /* no architecture of ours numbers calls beyond this */
#define CMPS_MAX (BRANCH_TESTS_MAX / 2)
#define X32_BIT 0x40000000 /* marks calls of the x32 ABI, same AUDIT_ARCH as x86_64 */

struct arch {
	const char *name;
	uint32_t token; /* libseccomp's, and AUDIT_ARCH_*: the same numbers */
	bool has_x32;
};

struct row {
	const char *name;
	enum call_action action;
	int err;
	unsigned int set;
	const char *why;
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

static const struct arch archs[] = {
	{"aarch64", SCMP_ARCH_AARCH64, false},
	{"x86_64", SCMP_ARCH_X86_64, true},
};

static const struct row rows[] = {
#define CALL(name, action, err, set, text) {#name, CALL_##action, err, SET_##set, text},
#include "box/syscalls.def"
};

static const struct arg_row arg_rows[] = {
#define ARG(name, action, err, set, ...) {#name, CALL_##action, err, SET_##set, {__VA_ARGS__}},
#include "box/syscalls.def"
};

/* Calls that an older libseccomp lacks. Since 424 all architectures number alike. */
static const struct call_name newer[] = {
	{451, "cachestat"},	    {452, "fchmodat2"},	       {453, "map_shadow_stack"},
	{454, "futex_wake"},	    {455, "futex_wait"},       {456, "futex_requeue"},
	{457, "statmount"},	    {458, "listmount"},	       {459, "lsm_get_self_attr"},
	{460, "lsm_set_self_attr"}, {461, "lsm_list_modules"}, {462, "mseal"},
	{463, "setxattrat"},	    {464, "getxattrat"},       {465, "listxattrat"},
	{466, "removexattrat"},	    {467, "open_tree_attr"},   {468, "file_getattr"},
	{469, "file_setattr"},
};

__attribute__((noreturn, format(printf, 1, 2))) static void die(const char *format, ...)
{
	va_list args;

	fputs("mkfilter: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

/* ---- names and numbers ---- */

static int newer_number(const char *name)
{
	for (size_t i = 0; i < COUNT(newer); i++) {
		if (strcmp(newer[i].name, name) == 0)
			return newer[i].nr;
	}
	return -1;
}

/* -1 when this architecture does not have the call. */
static int call_number(const struct arch *arch, const char *name)
{
	int nr = seccomp_syscall_resolve_name_arch(arch->token, name);

	return nr >= 0 ? nr : newer_number(name);
}

static int highest_in_libseccomp(const struct arch *arch)
{
	int highest = 0;

	for (int nr = 0; nr < NR_MAX; nr++) {
		char *name = seccomp_syscall_resolve_num_arch(arch->token, nr);

		if (name != NULL)
			highest = nr;
		free(name);
	}
	return highest;
}

static int highest_known(const struct arch *arch)
{
	int highest = highest_in_libseccomp(arch);

	for (size_t i = 0; i < COUNT(newer); i++) {
		if (newer[i].nr > highest)
			highest = newer[i].nr;
	}
	return highest;
}

static const struct row *row_find(const char *name)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	}
	return NULL;
}

static void check_row(size_t at)
{
	const struct row *row = &rows[at];
	bool is_known = seccomp_syscall_resolve_name(row->name) != __NR_SCMP_ERROR ||
			newer_number(row->name) >= 0;
	bool is_free = row->action == CALL_ALLOW && row->set == SET_COMMON;

	if (!is_known)
		die("%s: no architecture has this call", row->name);
	if (row_find(row->name) != row)
		die("%s: two rows", row->name);
	if (is_free != (row->err == 0))
		die("%s: an errno is for calls that can be denied, and needed there", row->name);
	if ((is_free || row->action == CALL_QUIET) != (row->why[0] == '\0'))
		die("%s: a text is for calls that can be reported, and needed there", row->name);
}

/* Comparisons end at the first empty mask. */
static bool is_always(const struct arg_row *arg)
{
	return arg->cmp[0].mask == 0;
}

static void check_arg_row(const struct arg_row *arg)
{
	const struct row *row = row_find(arg->name);

	if (row == NULL || (row->action != CALL_ARGS && row->action != CALL_KILL))
		die("%s: ARG without its CALL row of action ARGS or KILL", arg->name);
	if (row->action == CALL_KILL && !is_always(arg))
		die("%s: of a KILL row only whole sets are exempt", arg->name);
	if (arg->action != CALL_ALLOW && arg->action != CALL_QUIET)
		die("%s: ARG rows allow or are quiet", arg->name);
	if (is_always(arg) && arg->set == SET_COMMON)
		die("%s: ALWAYS is not for every box", arg->name);
	for (size_t i = 0; i < CMPS_MAX; i++) {
		if ((arg->cmp[i].value & ~arg->cmp[i].mask) != 0)
			die("%s: value outside of its mask never matches", arg->name);
	}
}

static void check_tables(void)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		check_row(i);
	for (size_t i = 0; i < COUNT(arg_rows); i++)
		check_arg_row(&arg_rows[i]);
	for (size_t i = 0; i < COUNT(newer); i++) {
		const struct row *row = row_find(newer[i].name);

		if (row == NULL || row->action == CALL_ARGS)
			die("%s: calls newer than libseccomp need a plain row", newer[i].name);
	}
}

/* ---- one filter ---- */

/* What the box does where a rule says nothing: seccomp's action for DENY and KILL rows. */
static uint32_t kernel_action(enum call_action action, int err, uint32_t fallback)
{
	switch (action) {
	case CALL_ALLOW:
		return SECCOMP_RET_ALLOW;
	case CALL_QUIET:
		return SECCOMP_RET_ERRNO | ((uint32_t)err & SECCOMP_RET_DATA);
	default:
		return fallback;
	}
}

/* The row that decides without a look at the arguments, or NULL. */
static const struct arg_row *always_find(const char *name, unsigned int sets)
{
	for (size_t i = 0; i < COUNT(arg_rows); i++) {
		const struct arg_row *arg = &arg_rows[i];

		if (strcmp(arg->name, name) == 0 && call_set_counts(arg->set, sets) &&
		    is_always(arg))
			return arg;
	}
	return NULL;
}

/* The kernel compares 64 bits as two words. */
static void add_tests(const struct arg_row *arg, struct branch_row *ret)
{
	for (size_t i = 0; i < CMPS_MAX; i++) {
		for (unsigned int high = 0; high < 2; high++) {
			uint32_t mask = (uint32_t)(arg->cmp[i].mask >> (32 * high));

			if (mask == 0)
				continue;
			ret->test[ret->count++] = (struct branch_test){
				.offset = (uint32_t)(offsetof(struct seccomp_data, args) +
						     arg->cmp[i].index * sizeof(uint64_t) +
						     sizeof(uint32_t) * high),
				.mask = mask,
				.value = (uint32_t)(arg->cmp[i].value >> (32 * high)),
			};
		}
	}
}

/* Tried in the order of the table; the first that fits decides. */
static size_t add_args(struct bpf *filter, const char *name, unsigned int sets, uint32_t fallback)
{
	struct branch_row found[COUNT(arg_rows)];
	size_t count = 0;

	for (size_t i = 0; i < COUNT(arg_rows); i++) {
		const struct arg_row *arg = &arg_rows[i];

		if (strcmp(arg->name, name) != 0 || !call_set_counts(arg->set, sets))
			continue;
		found[count] = (struct branch_row){
			.answer = kernel_action(arg->action, arg->err, fallback)};
		add_tests(arg, &found[count++]);
	}
	return branch_add(filter, found, count, fallback);
}

/* Call numbers from `first` on that are treated alike. */
struct range {
	uint32_t first, answer;
	const char *args; /* the call whose arguments decide, or NULL */
};

/* The rows by number. */
struct calls {
	const struct row *row[NR_MAX];
	int highest;
};

static void find_calls(const struct arch *arch, struct calls *ret)
{
	*ret = (struct calls){.highest = highest_known(arch)};
	for (size_t i = 0; i < COUNT(rows); i++) {
		int nr = call_number(arch, rows[i].name);

		if (nr >= NR_MAX)
			die("%s: its number is beyond NR_MAX", rows[i].name);
		if (nr >= 0)
			ret->row[nr] = &rows[i];
	}
}

/* Numbers beyond the last call that we know do not exist for the program. */
static struct range range_of_number(const struct calls *calls, unsigned int sets, uint32_t fallback,
				    int nr)
{
	const struct row *row = calls->row[nr];
	struct range range = {.first = (uint32_t)nr, .answer = fallback};

	if (nr > calls->highest)
		range.answer = SECCOMP_RET_ERRNO | ENOSYS;
	else if (row != NULL && call_set_counts(row->set, sets))
		range.answer = kernel_action(row->action, row->err, fallback);
	if (row == NULL || !call_set_counts(row->set, sets))
		return range;
	const struct arg_row *always = always_find(row->name, sets);
	if (always != NULL)
		range.answer = kernel_action(always->action, always->err, fallback);
	else if (row->action == CALL_ARGS)
		range.args = row->name;
	return range;
}

static size_t find_ranges(const struct arch *arch, unsigned int sets, uint32_t fallback,
			  struct range *ranges)
{
	struct calls calls;
	size_t count = 0;

	find_calls(arch, &calls);
	for (int nr = 0; nr < NR_MAX; nr++) {
		struct range next = range_of_number(&calls, sets, fallback, nr);
		const struct range *last = count ? &ranges[count - 1] : NULL;

		if (last == NULL || last->args || next.args || last->answer != next.answer)
			ranges[count++] = next;
	}
	return count;
}

static bool is_same(const struct range *a, const struct range *b)
{
	return !a->args && !b->args && a->answer == b->answer;
}

/* A balanced tree over the ranges' borders; one number among others alike is one comparison. */
static size_t add_tree(struct bpf *filter, const struct range *ranges, size_t count,
		       unsigned int sets, uint32_t fallback)
{
	size_t half = count / 2;

	if (count == 1)
		return ranges->args ? add_args(filter, ranges->args, sets, fallback)
				    : bpf_ret(filter, ranges->answer);
	if (count == 3 && is_same(&ranges[0], &ranges[2]) &&
	    ranges[2].first == ranges[1].first + 1) {
		size_t no = bpf_ret(filter, ranges[0].answer);
		size_t yes = add_tree(filter, &ranges[1], 1, sets, fallback);

		return bpf_jump(filter, BPF_JEQ, ranges[1].first, yes, no);
	}
	size_t yes = add_tree(filter, ranges + half, count - half, sets, fallback);
	size_t no = add_tree(filter, ranges, half, sets, fallback);

	return bpf_jump(filter, BPF_JGE, ranges[half].first, yes, no);
}

static void compile(const struct arch *arch, unsigned int sets, uint32_t fallback,
		    struct bpf *ret_filter)
{
	struct range ranges[NR_MAX];
	size_t count = find_ranges(arch, sets, fallback, ranges);

	ret_filter->len = ret_filter->rets = 0;
	size_t tree = add_tree(ret_filter, ranges, count, sets, fallback);
	if (arch->has_x32)
		bpf_jump(ret_filter, BPF_JSET, X32_BIT,
			 bpf_ret(ret_filter, SECCOMP_RET_KILL_PROCESS), tree);
	tree = bpf_load(ret_filter, offsetof(struct seccomp_data, nr));
	bpf_jump(ret_filter, BPF_JEQ, arch->token, tree,
		 bpf_ret(ret_filter, SECCOMP_RET_KILL_PROCESS));
	if (bpf_load(ret_filter, offsetof(struct seccomp_data, arch)) == 0)
		die("filter too long");
	bpf_finish(ret_filter);
}

/* ---- output ---- */

static void print_filter(FILE *out, unsigned int sets, const struct bpf *program)
{
	fprintf(out, "\nstatic const struct sock_filter FILTERS(filter_%u)[] = {\n", sets);
	for (size_t i = 0; i < program->len; i++) {
		const struct sock_filter *insn = &program->insns[i];

		fprintf(out, "\t{0x%02x, %u, %u, 0x%08x},\n", insn->code, insn->jt, insn->jf,
			insn->k);
	}
	fputs("};\n", out);
}

static void print_filters(FILE *out, const struct arch *arch)
{
	static struct bpf programs[SET_COUNT];

	for (unsigned int sets = 0; sets < SET_COUNT; sets++) {
		compile(arch, sets, SECCOMP_RET_USER_NOTIF, &programs[sets]);
		print_filter(out, sets, &programs[sets]);
	}
	fputs("\nstatic const struct filter_variant FILTERS(filter_variants)[] = {\n", out);
	for (unsigned int sets = 0; sets < SET_COUNT; sets++)
		fprintf(out, "\t{\"%s%s%s%s%s%s\", FILTERS(filter_%u), %zu},\n",
			sets & SET_SPACED ? "spaced" : "plain", sets & SET_EXEC ? "+exec" : "",
			sets & SET_UNIX ? "+unix" : "", sets & SET_COUNTED ? "+counted" : "",
			sets & SET_NET ? "+net" : "", sets & SET_DEV ? "+dev" : "", sets,
			programs[sets].len);
	fputs("};\n", out);
}

/* A text that just fits has no end, and the compiler says nothing. */
static const char *fitting(const char *text, size_t size)
{
	if (strlen(text) >= size)
		die("longer than filter.h has room for: %s", text);
	return text;
}

static void print_name(FILE *out, int nr, const char *name)
{
	fprintf(out, "\t{%d, \"%s\"},\n", nr, fitting(name, sizeof(newer[0].name)));
}

static void print_names(FILE *out, const struct arch *arch)
{
	int highest = highest_in_libseccomp(arch);

	fputs("\nstatic const struct call_name FILTERS(call_names)[] = {\n", out);
	for (int nr = 0; nr <= highest; nr++) {
		char *name = seccomp_syscall_resolve_num_arch(arch->token, nr);

		if (name != NULL)
			print_name(out, nr, name);
		free(name);
	}
	for (size_t i = 0; i < COUNT(newer); i++) {
		if (newer[i].nr > highest)
			print_name(out, newer[i].nr, newer[i].name);
	}
	fputs("};\n", out);
}

/* Every row that can arrive at the listener in some variant. */
static void print_rules(FILE *out, const struct arch *arch)
{
	fputs("\nstatic const struct call_rule FILTERS(call_rules)[] = {\n", out);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		int nr = call_number(arch, row->name);

		if (nr < 0 || row->why[0] == '\0')
			continue;
		fprintf(out, "\t{%d, %s, %d, \"%s\"}, /* %s */\n", nr,
			row->action == CALL_KILL ? "CALL_KILL" : "CALL_DENY", row->err,
			fitting(row->why, sizeof(((struct call_rule *)NULL)->why)), row->name);
	}
	fputs("};\n", out);
}

static FILE *output_open(const char *dir, const char *name)
{
	char path[4096];
	FILE *out;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) >= sizeof(path))
		die("%s: path too long", dir);
	out = fopen(path, "we");
	if (out == NULL)
		die("%s: %s", path, strerror(errno));
	return out;
}

static void output_close(FILE *out)
{
	if (ferror(out) || fclose(out) != 0)
		die("cannot write: %s", strerror(errno));
}

static void write_header(const struct arch *arch, const char *dir)
{
	FILE *out = output_open(dir, "filters.h");

	fprintf(out, "/* Made by tools/mkfilter from syscalls.def for %s. Do not edit. */\n",
		arch->name);
	fputs("/* box/filter.h comes first. FILTERS(name) lets a test include two of these. */\n"
	      "#ifndef FILTERS\n#define FILTERS(name) name\n#endif\n",
	      out);
	print_filters(out, arch);
	print_names(out, arch);
	print_rules(out, arch);
	output_close(out);
}

static void write_plain(const struct arch *arch, const char *dir)
{
	static struct bpf program;
	FILE *out = output_open(dir, "filter-common.bpf");

	compile(arch, SET_SPACED | SET_EXEC | SET_UNIX | SET_COUNTED, SECCOMP_RET_ERRNO | EPERM,
		&program);
	fwrite(program.insns, sizeof(program.insns[0]), program.len, out);
	output_close(out);
}

int main(int argc, char **argv)
{
	const struct arch *arch = NULL;

	if (argc != 3)
		die("usage: mkfilter ARCH OUTDIR");
	for (size_t i = 0; i < COUNT(archs); i++) {
		if (strcmp(archs[i].name, argv[1]) == 0)
			arch = &archs[i];
	}
	if (arch == NULL)
		die("%s: unknown architecture", argv[1]);
	check_tables();
	write_header(arch, argv[2]);
	write_plain(arch, argv[2]);
	return 0;
}
