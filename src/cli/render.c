/* SPDX-License-Identifier: MIT
 *
 * Shows a result: as one JSON object, or as a few lines for a person. Strings from the box are
 * data here: JSON escapes them, and what a person sees has no control characters.
 */
#include <jansson.h>
#include <signal.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "cli/cli.h"
#include "cli/glyph.h"
#include "conf/units.h"

#define COLOUR_RED "\033[31m"
#define COLOUR_OFF "\033[0m"

bool cli_has_colour(FILE *to)
{
	const char *no = getenv("NO_COLOR");

	return isatty(fileno(to)) && !(no && *no);
}

/* Returns how many bytes it took. */
static unsigned say_char(const unsigned char *p)
{
	char shown[GLYPH_SHOWN_MAX];
	unsigned len = glyph_length(*p), have = 1;

	while (have < len && (p[have] & 0xc0) == 0x80)
		have++;
	uint32_t c = glyph_decode(p, have == len ? len : 1);
	if (c >= GLYPH_BROKEN || glyph_is_obeyed(c) || glyph_is_unseen(c)) {
		fwrite(shown, 1, glyph_show(c, shown), stderr);
		return c >= GLYPH_BROKEN ? 1 : len;
	}
	fwrite(p, 1, len, stderr);
	return len;
}

/* Every line of ours begins the same way; a value from outside never starts a line. */
static void say(const char *label, const char *text)
{
	bool colour = cli_has_colour(stderr);

	fprintf(stderr, "%scordon: %s%s", colour ? COLOUR_RED : "", label,
		colour ? COLOUR_OFF : "");
	const unsigned char *p = (const unsigned char *)text;
	for (unsigned len; *p; p += len)
		len = say_char(p);
	fputc('\n', stderr);
}

void cli_print_error(const struct err *err)
{
	if (err->layer[0]) {
		char label[64];
		snprintf(label, sizeof(label), "layer %s: ", err->layer);
		say(label, err->message);
	} else {
		say("", err->message);
	}
	if (err->cause[0])
		say("  because: ", err->cause);
	if (err->cure[0])
		say("  try: ", err->cure);
}

void cli_print_lost(void)
{
	struct err err;

	err_set(&err, ERR_SYSTEM, "the output could not be written: some of it is lost");
	err_cure(&err, "look for a full disk or a closed pipe behind standard output");
	cli_print_error(&err);
}

static void say_denials(const struct result *r)
{
	char line[512];

	for (size_t i = 0; i < r->denialc && i < 8; i++) {
		const struct wire_denial *d = &r->denials[i];
		snprintf(line, sizeof(line), "%.31s%s%.200s (%.95s)%s", d->call,
			 d->target[0] ? " " : "", d->target, d->rule,
			 d->count > 1 ? ", repeatedly" : "");
		say("refused: ", line);
	}
	if (r->denialc > 8) {
		snprintf(line, sizeof(line), "%zu more; --json lists all", r->denialc - 8);
		say("refused: ", line);
	}
}

/* ONLY_NOTED: those that stand in the way. */
static void say_changes(const struct result *r, bool only_noted)
{
	static const char *const marks[] = {"+ ", "~ ", "- "};
	char line[600];

	for (size_t i = 0; i < r->changec; i++) {
		const struct change *c = &r->changes[i];
		if (only_noted && !c->note)
			continue;
		snprintf(line, sizeof(line), "%s%.512s%s%s", marks[c->change], c->path,
			 c->note ? "  not committed: " : "", c->note ? c->note : "");
		say("", line);
	}
	if (r->changes_cut)
		say("", "more changes than can be listed");
}

