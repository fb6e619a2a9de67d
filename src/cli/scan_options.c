/* SPDX-License-Identifier: MIT
 *
 * The options of scan and rules. Words that are rows elsewhere (lanes, severities, events, kinds,
 * formats) are not repeated here: help and errors are made from those rows.
 */
#include <string.h>

#include "base/scope.h"
#include "cli/scan.h"
#include "conf/names.h"

static const char *lane_at(unsigned i)
{
	const struct word *w = vocab_at(VOCAB_LANE, i);

	return w ? w->name : NULL;
}

static const char *severity_at(unsigned i)
{
	const struct word *w = vocab_at(VOCAB_SEVERITY, i);

	return w ? w->name : NULL;
}

static const char *event_at(unsigned i)
{
	const struct word *w = vocab_at(VOCAB_EVENT, i);

	return w ? w->name : NULL;
}

static const char *format_at(unsigned i)
{
	return scan_format_at(i) ? scan_format_at(i)->name : NULL;
}

#define NAMES(function, at)                                                                        \
	static const char *function(char *buf, size_t size)                                        \
	{                                                                                          \
		return names_join(at, buf, size);                                                  \
	}

NAMES(names_of_lanes, lane_at)
NAMES(names_of_severities, severity_at)
NAMES(names_of_modes, detect_mode_name)
NAMES(names_of_formats, format_at)
NAMES(names_of_kinds, scan_kind_name)

/* Which of the option's words V is. */
static int choose(const char *(*at)(unsigned i), const struct cli_option *o, const char *v,
		  unsigned *ret, struct err *err)
{
	char names[NAMES_MAX];

	for (unsigned i = 0; at(i); i++)
		if (strcmp(at(i), v) == 0) {
			*ret = i;
			return 0;
		}
	return err_set(err, ERR_USAGE, "--%s: there is no \"%.32s\" (%s)", o->name, v,
		       names_join(at, names, sizeof(names)));
}

static int set_lane(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	return choose(lane_at, o, v, &c->scan.lane, err);
}

static int set_mode(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	return choose(detect_mode_name, o, v, &c->scan.mode, err);
}

static int set_type(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	c->scan.has_type = true;
	return choose(event_at, o, v, &c->scan.type, err);
}

static int set_kind(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	c->scan.has_kind = true;
	return choose(scan_kind_name, o, v, &c->scan.kind, err);
}

static int set_fail_on(struct cli_call *c, const struct cli_option *o, const char *v,
		       struct err *err)
{
	return choose(severity_at, o, v, &c->scan.fail_on, err);
}

static int set_format(struct cli_call *c, const struct cli_option *o, const char *v,
		      struct err *err)
{
	unsigned i = 0;

	if (choose(format_at, o, v, &i, err) < 0)
		return -1;
	c->scan.format = scan_format_at(i);
	return 0;
}

static int set_effects(struct cli_call *c, const struct cli_option *o, const char *v,
		       struct err *err)
{
	(void)o, (void)v, (void)err;
	c->scan.effects = true;
	return 0;
}

static int set_view(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o, (void)v, (void)err;
	c->scan.code_view = true;
	return 0;
}

static int set_no_view(struct cli_call *c, const struct cli_option *o, const char *v,
		       struct err *err)
{
	(void)o, (void)v, (void)err;
	c->scan.no_code_view = true;
	return 0;
}

static int set_inactive(struct cli_call *c, const struct cli_option *o, const char *v,
			struct err *err)
{
	(void)o, (void)v, (void)err;
	c->scan.inactive = true;
	return 0;
}

#define RULES_ROW                                                                                  \
	{                                                                                          \
		"rules", "DIR",                                                                    \
			"a directory of rules; may be repeated; else the built-in and the "        \
			"fetched pack",                                                            \
			cli_set_rules, NULL                                                        \
	}
#define STRICT_ROW                                                                                 \
	{                                                                                          \
		"strict", NULL, "the first error in a rule is the end", cli_set_strict, NULL       \
	}
#define MODE_ROW                                                                                   \
	{                                                                                          \
		"mode", "M", "reference: as the public engine, its blind spots included",          \
			set_mode, names_of_modes                                                   \
	}

const struct cli_option cli_scan_options[] = {
	RULES_ROW,
	{"lane", "L", "the first, with all rules, is the default", set_lane, names_of_lanes},
	MODE_ROW,
	{"type", "EVENT", "llm_input, tool_call ...; else rules for every event are asked",
	 set_type, NULL},
	{"kind", "K", "else by name", set_kind, names_of_kinds},
	{"format", "F", "the first is the default", set_format, names_of_formats},
	{"json", NULL, "the same as --format json", cli_set_json, NULL},
	{"fail-on", "SEV", "exit with 1 from there up; else any", set_fail_on, names_of_severities},
	{"effects", NULL, "show what programs would do", set_effects, NULL},
	{"no-code-view", NULL, "scan programs only as the text they are", set_no_view, NULL},
	{"inactive", NULL, "drafts and deprecated rules too", set_inactive, NULL},
	STRICT_ROW,
	{0}};

const struct cli_option cli_rules_options[] = {
	RULES_ROW,
	STRICT_ROW,
	MODE_ROW,
	{"code-view", NULL, "test: also read each case as a program", set_view, NULL},
	{"json", NULL, "print JSON", cli_set_json, NULL},
	{0}};
