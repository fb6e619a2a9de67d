/* SPDX-License-Identifier: MIT
 *
 * The word "scan" for code that is to run. To the rules it is what it is: a call of a tool. Its
 * arguments and its environment are looked at too, as text: a script of one line runs whatever it
 * is given. So is its input, if it makes code of what it is given (flow/makes_code.h), and so are the
 * modules that it imports (gate_modules.c). A program in machine code has no text to scan; what it
 * may do, the box says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "flow/gate.h"
#include "origin/canon.h"

enum { MAGIC = 4 };

static const struct {
	const char *lang;
	enum scan_kind kind;
} kinds[] = {{"python", KIND_PYTHON}, {"bash", KIND_SHELL}};

/* The tool that is called. Where a call has no name, rules take what it is given for the name
 * (detect/fields.h): half of all programs have a word in them that no tool should be called. */
#define TOOL "cordon"
static const struct node tool_name = {
	.kind = NODE_STRING, .size = 1, .text = {TOOL, sizeof(TOOL) - 1}};
static const struct node_pair call_pair = {.key = {"tool_name", sizeof("tool_name") - 1},
					   .value = &tool_name};
static const struct node call = {.kind = NODE_MAP, .height = 1, .size = 2, .map = {1, &call_pair}};

static struct scan_options options_for(const char *lang)
{
	struct scan_options o = {.mode = DETECT_STRICT,
				 .has_type = true,
				 .type = EVENT_TOOL_CALL,
				 .fields = &call,
				 .has_kind = true};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i].lang, lang) == 0)
			o.kind = kinds[i].kind;
	return o;
}

int gate_rules(struct gate *g, struct err *err)
{
	struct packs_options o = {.directory = g->req->rules,
				  .directories = g->req->rulesc,
				  .places = places_of_user(&g->arena, g->req->state)};

	if (g->rules.engine)
		return 0;
	if (look_rules(&g->rules, &o, err) < 0)
		return -1;
	return packs_key(&g->rules, g->pack_key, err);
}

static int scan_code(struct gate *g, const struct payload *p, const struct code_view *view,
		     struct err *err)
{
	struct look_at at = {.name = g->req->file ? g->req->file : "code",
			     .data = {p->data, p->len},
			     .options = options_for(g->bp->profile->name)};

	at.options.ready = view;
	at.is_command = at.options.kind == KIND_SHELL;
	at.joins = !view_has_language(g->bp->profile->name); /* a view has them as one */
	/* Python runs archives and compiled code by their bytes, whatever their name; a shell begins with
	 * the lines that it can read, and those are read. */
	at.options.runs = at.options.kind == KIND_PYTHON;
	if (gate_rules(g, err) < 0)
		return -1;
	if (p->len > SCAN_FILE_MAX) {
		err_set(err, ERR_LIMIT, "code larger than %lu MB is not scanned, so not run",
			(unsigned long)(SCAN_FILE_MAX >> 20));
		err_cure(err, "give what is data in it as a file: --workspace DIR or --stdin FILE");
		return -1;
	}
	return look_at(&g->look, &g->rules, &at, err);
}

/* One after the other on lines of their own. */
static int join_words(const struct request *r, char **ret, size_t *ret_len, struct err *err)
{
	size_t len = 0;

	for (size_t i = 0; i < r->argc; i++)
		len += strlen(r->argv[i]) + 1;
	for (size_t i = 0; i < r->envc; i++)
		len += strlen(r->env[i]) + 1;
	if (len > GATE_ARGS_MAX) {
		err_set(err, ERR_LIMIT,
			"arguments and environment have %zu bytes together, and %d are the most",
			len, GATE_ARGS_MAX);
		err_cause(err, "all of them are scanned before anything runs");
		err_cure(err, "give what is data as a file: --stdin FILE, or in --workspace DIR");
		return -1;
	}
	char *at = *ret = malloc(len + 1);
	if (!at)
		return err_memory(err);
	for (size_t i = 0; i < r->argc + r->envc; i++) {
		const char *word = i < r->argc ? r->argv[i] : r->env[i - r->argc];
		size_t bytes = strlen(word);
		memcpy(at, word, bytes);
		at += bytes;
		*at++ = '\n';
	}
	*at = '\0';
	*ret_len = len;
	return 0;
}

