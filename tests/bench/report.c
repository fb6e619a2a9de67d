/* SPDX-License-Identifier: MIT
 *
 * Says what was measured: tables for a person, the same numbers as JSON for a program.
 * Tools that were not measured are listed with the reason, never left out.
 * Must never call a result good or bad beyond the one stated goal.
 */
#include <float.h>
#include <jansson.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bench.h"

#define GOAL_RATIO 0.60
#define GOAL_GATE_MS 5.0

static size_t tool_index(const char *name)
{
	for (size_t i = 0; i < tools_count; i++)
		if (strcmp(tools[i].name, name) == 0)
			return i;
	return 0;
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

static void table_cold(struct bench *b, enum work_id w, FILE *f)
{
	double bare = series_summary(&b->out[0].us[w]).median;
	fprintf(f, "\n%s (microseconds)\n%-18s %6s %9s %9s %9s %8s\n", works[w].help, "", "runs",
		"median", "p99", "min", "x bare");
	for (size_t i = 0; i < tools_count; i++) {
		struct series *s = &b->out[i].us[w];
		struct summary m = series_summary(s);
		if (s->n)
			fprintf(f, "%-18s %6zu %9.0f %9.0f %9.0f %8.2f\n", tools[i].name, s->n,
				m.median, m.p99, m.min, ratio(m.median, bare));
	}
}

static void table_clients(struct bench *b, FILE *f)
{
	fprintf(f, "\nsandboxes of /bin/true per second, by number of clients\n%-18s", "");
	for (unsigned c = 0; c < CLIENT_ROWS; c++)
		fprintf(f, " %8u", client_counts[c]);
	fputc('\n', f);
	for (size_t i = 0; i < tools_count; i++) {
		if (b->out[i].state != STATE_RAN)
			continue;
		fprintf(f, "%-18s", tools[i].name);
		for (unsigned c = 0; c < CLIENT_ROWS; c++)
			fprintf(f, " %8.0f", b->out[i].per_second[c]);
		fputc('\n', f);
	}
}

static void table_memory(struct bench *b, FILE *f)
{
	fprintf(f, "\nmemory of one live sandbox around sleep\n%-18s %9s %9s %9s\n", "", "PSS kB",
		"dirty kB", "processes");
	for (size_t i = 0; i < tools_count; i++) {
		const struct memory *m = &b->out[i].memory;
		if (!m->processes)
			continue;
		fprintf(f, "%-18s %9ld %9ld %9u", tools[i].name, m->pss_kb, m->dirty_kb,
			m->processes);
		if (m->unreadable)
			fprintf(f, "  (incomplete: %u of them may not be read by this user)",
				m->unreadable);
		fputc('\n', f);
	}
}

static void table_inside(struct bench *b, FILE *f)
{
	struct inside *bare = b->out[0].inside;
	fprintf(f, "\ncode inside, milliseconds (x bare)\n%-18s", "");
	for (size_t k = 0; k < INSIDE_MAX && bare[k].name[0]; k++)
		fprintf(f, " %18s", bare[k].name);
	fputc('\n', f);
	for (size_t i = 0; i < tools_count; i++) {
		struct inside *in = b->out[i].inside;
		if (!in[0].name[0])
			continue;
		fprintf(f, "%-18s", tools[i].name);
		for (size_t k = 0; k < INSIDE_MAX && in[k].name[0]; k++) {
			double ms = series_summary(&in[k].ms).median;
			fprintf(f, " %9.2f (%6.3f)", ms,
				ratio(ms, series_summary(&bare[k].ms).median));
		}
		fputc('\n', f);
	}
}

static const char *box_name(const struct bench *b)
{
	return b->out[tool_index("cordon")].state == STATE_RAN ? "cordon" : "cordon-no-cgroup";
}

static double goal_ratio(struct bench *b, enum work_id w)
{
	struct summary box = series_summary(&b->out[tool_index(box_name(b))].us[w]);
	struct summary peer = series_summary(&b->out[tool_index("bwrap+filter")].us[w]);
	return ratio(box.median, peer.median);
}

static double cold_ratio(struct bench *b)
{
	return goal_ratio(b, WORK_TRUE);
}

/* Medians of the same rounds, one after the other. */
static double gate_ms(struct bench *b)
{
	char gated[64];

	snprintf(gated, sizeof(gated), "%s+gate", box_name(b));
	struct summary with = series_summary(&b->out[tool_index(gated)].us[WORK_JOB]);
	struct summary without = series_summary(&b->out[tool_index(box_name(b))].us[WORK_JOB]);
	return (with.median - without.median) / 1000;
}

/* What is measured as nothing, or less by chance, is measured. */
static double gate_added(struct bench *b)
{
	double ms = gate_ms(b);

	return ms < 0 ? DBL_MIN : ms;
}

static int table_unmeasured(struct bench *b, FILE *f)
{
	int failed = 0;
	for (size_t i = 0; i < tools_count; i++) {
		const struct outcome *o = &b->out[i];
		bool bad = o->state == STATE_FAILED || o->failures;
		failed += bad;
		if (bad)
			fprintf(f, "FAILED %s (%u runs): %s\n", tools[i].name, o->failures,
				o->reason);
		else if (o->state != STATE_RAN)
			fprintf(f, "not measured: %s: %s\n", tools[i].name, o->reason);
	}
	return failed ? -1 : 0;
}

/* What a person is promised. NAME is for --goal. */
static const struct goal {
	const char *name, *text;
	double (*measured)(struct bench *b); /* 0: it was not */
	double most;
} goals[] = {
	{"cold", "times bwrap+filter's cold start", cold_ratio, GOAL_RATIO},
	{"gate", "ms that the gate adds to a python script of 2 KB", gate_added, GOAL_GATE_MS},
};

/* -1: one was missed, or the one that was asked for was not measured. */
static int table_goals(struct bench *b, FILE *f)
{
	unsigned missed = 0, known = 0;

	for (size_t i = 0; i < sizeof(goals) / sizeof(goals[0]); i++) {
		const struct goal *g = &goals[i];
		if (b->goal && strcmp(b->goal, g->name) != 0)
			continue;
		double value = g->measured(b);
		bool met = value > 0 ? value <= g->most : !b->goal;
		known++;
		missed += !met;
		if (value > 0)
			fprintf(f, "goal %s: %.2f %s, %.2f at most: %s\n", g->name, value, g->text,
				g->most, met ? "met" : "MISSED");
		else
			fprintf(f, "goal %s: not measured here\n", g->name);
	}
	if (!known)
		fprintf(f, "there is no goal \"%s\"\n", b->goal);
	return missed || !known ? -1 : 0;
}

int report(struct bench *b, FILE *f)
{
	struct utsname u;
	uname(&u);
	fprintf(f, "\n=== uid %d, Linux %s %s, %ld cpus, filter of %zu instructions%s\n",
		(int)getuid(), u.release, u.machine, sysconf(_SC_NPROCESSORS_ONLN), b->filter_len,
		b->realtime ? "" : ", without real-time priority: expect noise");
	table_cold(b, WORK_TRUE, f);
	table_cold(b, WORK_PYTHON, f);
	table_cold(b, WORK_SCRIPT, f);
	table_cold(b, WORK_JOB, f);
	table_clients(b, f);
	table_memory(b, f);
	table_inside(b, f);
	fputc('\n', f);
	int rc = table_unmeasured(b, f);
	return table_goals(b, f) < 0 ? -1 : rc;
}

static json_t *json_cold(struct outcome *o, enum work_id w, double bare)
{
	struct summary m = series_summary(&o->us[w]);
	return json_pack("{s:I, s:f, s:f, s:f, s:f}", "runs", (json_int_t)o->us[w].n, "median_us",
			 m.median, "p99_us", m.p99, "min_us", m.min, "ratio_to_bare",
			 ratio(m.median, bare));
}

static json_t *json_inside(struct bench *b, struct outcome *o)
{
	json_t *all = json_object();
	for (size_t k = 0; k < INSIDE_MAX && o->inside[k].name[0]; k++) {
		double ms = series_summary(&o->inside[k].ms).median;
		double bare = series_summary(&b->out[0].inside[k].ms).median;
		json_object_set_new(
			all, o->inside[k].name,
			json_pack("{s:f, s:f}", "median_ms", ms, "ratio_to_bare", ratio(ms, bare)));
	}
	return all;
}

static json_t *json_clients(const struct outcome *o)
{
	json_t *all = json_object();
	for (unsigned c = 0; c < CLIENT_ROWS; c++) {
		char name[16];
		snprintf(name, sizeof(name), "%u", client_counts[c]);
		json_object_set_new(all, name, json_real(o->per_second[c]));
	}
	return all;
}

static json_t *json_tool(struct bench *b, size_t i)
{
	static const char *const states[] = {"absent", "not_here", "failed", "ran"};
	struct outcome *o = &b->out[i];
	json_t *cold = json_object();
	for (int w = WORK_TRUE; w <= WORK_JOB; w++)
		if (o->us[w].n)
			json_object_set_new(cold, works[w].name,
					    json_cold(o, (enum work_id)w,
						      series_summary(&b->out[0].us[w]).median));
	return json_pack("{s:s, s:s, s:s, s:s, s:i, s:o, s:o, s:{s:I, s:I, s:i, s:i}, s:o}", "name",
			 tools[i].name, "help", tools[i].help, "state", states[o->state], "reason",
			 o->reason, "failures", (int)o->failures, "cold", cold, "per_second",
			 json_clients(o), "memory", "pss_kb", (json_int_t)o->memory.pss_kb,
			 "private_dirty_kb", (json_int_t)o->memory.dirty_kb, "processes",
			 (int)o->memory.processes, "unreadable", (int)o->memory.unreadable,
			 "inside", json_inside(b, o));
}

int report_json(struct bench *b)
{
	struct utsname u;
	uname(&u);
	json_t *list = json_array();
	for (size_t i = 0; i < tools_count; i++)
		json_array_append_new(list, json_tool(b, i));
	json_t *all =
		json_pack("{s:i, s:s, s:s, s:i, s:b, s:i, s:s, s:f, s:f, s:f, s:f, s:f, s:o}",
			  "uid", (int)getuid(), "kernel", u.release, "arch", u.machine, "cpus",
			  (int)sysconf(_SC_NPROCESSORS_ONLN), "realtime", b->realtime,
			  "filter_instructions", (int)b->filter_len, "box", box_name(b),
			  "ratio_to_bwrap_filter", goal_ratio(b, WORK_TRUE), "gate_ms", gate_ms(b),
			  "gate_goal_ms", GOAL_GATE_MS, "ratio_to_bwrap_filter_python",
			  goal_ratio(b, WORK_PYTHON), "goal", GOAL_RATIO, "tools", list);
	int rc = all ? json_dump_file(all, b->json_path, JSON_INDENT(1)) : -1;
	json_decref(all);
	return rc;
}
