/* SPDX-License-Identifier: MIT
 *
 * The word "scan" for code that is to run. To the rules it is a call of a tool. Arguments and environment
 * are scanned too, as text. Files that the program loads or reads are not: its directory's trust covers
 * them. A program in machine code has no text to scan; the box bounds it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "flow/gate.h"

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
	g->look.policy = &g->policy;
	if (bp->payload.is_program && !is_machine_code(bp->payload.fd))
		return refuse_script(err);
	if (!bp->payload.is_program && scan_code(g, &bp->payload, view, err) < 0)
		return -1;
	return scan_words(g, err);
}