static void say_end(const struct result *r)
{
	char line[160], value[32];

	if (r->status == STATUS_TIMED_OUT) {
		say("", "stopped: the time limit (--time) was reached");
	} else if (r->wire.limit < LIMIT_COUNT) {
		const struct limit_row *row = limit_row((enum limit_id)r->wire.limit);
		snprintf(line, sizeof(line), "%s the %s limit (--%s%s%s)",
			 r->status == STATUS_LIMIT ? "stopped:" : "it ran into", row->name,
			 row->name, r->wire.limit_value ? " " : "",
			 r->wire.limit_value ? units_format(row->unit, r->wire.limit_value, value,
							    sizeof(value))
					     : "");
		say("", line);
	} else if (r->status == STATUS_SIGNALED) {
		snprintf(line, sizeof(line), "killed by signal %d (%s)", r->signal,
			 r->wire.killed_by_rule ? "for a call on the kill list"
						: strsignal(r->signal));
		say("", line);
	}
}

void cli_print_summary(const struct result *r, bool mid_line)
{
	bool plain = r->status == STATUS_EXITED && r->exit_code == 0 && !r->changec &&
		     r->wire.limit >= LIMIT_COUNT;

	fflush(stdout);
	if (mid_line && !plain)
		fputc('\n', stderr);
	if (r->status == STATUS_ERROR || r->status == STATUS_REFUSED) {
		cli_print_error(&r->err);
		say_changes(r, true);
		return;
	}
	say_end(r);
	/* A refusal that the program shrugged off needs no words. */
	if (r->status != STATUS_EXITED || r->exit_code != 0)
		say_denials(r);
	say_changes(r, false);
}

/* Never cuts a UTF-8 character at the gap: half of one would make text look binary. */
static size_t char_start_before(const char *s, size_t at)
{
	size_t back = 0;

	while (back < 4 && at > back && ((unsigned char)s[at - back - 1] & 0xc0) == 0x80)
		back++;
	if (at > back && (unsigned char)s[at - back - 1] >= 0xc0)
		return at - back - 1;
	return at;
}

static size_t char_start_after(const char *s, size_t at, size_t len)
{
	size_t end = at;

	while (end < len && end - at < 3 && ((unsigned char)s[end] & 0xc0) == 0x80)
		end++;
	return end;
}

static json_t *base64(const char *data, size_t len)
{
	size_t size = sodium_base64_ENCODED_LEN(len, sodium_base64_VARIANT_ORIGINAL);
	AUTO_FREE char *text = malloc(size);

	if (!text)
		return NULL;
	sodium_bin2base64(text, size, (const unsigned char *)data, len,
			  sodium_base64_VARIANT_ORIGINAL);
	return json_string(text);
}

/* stdout, stdout_encoding, stdout_bytes; and truncated.stdout when the middle is missing. */
static int add_stream(json_t *o, json_t *truncated, const char *name, const struct capture *c)
{
	char key[32];
	size_t len, gap;
	uint64_t omitted = capture_omitted(c);
	AUTO_FREE char *all = capture_join(c, &len, &gap);

	if (!all)
		return -1;
	if (omitted) {
		size_t before = char_start_before(all, gap),
		       after = char_start_after(all, gap, len);
		memmove(all + before, all + after, len - after);
		omitted += after - before;
		len -= after - before;
		gap = before;
		json_object_set_new(truncated, name,
				    json_pack("{s:I, s:I, s:I}", "total", (json_int_t)c->total,
					      "omitted", (json_int_t)omitted, "at",
					      (json_int_t)gap));
	}
	json_t *text = json_stringn(all, len);
	snprintf(key, sizeof(key), "%s_encoding", name);
	json_object_set_new(o, key, json_string(text ? "utf-8" : "base64"));
	json_object_set_new(o, name, text ? text : base64(all, len));
	snprintf(key, sizeof(key), "%s_bytes", name);
	return json_object_set_new(o, key, json_integer((json_int_t)c->total));
}

/* A name that is not UTF-8 cannot be a JSON string as it is. */
static void set_text(json_t *o, const char *key, const char *text, size_t len)
{
	json_t *s = json_stringn(text, len);

	if (!s) {
		s = base64(text, len);
		char marker[32];
		snprintf(marker, sizeof(marker), "%s_encoding", key);
		json_object_set_new(o, marker, json_string("base64"));
	}
	json_object_set_new(o, key, s);
}

