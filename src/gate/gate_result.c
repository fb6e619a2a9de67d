/* SPDX-License-Identifier: MIT
 *
 * The records after the run: denials, connections and the result.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/pages.h"
#include "base/scope.h"
#include "gate/gate_log.h"

enum { RECORD_ATTEMPTS = 64 }; /* attempts that are certain to fit into one record */

static void put_denials(const struct result *r, struct jcs *j)
{
	jcs_bool(j, "cut", r->wire.denials_cut);
	jcs_list(j, "denials");
	for (size_t i = 0; i < r->denialc; i++) {
		const struct wire_denial *d = &r->denials[i];
		jcs_object(j, NULL);
		jcs_text(j, "call", d->call, strnlen(d->call, sizeof(d->call)));
		jcs_int(j, "count", (int64_t)d->count);
		jcs_text(j, "rule", d->rule, strnlen(d->rule, sizeof(d->rule)));
		jcs_text(j, "target", d->target, strnlen(d->target, sizeof(d->target)));
		jcs_end(j);
	}
	jcs_end(j);
}

/* Writes the attempts from FROM on, as many as fit into one record. Returns their number. */
static size_t put_egress(const struct result *r, size_t from, struct jcs *j)
{
	size_t count = r->egressc - from < RECORD_ATTEMPTS ? r->egressc - from : RECORD_ATTEMPTS;

	jcs_list(j, "attempts");
	for (size_t i = from; i < from + count; i++) {
		const struct egress_row *e = &r->egress[i];
		jcs_object(j, NULL);
		jcs_word(j, "address", e->address);
		jcs_int(j, "bytes_in", (int64_t)e->bytes_in);
		jcs_int(j, "bytes_out", (int64_t)e->bytes_out);
		jcs_word(j, "name", e->name);
		jcs_int(j, "port", e->port);
		jcs_word(j, "rule", e->rule);
		jcs_word(j, "verdict", egress_verdict_name(e->verdict));
		jcs_int(j, "wall_ms", (int64_t)e->wall_ms);
		jcs_end(j);
	}
	jcs_end(j);
	jcs_bool(j, "cut", r->egress_cut);
	return count;
}

/* The hash is of all bytes of the stream, including those that were not kept. */
static void put_stream(const struct capture *c, const char *bytes, const char *sha, struct jcs *j)
{
	uint8_t sha256[32];

	jcs_int(j, bytes, (int64_t)c->total);
	if (capture_sha256(c, sha256))
		jcs_hex(j, sha, sha256, sizeof(sha256));
}

/* A connection allowed by the rule TEXT or, with BY_NAME, to the host TEXT. */
static bool has_connected(const struct result *r, const char *text, bool by_name)
{
	for (size_t i = 0; i < r->egressc; i++)
		if (r->egress[i].verdict == EGRESS_CONNECTED &&
		    strcasecmp(by_name ? r->egress[i].name : r->egress[i].rule, text) == 0)
			return true;
	return false;
}

/* Is E the direct write to the workspace, or to a directory of --rw? */
static bool is_direct(const struct gate *g, const struct report_effect *e)
{
	const struct request *r = &g->decision.confined;

	if (strcmp(e->object, ".") == 0)
		return r->workspace_mode == WORKSPACE_RW;
	for (size_t i = 0; i < r->rwc; i++)
		if (strcmp(e->object, g->facts.rw_at[i]->path) == 0)
			return request_writes(r, i);
	return false;
}

/* Marks the given effects that have happened. Applied writes are marked by flow/apply.c. */
static void note_done(struct gate *g, const struct result *r)
{
	for (size_t i = 0; i < g->report->effectc; i++) {
		struct report_effect *e = &g->report->effect[i];
		if (e->outcome < OUTCOME_POLICY)
			continue;
		if (e->cap == CAP_NET)
			e->done = has_connected(r, e->object, false);
		for (size_t k = 0; e->cap == CAP_SECRET && k < g->policy.secretc; k++)
			if (strcmp(g->policy.secret[k].name, e->object) == 0)
				e->done = has_connected(r, g->policy.secret[k].host, true);
		if (e->cap == CAP_WRITE && is_direct(g, e))
			e->done = true;
	}
}

