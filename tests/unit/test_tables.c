/* SPDX-License-Identifier: MIT
 *
 * The tables are the program: every row has a name of its own and a help text, every limit is a
 * flag of `cordon run`, every tier and layer is found by its name, every profile is complete, and
 * nothing that could leave a layer out is an option.
 */
#include <ctype.h>
#include <stdlib.h>

#include "base/scope.h"
#include "conf/profile.h"
#include "door/cli/cli.h"
#include "model/layer.h"
#include "model/limit.h"
#include "tap.h"

static bool is_name(const char *s)
{
	size_t len = s ? strlen(s) : 0;

	for (size_t i = 0; i < len; i++)
		if (!islower((unsigned char)s[i]) && s[i] != '-' && !isdigit((unsigned char)s[i]))
			return false;
	return len > 0 && len < 24 && s[0] != '-';
}

static bool is_help(const char *s)
{
	return s && strlen(s) >= 4 && strlen(s) < 140 && !strchr(s, '\n');
}

struct names {
	const char *name[64];
	size_t count;
};

static bool add_unique(struct names *n, const char *name)
{
	for (size_t i = 0; i < n->count; i++)
		if (strcmp(n->name[i], name) == 0)
			return false;
	n->name[n->count++] = name;
	return true;
}

static void test_limits(struct names *flags)
{
	struct names names = {0};

	for (int i = 0; i < LIMIT_COUNT; i++) {
		const struct limit_row *row = limit_row((enum limit_id)i);
		ok(is_name(row->name) && add_unique(&names, row->name), "limit %s has its own name",
		   row->name);
		ok(is_help(row->help), "limit %s has a help text", row->name);
		ok(row->min > 0 && row->min < row->max, "limit %s has bounds", row->name);
		ok(row->fallback == 0 || (row->fallback >= row->min && row->fallback <= row->max),
		   "limit %s has its default between them", row->name);
		ok(limit_find(row->name) == (enum limit_id)i, "limit %s is found", row->name);
		ok(add_unique(flags, row->name), "no option but the limit is called --%s",
		   row->name);
	}
	ok(limit_find("nothing") == LIMIT_COUNT && limit_find("") == LIMIT_COUNT,
	   "there is no other limit");
}

static void test_layers(void)
{
	struct names names = {0};
	unsigned all = (1U << TIER_COUNT) - 1;

	for (int i = 0; i < LAYER_COUNT; i++) {
		const struct layer_row *row = layer_row((enum layer)i);
		ok(is_name(row->name) && add_unique(&names, row->name), "layer %s has its own name",
		   row->name);
		ok(is_help(row->help), "layer %s has a help text", row->name);
		ok((row->needed & ~all) == 0, "layer %s names known tiers", row->name);
		/* A lower tier never needs what a higher one does without. */
		ok(layer_is_needed((enum layer)i, TIER_FULL) || row->needed == 0,
		   "layer %s is needed by full, or by none", row->name);
	}
	ok(layer_is_needed(LAYER_SECCOMP, TIER_NO_USERNS) &&
		   layer_is_needed(LAYER_LANDLOCK, TIER_NO_USERNS) &&
		   layer_is_needed(LAYER_NNP, TIER_NO_USERNS),
	   "no tier goes without seccomp, Landlock and no_new_privs");
}

static void test_tiers(void)
{
	struct names names = {0};

	for (int i = 0; i < TIER_COUNT; i++) {
		const struct tier_row *row = tier_row((enum tier)i);
		ok(is_name(row->name) && is_help(row->help) && add_unique(&names, row->name),
		   "tier %s has a name and a help text", row->name);
		ok(tier_find(row->name) == (enum tier)i, "tier %s is found", row->name);
	}
	ok(tier_find("none") == TIER_COUNT && tier_find("") == TIER_COUNT,
	   "there is no other tier");
	ok(TIER_FULL == 0, "the zero value is the strictest");
}

static void test_profiles(void)
{
	struct names names = {0};

	for (unsigned i = 0; profile_at(i); i++) {
		const struct profile *p = profile_at(i);
		ok(is_name(p->name) && is_help(p->help) && add_unique(&names, p->name),
		   "profile %s has a name and a help text", p->name);
		ok(profile_find(p->name) == p, "profile %s is found", p->name);
		ok(!p->interpreter == !p->package, "profile %s says what to install", p->name);
		ok(p->target && spec_path_is_clean(p->target), "profile %s has a target", p->name);
		size_t programs = 0;
		bool clean = !p->interpreter || spec_path_is_clean(p->interpreter);
		for (; p->programs && p->programs[programs]; programs++)
			clean = clean && spec_path_is_clean(p->programs[programs]);
		ok(clean && programs < SPEC_PROGRAMS_MAX, "profile %s has clean paths", p->name);
	}
	ok(profile_guess("x.py") == profile_find("python"), "x.py is python");
	ok(profile_guess("/a.b/x.mjs") == profile_find("node"), "x.mjs is node");
	ok(profile_guess("x.sh") == profile_find("bash"), "x.sh is bash");
	ok(!profile_guess(".py") && !profile_guess("x") && !profile_guess("x.pyc") &&
		   !profile_guess("-") && !profile_guess(""),
	   "no guess from anything else");
	ok(!profile_find("perl") && !profile_find(""), "there is no other profile");
}

static void test_command(const struct cli_command *cmd, struct names *flags)
{
	const struct cli_option *const tables[] = {cmd->options, cmd->more, cli_every_options};
	struct names names = {0};

	ok(is_name(cmd->name) && is_help(cmd->help) && cmd->example && cmd->run,
	   "cordon %s has a help text, an example and an effect", cmd->name);
	for (size_t t = 0; t < ARRAY_SIZE(tables); t++)
		for (const struct cli_option *o = tables[t]; o && o->name; o++) {
			ok(*o->name && add_unique(&names, o->name), "cordon %s: --%s is there once",
			   cmd->name, o->name);
			ok((is_help(o->help) || o->choice) && o->set,
			   "cordon %s: --%s has a help text and an effect", cmd->name, o->name);
			if (cmd->takes_limits)
				add_unique(flags, o->name);
		}
}

static void test_commands(struct names *flags)
{
	unsigned count = 0;

	for (; cli_commands[count]; count++)
		test_command(cli_commands[count], flags);
	for (unsigned i = 0; i < count; i++)
		ok(cli_command_at(cli_commands, i), "one command has the place %u in the help", i);
}

int main(void)
{
	struct names flags = {0};

	test_commands(&flags);
	test_limits(&flags);
	test_layers();
	test_tiers();
	test_profiles();
	return tap_done();
}