static json_t *denials_json(const struct result *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->denialc; i++) {
		const struct wire_denial *d = &r->denials[i];
		json_t *o = json_object();
		set_text(o, "call", d->call, strnlen(d->call, sizeof(d->call)));
		set_text(o, "target", d->target, strnlen(d->target, sizeof(d->target)));
		set_text(o, "rule", d->rule, strnlen(d->rule, sizeof(d->rule)));
		json_object_set_new(o, "count", json_integer(d->count));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *changes_json(const struct result *r)
{
	static const char *const kinds[] = {"added", "modified", "deleted"};
	static const char *const types[] = {"file", "directory", "link", "other"};
	json_t *list = json_array();

	for (size_t i = 0; i < r->changec; i++) {
		const struct change *c = &r->changes[i];
		json_t *o = json_object();
		char mode[8];
		set_text(o, "path", c->path, c->path_len);
		json_object_set_new(o, "change", json_string(kinds[c->change]));
		if (c->change != CHANGE_DELETED) {
			snprintf(mode, sizeof(mode), "%04o", c->mode & 07777);
			json_object_set_new(o, "type", json_string(types[c->type]));
			json_object_set_new(o, "mode", json_string(mode));
			json_object_set_new(o, "size", json_integer((json_int_t)c->size));
		}
		if (c->note)
			json_object_set_new(o, "not_committed", json_string(c->note));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *layers_json(uint32_t layers)
{
	json_t *list = json_array();

	for (int l = 0; l < LAYER_COUNT; l++)
		if (layers & LAYER_BIT(l))
			json_array_append_new(list, json_string(layer_row((enum layer)l)->name));
	return list;
}

static json_t *error_json(const struct err *err)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s}", "kind", err_row(err)->name, "layer",
			 err->layer, "message", err->message, "cause", err->cause, "cure",
			 err->cure);
}

static void add_run(json_t *o, const struct result *r)
{
	const struct wire_result *w = &r->wire;
	json_t *truncated = json_object();

	add_stream(o, truncated, "stdout", &r->out[0]);
	add_stream(o, truncated, "stderr", &r->out[1]);
	json_object_set_new(o, "truncated", truncated);
	json_object_set_new(o, "usage",
			    json_pack("{s:I, s:I, s:I, s:I}", "wall_ms", (json_int_t)w->wall_ms,
				      "cpu_ms", (json_int_t)w->cpu_ms, "memory_peak",
				      (json_int_t)w->memory_peak, "pids_peak",
				      (json_int_t)w->pids_peak));
	json_object_set_new(o, "counted_by", json_string(w->cgroup));
	json_object_set_new(o, "layers", layers_json(w->layers));
	json_object_set_new(o, "denials", denials_json(r));
	json_object_set_new(o, "changes", changes_json(r));
	json_object_set_new(o, "changes_cut", json_boolean(r->changes_cut));
	json_object_set_new(o, "committed", json_boolean(r->committed));
}

static json_t *sha256_json(const struct result *r)
{
	char hex[65];

	if (!r->has_sha256)
		return json_null();
	sodium_bin2hex(hex, sizeof(hex), r->sha256, sizeof(r->sha256));
	return json_string(hex);
}

void cli_print_json(const struct result *r, enum tier tier)
{
	json_t *o = json_object();
	bool exited = r->status == STATUS_EXITED;

	json_object_set_new(o, "status", json_string(status_name(r->status)));
	json_object_set_new(o, "exit_code", exited ? json_integer(r->exit_code) : json_null());
	json_object_set_new(o, "signal", r->signal ? json_integer(r->signal) : json_null());
	json_object_set_new(o, "limit",
			    r->status == STATUS_TIMED_OUT ? json_string("time")
			    : r->wire.limit < LIMIT_COUNT
				    ? json_string(limit_row((enum limit_id)r->wire.limit)->name)
				    : json_null());
	add_run(o, r);
	json_object_set_new(o, "tier", json_string(tier_row(tier)->name));
	json_object_set_new(o, "code_sha256", sha256_json(r));
	json_object_set_new(o, "error", r->err.code ? error_json(&r->err) : json_null());
	json_dumpf(o, stdout, JSON_COMPACT); /* main looks whether all was written */
	fputc('\n', stdout);
	json_decref(o);
}