/* SHA256 is the hash of all other members, or NULL. IS_SAME: the program's file has not changed. */
static void put_result(const struct gate *g, const struct result *r, const uint8_t *sha256,
		       bool is_same, struct jcs *j)
{
	const struct report_record *verdict = &g->report->verdict_record;
	const struct payload *p = &g->bp->payload;

	jcs_int(j, "changes", (int64_t)r->changec);
	/* If the program's file changed during the run, other code may have run. */
	if (is_same)
		jcs_hex(j, "code_sha256", p->sha256, sizeof(p->sha256));
	jcs_int(j, "cpu_ms", (int64_t)r->wire.cpu_ms);
	gate_put_effects(g->report, j);
	if (r->err.code)
		jcs_str(j, "error", r->err.message);
	jcs_int(j, "exit_code", r->exit_code);
	gate_put_layers(j, "layers", r->wire.layers);
	jcs_int(j, "memory_peak", (int64_t)r->wire.memory_peak);
	if (sha256)
		jcs_hex(j, "result_sha256", sha256, REPORT_SHA256);
	jcs_int(j, "signal", r->signal);
	jcs_word(j, "status", status_name(r->status));
	put_stream(&r->out[1], "stderr_bytes", "stderr_sha256", j);
	put_stream(&r->out[0], "stdout_bytes", "stdout_sha256", j);
	jcs_object(j, "verdict_record");
	jcs_hex(j, "hash", verdict->hash, sizeof(verdict->hash));
	jcs_int(j, "seq", (int64_t)verdict->seq);
	jcs_end(j);
	jcs_int(j, "wall_ms", (int64_t)r->wire.wall_ms);
}

/* Hashes the bytes of the record without the hash, so that anyone with the log can check it. */
static int hash_result(struct gate *g, const struct result *r, bool is_same, struct err *err)
{
	AUTO_JCS struct jcs j = {0};

	jcs_init(&j, RECORD_BODY_MAX);
	put_result(g, r, NULL, is_same, &j);
	if (jcs_finish(&j, err) < 0)
		return -1;
	digest_of(g->report->result_sha256, j.out.data, j.out.len);
	return 0;
}

static void append_result(const struct gate *g, const struct result *r, bool is_same,
			  struct refs *refs, struct store_tx *tx)
{
	AUTO_JCS struct jcs j = {0};

	jcs_init(&j, RECORD_BODY_MAX);
	if (r->denialc) {
		put_denials(r, &j);
		gate_append(tx, RECORD_DENIAL, refs, &j);
	}
	size_t recorded = 0;
	while (recorded < r->egressc ||
	       ((g->decision.confined.netc || g->decision.confined.secretc) &&
		recorded == 0)) { /* a record without an attempt says that there was none */
		size_t count = put_egress(r, recorded, &j);
		gate_append(tx, RECORD_EGRESS, refs, &j);
		recorded += count ? count : 1;
	}
	put_result(g, r, g->report->result_sha256, is_same, &j);
	gate_append(tx, RECORD_RESULT, refs, &j);
}

int gate_log_result(struct gate *g, const struct result *r, struct err *err)
{
	AUTO_FREE struct refs *refs = calloc(1, sizeof(*refs));
	AUTO_TX struct store_tx tx = {0};
	const struct payload *p = &g->bp->payload;

	if (!refs)
		return err_memory(err);
	note_done(g, r);
	/* Check this once: the hash and the record must agree. */
	bool is_same = !p->is_program || payload_is_same(p->fd, &p->from);
	if (hash_result(g, r, is_same, err) < 0)
		return -1;
	gate_refs(refs, g);
	append_result(g, r, is_same, refs, &tx);
	if (store_commit(g->state.store, &tx, err) < 0)
		return -1;
	g->report->result_record = gate_record_of(&tx, RECORD_RESULT);
	return 0;
}
