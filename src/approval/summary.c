/* SPDX-License-Identifier: MIT
 *
 * Builds the lines of summary.h.
 */
#include "approval/summary.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "model/limit.h"

enum { NAMED = 4, WHEN_MAX = 48, TYPE_DIRECTORY = 2 };

static const char *size_words(uint64_t bytes, struct arena *a)
{
	static const char *const names[] = {"bytes", "KB", "MB", "GB"};
	size_t i = 0;

	while (i < 3 && bytes >= 10000) {
		bytes = (bytes + 500) / 1000;
		i++;
	}
	const char *words = arena_printf(a, "%llu %s", (unsigned long long)bytes, names[i]);
	return words ? words : "?";
}

/* "A, B and 3 more" */
static const char *some_of(const struct approval_list *l, struct arena *a)
{
	const struct approval_text *t = l->list;
	const char *all = "";

	for (size_t i = 0; i < l->count && i < NAMED; i++)
		all = arena_printf(a, "%s%s%s", all ? all : "", i ? ", " : "", t[i].text);
	if (l->count > NAMED)
		all = arena_printf(a, "%s and %zu more", all ? all : "", l->count - NAMED);
	return all ? all : "";
}

enum { CREATED, MODIFIED, DELETED, MODE };

/* A new or deleted directory: its files are listed, so it tells nothing new. */
static bool is_plain_directory(const struct approval_change *c)
{
	return (c->change == CREATED && c->after_type == TYPE_DIRECTORY) ||
	       (c->change == DELETED && c->before_type == TYPE_DIRECTORY);
}

/* "1 file", "3 directories" */
static const char *count_words(unsigned long long count, const char *one, const char *many,
			       struct arena *a)
{
	const char *words = arena_printf(a, "%llu %s", count, count == 1 ? one : many);

	return words ? words : "?";
}

static const char *headline_of_changes(const struct approval_request *r, struct arena *a)
{
	const struct approval_change *c = r->changes.list;
	unsigned long long added = 0, removed = 0;
	size_t files = 0, self_executing = 0;

	for (size_t i = 0; i < r->changes.count; i++) {
		added += c[i].added;
		removed += c[i].removed;
		files += approval_change_gives(&c[i]);
		self_executing += c[i].note[0] != '\0';
	}
	size_t dirs = r->changes.count - files;
	const char *of_files = files ? count_words(files, "file", "files", a) : "";
	const char *of_dirs =
		dirs || !files ? count_words(dirs, "directory", "directories", a) : "";
	return arena_printf(a, "change %s%s%s in %s: +%llu -%llu%s", of_files,
			    *of_files && *of_dirs ? " and " : "", of_dirs, r->workspace, added,
			    removed, self_executing ? ", and some RUN BY THEMSELVES" : "");
}

const char *approval_duration(uint64_t ms, struct arena *a)
{
	static const struct {
		uint64_t ms;
		const char *one, *many;
	} units[] = {{86400000, "day", "days"},
		     {3600000, "hour", "hours"},
		     {60000, "minute", "minutes"},
		     {1000, "second", "seconds"}};
	size_t i = 0;

	while (i < sizeof(units) / sizeof(units[0]) && (ms < units[i].ms || ms % units[i].ms))
		i++;
	return i < sizeof(units) / sizeof(units[0])
		       ? count_words(ms / units[i].ms, units[i].one, units[i].many, a)
		       : count_words(ms, "millisecond", "milliseconds", a);
}

/* The limits of a grant, in the form of src/door/cli/command_grant.c. */
static const char *limit_words(const char *arg, struct arena *a)
{
	unsigned long long sent, time;
	unsigned runs;
	char uses[32] = "";

	if (sscanf(arg, "sent %llu runs %u time %llu", &sent, &runs, &time) != 3)
		return arg;
	if (runs)
		snprintf(uses, sizeof(uses), " and %u uses", runs);
	const char *much = size_words(sent, a);
	return arena_printf(a, "for %s%s, each run sends %s at most",
			    approval_duration(time / 1000, a), uses, much);
}

