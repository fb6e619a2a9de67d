/* SPDX-License-Identifier: MIT
 *
 * mkfilter ARCH OUTDIR: compiles src/box/syscalls.def into OUTDIR/filters.h (all filters, call
 * names, rules) and OUTDIR/filter-common.bpf (one filter for programs that take a file, default
 * EPERM instead of a notification). Runs at build time only, so that no compiler and no
 * libseccomp is in the program that holds privilege; works for a foreign architecture too.
 *
 * Each filter is a prologue of ours (architecture, x32, calls newer than libseccomp) followed by
 * libseccomp's binary tree. Must never guess: an unknown name or a rule that libseccomp would
 * change on its own stops the build.
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

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NR_MAX 1024    /* no architecture of ours numbers calls beyond this */
#define INSNS_MAX 4096 /* BPF_MAXINSNS: the kernel refuses more */
#define CMPS_MAX 3
#define X32_BIT 0x40000000 /* marks calls of the x32 ABI, same AUDIT_ARCH as x86_64 */
#define API_LEVEL 5	   /* knows notifications, whatever kernel this build runs on */

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

struct program {
	size_t len;
	struct sock_filter insns[INSNS_MAX];
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

static bool is_in_libseccomp(const struct arch *arch, const char *name)
{
	return seccomp_syscall_resolve_name_arch(arch->token, name) >= 0;
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

	if (row == NULL || row->action != CALL_ARGS)
		die("%s: ARG without its CALL row of action ARGS", arg->name);
	if (arg->action != CALL_ALLOW && arg->action != CALL_QUIET)
		die("%s: ARG rows allow or are quiet", arg->name);
	if (is_always(arg) && (arg->action != CALL_ALLOW || arg->set == SET_COMMON))
		die("%s: ALWAYS allows, and not in every box", arg->name);
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

static bool is_active(unsigned int set, unsigned int sets)
{
	return set == SET_HOST ? (sets & SET_UNIX) == 0 : (set & sets) == set;
}

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

/* The native number, possibly a pseudo one: libseccomp translates it to its filter's arch. */
static void add_rule(scmp_filter_ctx ctx, const char *name, uint32_t action, unsigned int count,
		     const struct scmp_arg_cmp *cmps)
{
	int nr = seccomp_syscall_resolve_name(name);
	int rc = seccomp_rule_add_exact_array(ctx, action, nr, count, cmps);

	if (rc < 0)
		die("%s: libseccomp refuses the rule: %s", name, strerror(-rc));
}

static bool is_always_free(const char *name, unsigned int sets)
{
	for (size_t i = 0; i < COUNT(arg_rows); i++) {
		const struct arg_row *arg = &arg_rows[i];

		if (strcmp(arg->name, name) == 0 && is_active(arg->set, sets) && is_always(arg))
			return true;
	}
	return false;
}

static void add_arg_rules(scmp_filter_ctx ctx, const char *name, unsigned int sets,
			  uint32_t fallback)
{
	for (size_t i = 0; i < COUNT(arg_rows); i++) {
		const struct arg_row *arg = &arg_rows[i];
		struct scmp_arg_cmp cmps[CMPS_MAX];
		unsigned int count = 0;

		if (strcmp(arg->name, name) != 0 || !is_active(arg->set, sets))
			continue;
		for (; count < CMPS_MAX && arg->cmp[count].mask != 0; count++)
			cmps[count] = SCMP_CMP(arg->cmp[count].index, SCMP_CMP_MASKED_EQ,
					       arg->cmp[count].mask, arg->cmp[count].value);
		add_rule(ctx, name, kernel_action(arg->action, arg->err, fallback), count, cmps);
	}
}

/* Rules equal to the default are left out: libseccomp takes them for a mistake. */
static void add_rules(scmp_filter_ctx ctx, const struct arch *arch, unsigned int sets,
		      uint32_t fallback)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		uint32_t action = kernel_action(row->action, row->err, fallback);

		if (!is_active(row->set, sets) || !is_in_libseccomp(arch, row->name))
			continue;
		if (row->action == CALL_ARGS && is_always_free(row->name, sets))
			add_rule(ctx, row->name, SECCOMP_RET_ALLOW, 0, NULL);
		else if (row->action == CALL_ARGS)
			add_arg_rules(ctx, row->name, sets, fallback);
		else if (action != fallback)
			add_rule(ctx, row->name, action, 0, NULL);
	}
}

static scmp_filter_ctx body_new(const struct arch *arch, unsigned int sets, uint32_t fallback)
{
	scmp_filter_ctx ctx = seccomp_init(fallback);
	uint32_t native = seccomp_arch_native();

	if (ctx == NULL)
		die("seccomp_init failed");
	if (arch->token != native &&
	    (seccomp_arch_add(ctx, arch->token) != 0 || seccomp_arch_remove(ctx, native) != 0))
		die("%s: libseccomp cannot compile for it", arch->name);
	if (seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) != 0 ||
	    seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2) != 0)
		die("libseccomp is too old: 2.5 is needed");
	add_rules(ctx, arch, sets, fallback);
	return ctx;
}

