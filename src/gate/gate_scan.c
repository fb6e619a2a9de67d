/* SPDX-License-Identifier: MIT
 *
 * The step "scan", for code that is to run. Rules see it as a tool call. Arguments and environment
 * are scanned as text. Files that the program loads or reads are not scanned: the trust of their
 * directory covers them. Machine code has no text to scan; the box confines it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "gate/gate.h"
#include "read/view.h"

enum { MAGIC = 4, PLAIN_MAX = 4096 };

/* The tool name of the event. Without one, rules match tool_name against the arguments
 * (detect/event.c), and many harmless programs contain a word that is forbidden as a tool
 * name. */
#define TOOL "cordon"
static const struct node tool_name = {
	.kind = NODE_STRING, .size = 1, .text = {TOOL, sizeof(TOOL) - 1}};
static const struct node_pair call_pair = {.key = {"tool_name", sizeof("tool_name") - 1},
					   .value = &tool_name};
static const struct node call = {.kind = NODE_MAP, .height = 1, .size = 2, .map = {1, &call_pair}};

static struct scan_options options_for(const struct profile *profile)
{
	struct scan_options o = {.mode = DETECT_STRICT,
				 .has_type = true,
				 .type = EVENT_TOOL_CALL,
				 .fields = &call,
				 .has_kind = true,
				 .kind = scan_kind_read_by(profile->reader),
				 .runs = profile->runs_any_bytes};

	return o;
}

int gate_session_rules(struct gate_session *s, const struct request *req, struct err *err)
{
	struct packs_options o = {.directory = req->rules, .directories = req->rulesc};

	if (s->rules.engine)
		return 0;
	o.places = places_of_user(&s->arena, req->state);
	if (inspect_open_rules(&s->rules, &o, err) == 0 &&
	    packs_key(&s->rules, s->pack_key, err) == 0)
		return 0;
	packs_done(&s->rules);
	s->rules = (struct packs){0};
	return -1;
}

int gate_rules(struct gate *g, struct err *err)
{
	struct gate_session *s = g->session ? g->session : &g->own;

	if (g->rules)
		return 0;
	if (gate_session_rules(s, g->req, err) < 0)
		return -1;
	g->rules = &s->rules;
	memcpy(g->pack_key, s->pack_key, sizeof(g->pack_key));
	return 0;
}

/* A command of plain words: its code view is the text itself. The reader costs twenty times as much as the
 * rest of a short command. */
static bool is_plain(const struct profile *profile, const struct payload *p)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    " ./,:=@%+_-";
	size_t words = p->len <= PLAIN_MAX ? strspn(p->data, plain) : 0;

	return profile->is_shell && words + 1 == p->len && p->data[words] == '\n';
}

/* The view of a reader that is ready in this process. */
static bool has_early(struct gate *g, const struct payload *p, struct code_view *ret)
{
	struct view_ready *reader = g->session ? g->session->reader : NULL;

	return reader && g->bp->profile->is_shell &&
	       view_ready_use(reader, p->data, p->len, ret) == 0;
}

static int scan_code(struct gate *g, const struct payload *p, const struct code_view *view,
		     struct err *err)
{
	struct inspect_input at = {.name = g->req->file ? g->req->file : "code",
				   .data = {p->data, p->len},
				   .options = options_for(g->bp->profile)};

	struct code_view early = {0};
	bool is_text = g->req->typed == TYPED_TEXT;

	if (gate_rules(g, err) < 0)
		return -1;
	if (p->len > SCAN_FILE_MAX) {
		err_set(err, ERR_LIMIT, "code larger than %lu MB is not scanned, so not run",
			(unsigned long)(SCAN_FILE_MAX >> 20));
		err_cure(err, "pass data in it as a file: --workspace DIR or --stdin FILE");
		return -1;
	}
	/* Only sources need to know what the command reaches. */
	if (is_text || (!g->facts.sources.count && is_plain(g->bp->profile, p)))
		at.options.kind = scan_kind_read_by(NULL);
	else if (!view && has_early(g, p, &early))
		view = &early;
	at.options.ready = view;
	at.is_command = g->bp->profile->is_shell;
	at.joins = !g->bp->profile->reader; /* a code view has joined them already */
	int done = inspect_bytes(&g->inspection, g->rules, &at, err);
	code_view_done(&early);
	return done;
}

/* Joins arguments and environment, each on a line of its own. */
static int join_words(const struct request *r, char **ret, size_t *ret_len, struct err *err)
{
	size_t len = 0;

	for (size_t i = 0; i < r->argc; i++)
		len += strlen(r->argv[i]) + 1;
	for (size_t i = 0; i < r->envc; i++)
		len += strlen(r->env[i]) + 1;
	if (len > GATE_ARGS_MAX) {
		err_set(err, ERR_LIMIT,
			"arguments and environment have %zu bytes, more than the maximum of %d",
			len, GATE_ARGS_MAX);
		err_cause(err, "all of them are scanned before anything runs");
		err_cure(err, "pass data as a file: --stdin FILE, or in --workspace DIR");
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
	struct inspect_input at = {.name = "arguments",
				   .how = "arguments",
				   .is_command = true,
				   .options = options_for(&(struct profile){0})};

	if (!g->req->argc && !g->req->envc)
		return 0;
	if (join_words(g->req, &words, &at.data.len, err) < 0 || gate_rules(g, err) < 0)
		return -1;
	at.data.s = words;
	return inspect_bytes(&g->inspection, g->rules, &at, err);
}

static bool is_machine_code(int fd)
{
	char magic[MAGIC];

	return pread(fd, magic, sizeof(magic), 0) == MAGIC && memcmp(magic, "\177ELF", MAGIC) == 0;
}

/* Anything but machine code needs an interpreter, and was not scanned as its code. */
static int refuse_script(struct err *err)
{
	err_set(err, ERR_REFUSED, "the program is not machine code");
	err_cause(err, "a script that is given as a program is not scanned");
	err_cure(err, "give it as code: --lang bash, python or node");
	return -1;
}

int gate_scan(struct gate *g, const struct code_view *view, struct err *err)
{
	const struct blueprint *bp = g->bp;

	g->is_inspected = true;
	g->inspection.policy = &g->policy;
	if (bp->payload.is_program && !is_machine_code(bp->payload.fd))
		return refuse_script(err);
	if (!bp->payload.is_program && scan_code(g, &bp->payload, view, err) < 0)
		return -1;
	return scan_words(g, err);
}
