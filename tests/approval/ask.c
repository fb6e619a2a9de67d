/* SPDX-License-Identifier: MIT
 *
 * ask park|use STATE FILE [KEY=VALUE...]: what a run does at the gate, for the tests of the command
 * line: parks FILE as the built-in policy says, or checks whether an approval covers it.
 * Prints the id. Exits with 1 when nothing covers it. Keys: see the table.
 */
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "approval/run_request.h"
#include "base/digest.h"
#include "base/io.h"

enum { CODE_MAX = APPROVAL_CODE_MAX + 1, TIES_MAX = 8, WAIT_MS = 600000 };

struct ask_case {
	struct approval_request r;
	struct request from;
	struct arena arena;
	struct approval_evidence tie[TIES_MAX];
	struct approval_finding finding;
	struct approval_text effect;
	uint64_t wait_ms, caps, origin, approvers;
};

static void die(const char *what, const struct err *err)
{
	fprintf(stderr, "ask: %s%s%s\n", what, err ? ": " : "", err ? err->message : "");
	exit(2);
}

static void set_evidence(struct ask_case *c, char *v)
{
	size_t i = c->r.evidence.count;
	struct approval_evidence *e = &c->tie[i];
	int name = 0;

	/* FROM-TO:NAME */
	*e = (struct approval_evidence){.source = "s1", .how = "span", .kind = FROM_WEB};
	if (i == TIES_MAX || sscanf(v, "%lu-%lu:%n", &e->code_from, &e->code_to, &name) != 2)
		die("evidence", NULL);
	e->name = v + name;
	c->r.evidence = (struct approval_list){.count = i + 1, .list = c->tie};
	c->origin = ORIGIN_DERIVED;
}

static void set_finding(struct ask_case *c, char *v)
{
	c->finding = (struct approval_finding){.rule = "R-1", .title = v, .severity = "high"};
	c->r.findings = (struct approval_list){.count = 1, .list = &c->finding};
}

static void set_effect(struct ask_case *c, char *v)
{
	c->effect.text = v;
	c->r.effects = (struct approval_list){.count = 1, .list = &c->effect};
}

static void set_env(struct ask_case *c, char *v)
{
	c->from.env[c->from.envc++] = v;
}

static const struct {
	const char *name;
	size_t offset;				 /* a number's */
	void (*set)(struct ask_case *, char *v); /* or NULL */
} keys[] = {
	{"uid", offsetof(struct ask_case, r.uid), NULL},
	{"pgid", offsetof(struct ask_case, r.pgid), NULL},
	{"confirm", offsetof(struct ask_case, r.confirmation), NULL},
	{"wait", offsetof(struct ask_case, wait_ms), NULL},
	{"caps", offsetof(struct ask_case, caps), NULL},
	{"origin", offsetof(struct ask_case, origin), NULL},
	{"approvers", offsetof(struct ask_case, approvers), NULL},
	{"evidence", 0, set_evidence},
	{"finding", 0, set_finding},
	{"effect", 0, set_effect},
	{"env", 0, set_env},
};

static void set(struct ask_case *c, char *word)
{
	char *v = strchr(word, '=');

	if (v)
		*v++ = '\0';
	if (v && strcmp(word, "conversation") == 0) {
		c->r.conversation = v;
		return;
	}
	for (size_t i = 0; v && i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(keys[i].name, word) == 0) {
			if (keys[i].set)
				keys[i].set(c, v);
			else
				*(uint64_t *)((char *)c + keys[i].offset) = strtoull(v, NULL, 10);
			return;
		}
	die(word, NULL);
}

/* As the gate would. The scope is the widest, so that the tests can give any. */
static void decide(struct ask_case *c)
{
	uint64_t confirmation = c->r.confirmation;
	struct policy p;
	struct err err;

	if (policy_init(&p, POLICY_BALANCED, &err) < 0)
		die("the policy", &err);
	approval_fill_request(&c->r, &c->from, &c->arena);
	approval_fill_policy(&c->r, &p, &c->from, &c->arena);
	c->r.caps = c->caps;
	c->r.origin = c->origin;
	c->r.approvers = c->approvers;
	c->r.confirmation = confirmation;
	policy_done(&p);
}

static int ask(struct ask_case *c, struct store *s, bool use, struct approval_code code)
{
	struct approval found = {0};
	char id[APPROVAL_ID + 1];
	struct timespec t;
	struct err err;

	clock_gettime(CLOCK_REALTIME, &t);
	uint64_t now = (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
	if (!use) {
		if (approval_park(s, &c->r, code, c->wait_ms, now, id, &err) < 0)
			die("parking", &err);
		puts(id);
		return 0;
	}
	digest_of(c->r.code_sha256, code.data, code.len);
	c->r.code_len = code.len;
	AUTO_TX struct store_tx tx = {0};
	int r = approval_find(s, &c->r, now, &found, &err);
	if (r == 1) {
		approval_take(&tx, &found, "run:test", now);
		r = store_commit(s, &tx, &err) < 0 ? -1 : 1;
	}
	if (r < 0)
		die("using", &err);
	puts(r ? found.id : "not covered");
	approval_done(&found);
	return r ? 0 : 1;
}

int main(int argc, char **argv)
{
	static struct ask_case c = {.wait_ms = WAIT_MS,
				    .caps = CAP_BIT(CAP_WRITE),
				    .approvers = 1,
				    .origin = ORIGIN_DERIVED};
	static char code[CODE_MAX];
	struct store *s = NULL;
	struct err err;

	if (argc < 4 || sodium_init() < 0)
		die("usage", NULL);
	approval_init(&c.r);
	request_init(&c.from);
	c.from.lang = "python";
	c.from.file = argv[3];
	for (int i = 4; i < argc; i++)
		set(&c, argv[i]);
	decide(&c);
	int dir = open(argv[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd = open(argv[3], O_RDONLY);
	ssize_t len = fd < 0 ? -1 : io_read_full(fd, code, sizeof(code));
	if (dir < 0 || len < 0 || store_open(&(struct store_options){.dir = dir}, &s, &err) < 0)
		die("the store or the file", dir < 0 || len < 0 ? NULL : &err);
	int status = ask(&c, s, strcmp(argv[1], "use") == 0,
			 (struct approval_code){.data = code, .len = (size_t)len});
	store_close(s);
	arena_done(&c.arena);
	return status;
}