const char *approval_act_words(const struct approval_request *r, const char *arg, struct arena *a)
{
	static const struct {
		const char *begin, *words;
	} effects[] = {
		{"write", "write below"}, {"net", "connect to"}, {"secret", "use the secret"}};
	size_t len = strcspn(arg, " ");
	const char *rest = arg + len + (arg[len] == ' ');

	if (strcmp(r->name, "grant") != 0)
		return arg;
	if (strncmp(arg, "sent ", 5) == 0)
		return limit_words(arg, a);
	if (strncmp(arg, "directory ", 10) == 0) {
		const char *path = strchr(rest, ' ');
		path = path ? strchr(path + 1, ' ') : NULL;
		return path && path[1] ? arena_printf(a, "directory %s", path + 1) : NULL;
	}
	for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++)
		if (len == strlen(effects[i].begin) && strncmp(arg, effects[i].begin, len) == 0)
			return *rest ? arena_printf(a, "%s %s", effects[i].words, rest) : NULL;
	return *rest ? arg : NULL;
}

/* "grant conversation X: write below ., for 8 hours" */
static const char *headline_of_grant(const struct approval_request *r, struct arena *a)
{
	const struct approval_text *t = r->args.list;
	const char *all = "grant", *between = " ";

	for (size_t i = 0; i < r->args.count; i++) {
		const char *words = approval_act_words(r, t[i].text, a);
		bool is_subject = strncmp(t[i].text, "conversation ", 13) == 0 ||
				  strncmp(t[i].text, "directory ", 10) == 0;
		if (!words)
			continue;
		all = arena_printf(a, "%s%s%s", all, between, words);
		if (!all)
			return NULL;
		between = is_subject ? ": " : ", ";
	}
	return all;
}

static const char *headline_of_act(const struct approval_request *r, struct arena *a)
{
	if (strcmp(r->name, "grant") == 0)
		return headline_of_grant(r, a);
	return arena_printf(a, "%s: %s", r->name, some_of(&r->args, a));
}

static const char *headline_of_run(const struct approval_request *r, struct arena *a)
{
	const char *what = "";

	if (r->net.count)
		what = arena_printf(a, " connect to %s", some_of(&r->net, a));
	if (r->secret.count)
		what = arena_printf(a, "%s%s use the secret %s", what ? what : "",
				    r->net.count ? " and" : "", some_of(&r->secret, a));
	if (r->net.count || r->secret.count)
		return arena_printf(a, "let %s code%s", r->lang, what ? what : "");
	return arena_printf(a, "run %s code that comes from an untrusted source", r->lang);
}

const char *approval_headline(const struct approval_request *r, struct arena *arena)
{
	const char *line = approval_is_changes(r)	 ? headline_of_changes(r, arena)
			   : strcmp(r->lang, "act") == 0 ? headline_of_act(r, arena)
							 : headline_of_run(r, arena);

	return line ? line : "(out of memory)";
}

static const char *change_words(const struct approval_change *c, struct arena *a)
{
	static const char *const words[] = {"new ", "", "deleted ", ""};
	const char *added = "", *removed = "";

	if (is_plain_directory(c))
		return arena_printf(a, "%sdirectory %s", words[c->change & 3], c->path);
	if (c->change == MODE)
		return arena_printf(a, "%s mode %04llo to %04llo", c->path,
				    (unsigned long long)c->before_mode,
				    (unsigned long long)c->after_mode);
	if (c->added)
		added = arena_printf(a, " +%llu", (unsigned long long)c->added);
	if (c->removed)
		removed = arena_printf(a, " -%llu", (unsigned long long)c->removed);
	return arena_printf(a, "%s%s%s%s", words[c->change & 3], c->path, added ? added : "",
			    removed ? removed : "");
}

typedef const char *words_fn(const struct approval_change *c, struct arena *a);
static const char *list_changes(const struct approval_request *r, struct arena *a, words_fn *words)
{
	const struct approval_change *c = r->changes.list;
	const char *all = "";
	size_t count = 0;

	/* Plain directories come last. */
	for (size_t i = 0; i < 2 * r->changes.count; i++) {
		bool is_last = i >= r->changes.count;
		const struct approval_change *change = &c[is_last ? i - r->changes.count : i];
		const char *one = is_plain_directory(change) == is_last ? words(change, a) : NULL;
		if (one && count++ < NAMED)
			all = arena_printf(a, "%s%s%s", all ? all : "", count > 1 ? ", " : "", one);
	}
	if (count > NAMED)
		all = arena_printf(a, "%s and %zu more", all ? all : "", count - NAMED);
	return count ? all : NULL;
}

