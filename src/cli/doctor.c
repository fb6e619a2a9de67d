/* SPDX-License-Identifier: MIT
 *
 * cordon doctor: for every layer, whether it holds here, shown by trying what it must stop.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/scope.h"
#include "cli/jsonval.h"
#include "flow/doctor.h"

static int set_try(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	char *end;
	unsigned long port = strtoul(v, &end, 10);

	(void)o;
	if (*v < '0' || *v > '9' || *end || port == 0 || port > UINT16_MAX ||
	    c->doctor.tryc == CLI_TRIES_MAX)
		return err_set(err, ERR_USAGE, "--try %.32s: a port, at most %d times", v,
			       CLI_TRIES_MAX);
	c->doctor.port[c->doctor.tryc++] = (uint16_t)port;
	return 0;
}

const struct cli_option cli_doctor_options[] = {
	{"json", NULL, "print one JSON object", cli_set_json, NULL},
	{"try", "PORT", "only connect to it on 127.0.0.1, as its own canary does in a box", set_try,
	 NULL},
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

static json_t *probe_json(const struct wire_probe *p)
{
	return json_pack("{s:b, s:s, s:s}", "holds", p->active, "cause", p->cause, "cure", p->cure);
}

static void print_json(const struct doctor *d)
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
	json_t *o = json_pack("{s:o, s:o, s:o, s:o}", "layers", layers, "tiers", tiers,
			      "tier_causes", causes, "net", probe_json(&d->egress));
	jsonval_dump(o, 0);
}

/* 0: all of them were reached. */
static int try_ports(const struct cli_doctor *d)
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

/* 0: the default tier works here; 125: it does not. */
int cli_doctor(struct cli_call *call)
{
	if (call->doctor.tryc)
		return try_ports(&call->doctor);
	AUTO_FREE struct doctor *d = calloc(1, sizeof(*d));
	struct err err;

	if (!d)
		return 125;
	if (doctor_run(d, &err) < 0)
		return cli_fail(call, &err);
	if (call->json)
		print_json(d);
	else
		print_people(d);
	return d->works[TIER_FULL] ? 0 : 125;
}