static void program_add(struct program *program, uint16_t code, uint8_t jt, uint8_t jf, uint32_t k)
{
	if (program->len == INSNS_MAX)
		die("filter too long");
	program->insns[program->len++] = (struct sock_filter){code, jt, jf, k};
}

static void program_add_ret(struct program *program, uint32_t action)
{
	program_add(program, BPF_RET | BPF_K, 0, 0, action);
}

static void program_add_load(struct program *program, size_t offset)
{
	program_add(program, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

/* Calls beyond libseccomp's knowledge: ours by number, everything else does not exist. */
static void program_add_newer(struct program *program, const struct arch *arch, unsigned int sets,
			      uint32_t fallback)
{
	uint32_t absent = SECCOMP_RET_ERRNO | ENOSYS;
	int highest = highest_in_libseccomp(arch);
	size_t jump = program->len, over;

	program_add(program, BPF_JMP | BPF_JGT | BPF_K, 0, 0, (uint32_t)highest);
	for (size_t i = 0; i < COUNT(newer); i++) {
		const struct row *row = row_find(newer[i].name);
		uint32_t action = fallback;

		if (is_active(row->set, sets))
			action = kernel_action(row->action, row->err, fallback);
		if (newer[i].nr <= highest || action == absent)
			continue;
		program_add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (uint32_t)newer[i].nr);
		program_add_ret(program, action);
	}
	program_add_ret(program, absent);
	over = program->len - jump - 1;
	if (over > UINT8_MAX)
		die("too many newer calls for one jump");
	program->insns[jump].jf = (uint8_t)over;
}

static void program_add_prologue(struct program *program, const struct arch *arch,
				 unsigned int sets, uint32_t fallback)
{
	program_add_load(program, offsetof(struct seccomp_data, arch));
	program_add(program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, arch->token);
	program_add_ret(program, SECCOMP_RET_KILL_PROCESS);
	program_add_load(program, offsetof(struct seccomp_data, nr));
	if (arch->has_x32) {
		program_add(program, BPF_JMP | BPF_JSET | BPF_K, 0, 1, X32_BIT);
		program_add_ret(program, SECCOMP_RET_KILL_PROCESS);
	}
	program_add_newer(program, arch, sets, fallback);
}

static void program_add_body(struct program *program, scmp_filter_ctx ctx)
{
	FILE *file = tmpfile();
	struct sock_filter insn;

	if (file == NULL || seccomp_export_bpf(ctx, fileno(file)) != 0)
		die("cannot export the filter");
	rewind(file);
	while (fread(&insn, sizeof(insn), 1, file) == 1)
		program_add(program, insn.code, insn.jt, insn.jf, insn.k);
	fclose(file);
}

static void compile(const struct arch *arch, unsigned int sets, uint32_t fallback,
		    struct program *ret_program)
{
	scmp_filter_ctx ctx = body_new(arch, sets, fallback);

	ret_program->len = 0;
	program_add_prologue(ret_program, arch, sets, fallback);
	program_add_body(ret_program, ctx);
	seccomp_release(ctx);
}

/* ---- output ---- */

static void print_filter(FILE *out, unsigned int sets, const struct program *program)
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
	static struct program programs[SET_COUNT];

	for (unsigned int sets = 0; sets < SET_COUNT; sets++) {
		compile(arch, sets, SECCOMP_RET_USER_NOTIF, &programs[sets]);
		print_filter(out, sets, &programs[sets]);
	}
	fputs("\nstatic const struct filter_variant FILTERS(filter_variants)[] = {\n", out);
	for (unsigned int sets = 0; sets < SET_COUNT; sets++)
		fprintf(out, "\t{\"%s%s%s%s\", FILTERS(filter_%u), %zu},\n",
			sets & SET_SPACED ? "spaced" : "plain", sets & SET_EXEC ? "+exec" : "",
			sets & SET_UNIX ? "+unix" : "", sets & SET_COUNTED ? "+counted" : "", sets,
			programs[sets].len);
	fputs("};\n", out);
}

static void print_names(FILE *out, const struct arch *arch)
{
	int highest = highest_in_libseccomp(arch);

	fputs("\nstatic const struct call_name FILTERS(call_names)[] = {\n", out);
	for (int nr = 0; nr <= highest; nr++) {
		char *name = seccomp_syscall_resolve_num_arch(arch->token, nr);

		if (name != NULL)
			fprintf(out, "\t{%d, \"%s\"},\n", nr, name);
		free(name);
	}
	for (size_t i = 0; i < COUNT(newer); i++) {
		if (newer[i].nr > highest)
			fprintf(out, "\t{%d, \"%s\"},\n", newer[i].nr, newer[i].name);
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
			row->action == CALL_KILL ? "CALL_KILL" : "CALL_DENY", row->err, row->why,
			row->name);
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
	static struct program program;
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
	if (seccomp_api_set(API_LEVEL) != 0)
		die("libseccomp is too old: no notifications");
	check_tables();
	write_header(arch, argv[2]);
	write_plain(arch, argv[2]);
	return 0;
}