static const char *self_executing_words(const struct approval_change *c, struct arena *a)
{
	(void)a;
	return c->note[0] ? c->path : NULL;
}

static const char *self_executing_line(const struct approval_request *r, struct arena *a)
{
	const char *list = list_changes(r, a, self_executing_words);

	return list ? arena_printf(a, "%s: run or obeyed outside the box without asking", list)
		    : NULL;
}

static const char *unshown_words(const struct approval_change *c, struct arena *a)
{
	uint64_t most = c->after_size > c->before_size ? c->after_size : c->before_size;

	if (c->shown == APPROVAL_TEXT)
		return NULL;
	return arena_printf(a, "%s (%s, %s)", c->path,
			    c->shown == APPROVAL_NOT_TEXT ? "not text" : "too large",
			    size_words(most, a));
}

/* What can leave. */
static const char *reach_words(const struct approval_request *r, struct arena *a)
{
	const struct approval_text *limit = r->limits.list;
	const char *most = r->limits.count > LIMIT_NET_OUT ? limit[LIMIT_NET_OUT].text : NULL;
	const char *value = most ? strchr(most, ' ') : NULL;
	const struct approval_input *in = r->inputs.list;
	const char *workspace = r->inputs.count && r->workspace[0] ? strchr(in[0].name, '/') : NULL;

	if (!r->net.count && !r->secret.count)
		return NULL;
	return arena_printf(a, "it could send up to %s of anything in %s there",
			    value ? value + 1 : "any amount",
			    workspace ? workspace : "its code and input");
}

static const char *tie_words(const struct approval_request *r, struct arena *a)
{
	const struct approval_evidence *e = r->evidence.list;

	if (!r->evidence.count)
		return NULL;
	const char *kind = source_kind_name((unsigned)e->kind);
	if (r->evidence.count + r->evidence_more == 1)
		return arena_printf(a, "%s %s", kind, e->name);
	return arena_printf(a, "%s %s; %llu ties in all", kind, e->name,
			    (unsigned long long)(r->evidence.count + r->evidence_more));
}

static const struct approval_attachment *find_attachment(const struct approval_request *r,
							 const char *name)
{
	const struct approval_attachment *k = r->attachments.list;

	for (size_t i = 0; i < r->attachments.count; i++)
		if (strcmp(k[i].name, name) == 0)
			return &k[i];
	return NULL;
}

/* What a person must read beside the code. */
static const char *input_words(const struct approval_request *r, struct arena *a)
{
	const struct approval_input *in = r->inputs.list;
	const struct approval_attachment *input = find_attachment(r, "stdin");
	const char *all = "";
	size_t count = 0;

	if (input && input->len && ++count)
		all = arena_printf(a, "%s of standard input", size_words(input->len, a));
	for (size_t i = 0; i < r->inputs.count && i < NAMED; i++) {
		int word = (int)strcspn(in[i].name, "/");
		bool pending = strncmp(in[i].name, "pending", 7) == 0;
		bool is_tree = pending || strncmp(in[i].name, "workspace", 9) == 0;
		bool is_listed =
			!is_tree || find_attachment(r, pending ? "pending files" : "files");
		all = arena_printf(a, "%s%s%.*s(%llu paths%s)", all ? all : "", count++ ? ", " : "",
				   word, in[i].name, (unsigned long long)in[i].entries,
				   is_listed ? "" : ", TOO MANY to list");
	}
	return count ? all : NULL;
}

static const char *exposed_words(const struct approval_request *r)
{
	const struct approval_text *t = r->reasons.list;

	for (size_t i = 0; !r->evidence.count && i < r->reasons.count; i++)
		if (strncmp(t[i].text, EXPOSED_BY, sizeof(EXPOSED_BY) - 1) == 0)
			return t[i].text + sizeof(EXPOSED_BY) - 1;
	return NULL;
}