static int scan_words(struct gate *g, struct err *err)
{
	AUTO_FREE char *words = NULL;
	struct look_at at = {.name = "arguments",
			     .how = "arguments",
			     .is_command = true,
			     .options = options_for("")};

	if (!g->req->argc && !g->req->envc)
		return 0;
	if (join_words(g->req, &words, &at.data.len, err) < 0 || gate_rules(g, err) < 0)
		return -1;
	at.data.s = words;
	return look_at(&g->look, &g->rules, &at, err);
}

/* Where somebody else has read it, nobody has asked for its names yet. Without them it is not plain. */
static void ask_of_plan(struct gate *g, struct code_view *view)
{
	const char *lang = g->bp->profile->name, *as = view_of_plan(lang);
	const struct payload *p = &g->bp->payload;
	struct code_view read = {0};
	struct err ignored;

	if (as != lang && !view->uses && view_make(as, p->data, p->len, &read, &ignored) == 0)
		view->uses = read.uses;
	makes_code_of_plan(lang, view, &g->makes_as_plan);
	view_done(&read);
}

/* May what it is given become code? Of most programs it is data, which may say what it likes. Only who
 * has a plan, or is given input or something hostile, needs to know. */
static void ask_what_it_makes(struct gate *g)
{
	struct code_view view = g->look.view;

	if (!g->req->plan && !gate_has_input(g) && !g->hostilec)
		return;
	view.effect = g->look.effect;
	view.effectc = g->look.effectc;
	makes_code(g->bp->profile->name, &view, &g->makes);
	if (g->req->plan)
		ask_of_plan(g, &view);
}

static int scan_input(struct gate *g, struct err *err)
{
	struct look_at at = {
		.name = "standard input", .how = "standard input", .options = options_for("")};
	struct stat st;

	if (!g->bp->input_is_fixed || g->makes.makes != MAKES_CODE)
		return 0;
	if (fstat(g->bp->input, &st) < 0)
		return err_errno(err, ERR_INPUT, "looking at the input");
	if (!S_ISREG(st.st_mode) || st.st_size == 0)
		return 0;
	if ((uint64_t)st.st_size > CANON_TEXT_MAX) {
		look_skip(&g->look);
		return 0;
	}
	at.data.len = (size_t)st.st_size;
	AUTO_FREE char *data = calloc(1, at.data.len + 1);
	if (!data)
		return err_memory(err);
	if (pread(g->bp->input, data, at.data.len, 0) != st.st_size)
		return err_errno(err, ERR_INPUT, "reading the input");
	at.data.s = data;
	return look_at(&g->look, &g->rules, &at, err);
}

int gate_scan_module(struct gate *g, const char *lang, const char *path, struct text text,
		     struct err *err)
{
	struct look_at at = {.name = path,
			     .how = arena_printf(&g->arena, "module %s", path),
			     .data = text,
			     .joins = !view_has_language(lang),
			     .options = options_for(lang)};

	at.is_command = at.options.kind == KIND_SHELL;
	at.options.no_code_view = true;
	return look_at(&g->look, &g->rules, &at, err);
}

static bool is_machine_code(int fd)
{
	char magic[MAGIC];

	return pread(fd, magic, sizeof(magic), 0) == MAGIC && memcmp(magic, "\177ELF", MAGIC) == 0;
}

/* What is no machine code is read by something, and that something is told what to do. */
static int refuse_script(struct err *err)
{
	err_set(err, ERR_REFUSED, "the program is no machine code");
	err_cause(err, "a script that is given as a program was not scanned");
	err_cure(err, "give it as code: --lang bash, python or node");
	return -1;
}

int gate_scan(struct gate *g, const struct code_view *view, struct err *err)
{
	const struct blueprint *bp = g->bp;

	g->has_look = true;
	if (bp->payload.is_program && !is_machine_code(bp->payload.fd))
		return refuse_script(err);
	if (!bp->payload.is_program && scan_code(g, &bp->payload, view, err) < 0)
		return -1;
	if (scan_words(g, err) < 0)
		return -1;
	g->look.ownc = g->look.textc;
	ask_what_it_makes(g);
	return scan_input(g, err) < 0 ? -1 : gate_scan_modules(g, err);
}
