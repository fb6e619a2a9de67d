/* SPDX-License-Identifier: MIT
 *
 * cordon doctor: proves every layer on this machine by trying what it must stop.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/scope.h"
#include "door/cli/cli.h"
#include "flow/doctor.h"
#include "show/jsonval.h"
#include "show/terminal.h"

enum { TRIES_MAX = 2 };

struct options {
	size_t tryc;
	uint16_t port[TRIES_MAX];
};

CLI_OWN(struct options)

static int set_try(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	struct options *own = options_of(c);
	char *end;
	unsigned long port = strtoul(v, &end, 10);

	(void)o;
	if (*v < '0' || *v > '9' || *end || port == 0 || port > UINT16_MAX ||
	    own->tryc == TRIES_MAX)
		return err_set(err, ERR_USAGE, "--try %.32s: a port, at most %d times", v,
			       TRIES_MAX);
	own->port[own->tryc++] = (uint16_t)port;
	return 0;
}

static const struct cli_option doctor_options[] = {
	{"json", NULL, "print one JSON object", .set = cli_set_json},
	{"try", "PORT", "only connect to this port of 127.0.0.1; doctor calls itself so in a box",
	 .set = set_try, .may_repeat = true},
	{0}};

static void print_row(const char *name, const struct wire_probe *p, const char *help)
{
	printf("  %-9s %s  %s\n", name, p->active ? "holds  " : "MISSING", help);
	if (!p->active && p->cause[0])
		printf("  %-9s          because: %s\n", "", p->cause);
	if (!p->active && p->cure[0])
		printf("  %-9s          try: %s\n", "", p->cure);
}

static void print_people(const struct doctor *d)
{
	for (int l = 0; l < LAYER_COUNT; l++)
		print_row(layer_row((enum layer)l)->name, &d->probe[l],
			  layer_row((enum layer)l)->help);
	puts("");
	print_row("--net", &d->egress, "hosts that a rule names are reached, and no others");
	puts("");
	for (int t = 0; t < TIER_COUNT; t++)
		printf("  --tier %-10s %s%s%s\n", tier_row((enum tier)t)->name,
		       d->works[t] ? "works here" : "does not work here", d->works[t] ? "" : "; ",
		       d->cause[t]);
}

/* Prints the default tier, and how to change it if it does not work here. */
static void print_tier(const struct config *c, const struct doctor *d)
{
	char cure[CLI_TIER_CURE_MAX];
	int t = 0;

	printf("\n  runs have the tier %s (%s)\n", tier_row(c->now.tier)->name,
	       c->now.where[CONFIG_TIER] ? c->now.where[CONFIG_TIER] : "the default");
	while (t < TIER_COUNT && !d->works[t])
		t++;
	if (!d->works[c->now.tier] && t < TIER_COUNT)
		printf("    it does not work here; try: %s\n",
		       cli_tier_cure(c, (enum tier)t, cure));
}

static void print_checks(const struct doctor_check *checks)
{
	puts("");
	for (int i = 0; i < DOCTOR_CHECKS; i++) {
		const struct doctor_check *c = &checks[i];
		printf("  %-13s %s  ", c->name, c->holds ? "good " : "WRONG");
		terminal_print_text(stdout, c->holds ? c->found : c->cause);
		if (c->cure[0]) {
			printf("\n  %-13s        try: ", "");
			terminal_print_text(stdout, c->cure);
		}
		putchar('\n');
	}
}

static json_t *probe_json(const struct wire_probe *p)
{
	return json_pack("{s:b, s:s, s:s}", "holds", p->active, "cause", p->cause, "cure", p->cure);
}

static json_t *checks_json(const struct doctor_check *checks)
{
	json_t *all = json_object();

	for (int i = 0; i < DOCTOR_CHECKS; i++) {
		const struct doctor_check *c = &checks[i];
		json_object_set_new(all, c->name,
				    json_pack("{s:b, s:o, s:o, s:o}", "holds", c->holds, "found",
					      jsonval_readable(c->found), "cause",
					      jsonval_readable(c->cause), "cure",
					      jsonval_readable(c->cure)));
	}
	return all;
}

static void print_json(const struct config *c, const struct doctor *d,
		       const struct doctor_check *checks)
{
	json_t *layers = json_object(), *tiers = json_object(), *causes = json_object();

	for (int l = 0; l < LAYER_COUNT; l++)
		json_object_set_new(layers, layer_row((enum layer)l)->name,
				    probe_json(&d->probe[l]));
	for (int t = 0; t < TIER_COUNT; t++) {
		const char *name = tier_row((enum tier)t)->name;
		json_object_set_new(tiers, name, json_boolean(d->works[t]));
		if (!d->works[t])
			json_object_set_new(causes, name, json_string(d->cause[t]));
	}
	json_t *o = json_pack("{s:o, s:o, s:o, s:s, s:o, s:o}", "layers", layers, "tiers", tiers,
			      "tier_causes", causes, "tier", tier_row(c->now.tier)->name, "net",
			      probe_json(&d->egress), "checks", checks_json(checks));
	jsonval_dump(o, 0);
}

/* Returns 0 if all ports were reached. */
static int try_ports(const struct options *d)
{
	int failed = 0;

	for (size_t i = 0; i < d->tryc; i++) {
		struct sockaddr_in to = {.sin_family = AF_INET,
					 .sin_port = htons(d->port[i]),
					 .sin_addr = {htonl(INADDR_LOOPBACK)}};
		AUTO_CLOSE int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		int error =
			fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0 ? errno : 0;
		printf("%u: %s\n", d->port[i], error ? strerror(error) : "connected");
		failed |= error != 0;
	}
	return failed;
}

static int tell(const struct cli_call *call, const struct doctor *d,
		const struct doctor_check *checks)
{
	const struct config *c = &call->config;
	bool good = d->works[c->now.tier];

	for (int i = 0; i < DOCTOR_CHECKS; i++)
		good = good && checks[i].holds;
	if (call->json) {
		print_json(c, d, checks);
	} else {
		print_people(d);
		if (checks[0].holds)
			print_tier(c, d);
		print_checks(checks);
	}
	return good ? 0 : 125;
}

/* Returns 0 if runs work here with the default tier, else 125. */
static int run_doctor(struct cli_call *call)
{
	if (options_of(call)->tryc)
		return try_ports(options_of(call));
	AUTO_FREE struct doctor *d = calloc(1, sizeof(*d));
	AUTO_FREE struct doctor_check *checks = calloc(DOCTOR_CHECKS, sizeof(*checks));
	struct err err, broken = {0};

	if (!d || !checks)
		return 125;
	int loaded = config_load(&call->config, NULL, &broken);
	if (doctor_run(d, &err) < 0)
		return cli_fail(call, &err);
	doctor_check_host(&call->config, loaded < 0 ? &broken : NULL, checks);
	return tell(call, d, checks);
}

static const struct cli_combination doctor_combinations[] = {{"json", NOT_WITH, "try"}, {0}};

COMMAND(doctor) = {
	.name = "doctor",
	.order = 20,
	.synopsis = "[--json]",
	.help = "prove every layer of the box on this machine",
	.example = "cordon doctor",
	.options = doctor_options,
	.combinations = doctor_combinations,
	.runs_unconfigured = true,
	.run = run_doctor,
};