static const char *clock_words(uint64_t ms, char ret[static WHEN_MAX])
{
	time_t end = (time_t)(ms / 1000);
	struct tm tm, now;
	time_t today = time(NULL);

	if (localtime_r(&end, &tm) && localtime_r(&today, &now))
		strftime(ret, WHEN_MAX, tm.tm_yday == now.tm_yday ? "%H:%M" : "%Y-%m-%d %H:%M",
			 &tm);
	return ret;
}

static const char *answer_words(const struct approval *a, uint64_t now, struct arena *arena)
{
	uint64_t left = a->request.expires > now ? (a->request.expires - now + 59999) / 60000 : 0;
	char until[WHEN_MAX] = "";

	return arena_printf(arena, "by %s (%llu min), or it is denied; %llu %s must agree",
			    clock_words(a->request.expires, until), (unsigned long long)left,
			    (unsigned long long)a->request.approvers,
			    a->request.approvers > 1 ? "people" : "person");
}

/* Appends OBJECT, and VERB before the first object. */
static const char *give_words(const char *all, const char *verb, const char *object, bool first,
			      struct arena *a)
{
	return arena_printf(a, "%s%s %s%s", all ? all : "", *all ? "," : "", first ? verb : "",
			    object);
}

const char *approval_grant_words(const struct approval_request *r, uint64_t end, struct arena *a)
{
	const struct approval_change *c = r->changes.list;
	const struct approval_text *net = r->net.list, *secret = r->secret.list;
	const char *all = "";
	char until[WHEN_MAX] = "";
	size_t paths = 0;

	for (size_t i = 0; all && i < r->changes.count; i++)
		if (approval_change_gives(&c[i]))
			all = give_words(all, "write ", arena_quote(a, c[i].path), paths++ == 0, a);
	for (size_t i = 0; all && i < r->net.count; i++)
		all = give_words(all, "connect to ", net[i].text, i == 0, a);
	for (size_t i = 0; all && i < r->secret.count; i++)
		all = give_words(all, "use the secret ", secret[i].text, i == 0, a);
	if (all && !*all)
		return NULL;
	return arena_printf(a, "all code of the conversation may%s until %s without asking",
			    all ? all : " (out of memory)", clock_words(end, until));
}

size_t approval_summary(const struct approval *a, uint64_t now, struct arena *arena,
			struct summary_line ret[SUMMARY_LINES])
{
	const struct approval_request *r = &a->request;
	bool writes = approval_is_changes(r), acts = strcmp(r->lang, "act") == 0;
	const struct summary_line all[] = {
		{"asks to", approval_headline(r, arena)},
		{"title", r->title[0] ? arena_printf(arena, "\"%s\"", r->title) : NULL},
		{"changes", writes ? list_changes(r, arena, change_words) : NULL},
		{"BEWARE", writes ? self_executing_line(r, arena) : NULL},
		{"not shown", writes ? list_changes(r, arena, unshown_words) : NULL},
		{"reach", writes || acts ? NULL : reach_words(r, arena)},
		{"is given", writes || acts ? NULL : input_words(r, arena)},
		{"ties to", tie_words(r, arena)},
		{"exposed by", exposed_words(r)},
		{"agent says", r->purpose[0] ? arena_printf(arena, "\"%s\"", r->purpose) : NULL},
		{"on no", writes ? "nothing is written; the changes stay pending"
			  : acts ? "nothing is changed"
				 : "the code does not get this; the requester is told"},
	};
	size_t count = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].text)
			ret[count++] = all[i];
	if (approval_state_at(a, now) != APPROVAL_PENDING)
		return count;
	ret[count++] = (struct summary_line){"answer", answer_words(a, now, arena)};
	ret[count++] = (struct summary_line){
		"", arena_printf(arena, "cordon approvals approve %s%s", a->id,
				 r->confirmation ? "" : " --key FILE --as NAME")};
	ret[count++] =
		(struct summary_line){"", arena_printf(arena, "cordon approvals deny %s", a->id)};
	return count;
}
