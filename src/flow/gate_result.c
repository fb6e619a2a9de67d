/* SPDX-License-Identifier: MIT
 *
 * The word "audit", after the effect: what became of a run, and what it made. What it printed is something
 * that was read, and what it wrote has its label, also when nobody looks at either.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/pages.h"
#include "base/scope.h"
#include "flow/gate_log_private.h"
#include "flow/ingest.h"

enum { TOLD_WORDS = 2 }; /* after the streams: see ingest_part */

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

/* The hash is of all that came, also of what was not kept. */
static void put_stream(const struct capture *c, const char *bytes, const char *sha, struct jcs *j)
{
	uint8_t sha256[32];

	jcs_int(j, bytes, (int64_t)c->total);
	if (capture_sha256(c, sha256))
		jcs_hex(j, sha, sha256, sizeof(sha256));
}

/* SHA256: of all of this without it; or NULL. IS_SAME: the code's file has not changed. */
static void put_result(const struct gate *g, const struct result *r, const uint8_t *sha256,
		       bool is_same, struct jcs *j)
{
	const struct report_record *verdict = &g->report->verdict_record;
	const struct payload *p = &g->bp->payload;

	jcs_int(j, "changes", (int64_t)r->changec);
	/* A program that was changed meanwhile may have run as something else. */
	if (is_same)
		jcs_hex(j, "code_sha256", p->sha256, sizeof(p->sha256));
	jcs_bool(j, "committed", r->committed);
	jcs_int(j, "cpu_ms", (int64_t)r->wire.cpu_ms);
	if (r->err.code)
		jcs_str(j, "error", r->err.message);
	jcs_int(j, "exit_code", r->exit_code);
	gate_put_layers(j, "layers", r->wire.layers);
	jcs_int(j, "memory_peak", (int64_t)r->wire.memory_peak);
	if (sha256)
		jcs_hex(j, "result_sha256", sha256, REPORT_SHA256);
	jcs_int(j, "signal", r->signal);
	jcs_str(j, "status", status_name(r->status));
	put_stream(&r->out[1], "stderr_bytes", "stderr_sha256", j);
	put_stream(&r->out[0], "stdout_bytes", "stdout_sha256", j);
	jcs_object(j, "verdict_record");
	jcs_hex(j, "hash", verdict->hash, sizeof(verdict->hash));
	jcs_int(j, "seq", (int64_t)verdict->seq);
	jcs_end(j);
	jcs_int(j, "wall_ms", (int64_t)r->wire.wall_ms);
}

/* The hash of a result is of the bytes that the log has of it, in another log and at another time too. */
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

/* Words that the code had are no news when it prints them, and who reads them has learned nothing.
 * But for code that is itself somebody else's: to print it is to tell it. */
static size_t own_words(const struct gate *g)
{
	bool is_own = g->standing > ORIGIN_DERIVED && !g->has_code && !g->is_marked;

	return is_own ? g->look.ownc : 0;
}

/* As much of it as a source may have. The rules look at it as at anything that is read. */
static int ingest_part(struct gate *g, int stream, struct text data, struct err *err)
{
	static const char *const names[] = {"stdout", "stderr", "answer"};
	AUTO_PAGES struct ingest_report *report = pages_new(sizeof(*report));
	AUTO_FREE char *copy = malloc(data.len + 1);
	char name[REF_SIZE], run[REF_SIZE];
	const char *refs[] = {run};

	if (!report || !copy)
		return err_memory(err);
	memcpy(copy, data.s, data.len);
	copy[data.len] = '\0';
	snprintf(run, sizeof(run), "run:%s", g->report->run);
	snprintf(name, sizeof(name), "%s of run:%.16s", names[stream], g->report->run);
	struct ingest_in in = {.kind = FROM_RUN_OUTPUT,
			       .name = name,
			       .name_len = strlen(name),
			       .data = {copy, data.len},
			       .own = g->look.text,
			       .ownc = own_words(g),
			       .label = gate_label_of_output(g),
			       .vouched = true,
			       .refs = refs,
			       .refc = 1};
	int r = gate_rules(g, err);
	if (r == 0)
		r = ingest(&g->state, &g->rules, &g->domain, &in, report, err);
	ingest_done(report);
	return r;
}

/* For whoever builds on it later. Only in a conversation that somebody names: the shared domain is
 * exposed anyway, and would fill up. */
int gate_ingest_output(struct gate *g, int stream, struct text data, struct err *err)
{
	if (data.len < INDEX_PIECE_MIN || !g->has_domain)
		return 0;
	while (data.len) {
		size_t len = data.len < INGEST_BYTES_MAX ? data.len : INGEST_BYTES_MAX;
		if (ingest_part(g, stream, (struct text){data.s, len}, err) < 0)
			return -1;
		data = (struct text){data.s + len, data.len - len};
	}
	return 0;
}

static int ingest_stream(struct gate *g, const struct result *r, int stream, struct err *err)
{
	size_t len = 0, gap;
	AUTO_FREE char *all = capture_join(&r->out[stream], &len, &gap);

	if (!all)
		return err_memory(err);
	return gate_ingest_output(g, stream, (struct text){all, len}, err);
}

/* What else the answer tells in words that the program chose: names of what it made, what it was refused.
 * Hosts are not among them: who lets the next run have one would find it refused, as if a page had named
 * it (gate_net.c). NULL: out of memory. */
static char *join_words(const struct result *r, size_t *ret_len)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, ret_len);

	for (size_t i = 0; to && i < r->changec; i++)
		fprintf(to, "%.*s\n", (int)r->changes[i].path_len, r->changes[i].path);
	for (size_t i = 0; to && i < r->denialc; i++)
		fprintf(to, "%.*s\n", (int)sizeof(r->denials[i].target), r->denials[i].target);
	for (size_t i = 0; to && i < r->telemetry.explainedc; i++)
		fprintf(to, "%s\n", r->telemetry.explained[i]);
	if (to && fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}

static int ingest_words(struct gate *g, const struct result *r, struct err *err)
{
	size_t len = 0;
	AUTO_FREE char *text = join_words(r, &len);

	if (!text)
		return err_memory(err);
	return gate_ingest_output(g, TOLD_WORDS, (struct text){text, len}, err);
}

/* Where there is no handle, what was printed is no source; its bytes are known all the same, wherever
 * they are seen again. In the result's transaction: nobody waits for the disk once more. One row is not
 * written twice, so both streams are kept once where they are alike. */
static int keep_output(struct gate *g, const struct result *r, struct refs *refs,
		       struct store_tx *tx, struct err *err)
{
	struct label label = gate_label_of_output(g);
	uint8_t sha256[2][KEEPER_SHA256] = {0};

	if (g->has_domain || label.integrity >= INTEGRITY_TOOL)
		return 0;
	/* Hostile for all is only what the rules have found. */
	label.integrity = INTEGRITY_UNTRUSTED;
	for (int i = 0; i < 2; i++) {
		bool is_kept = r->out[i].total >= SOURCE_KNOWN_MIN &&
			       capture_sha256(&r->out[i], sha256[i]);
		if (!is_kept || memcmp(sha256[i], sha256[!i], KEEPER_SHA256) == 0)
			continue;
		gate_add_bytes(refs, sha256[i]);
		/* A file of the same bytes has the lower label. */
		if (g->written && written_has(g->written, sha256[i]))
			continue;
		if (file_label_keep(&g->state.keeper, sha256[i], r->out[i].total, &label, tx, err) <
		    0)
			return -1;
	}
	return 0;
}

static void tell_result(const struct gate *g, const struct result *r, bool is_same,
			struct refs *refs, struct store_tx *tx)
{
	AUTO_JCS struct jcs j = {0};

	jcs_init(&j, RECORD_BODY_MAX);
	if (r->denialc) {
		put_denials(r, &j);
		gate_append(tx, RECORD_DENIAL, refs, &j);
	}
	size_t told = 0;
	while (told < r->egressc ||
	       (g->confined.network && told == 0)) { /* that there was none too */
		size_t count = gate_put_egress(r, told, &j);
		gate_append(tx, RECORD_EGRESS, refs, &j);
		told += count ? count : 1;
	}
	if (g->report->lost) {
		size_t before = refs->count;
		gate_add_ref(refs, "lost", "files"); /* FOUND_REF, of this one only */
		jcs_int(&j, "since", g->began.tv_sec);
		jcs_str(&j, "why", lost_why_words(LOST_MUCH));
		gate_append(tx, RECORD_LOST, refs, &j);
		refs->count = before;
		tx->is_final = true; /* an old copy of the log would not know it */
	}
	put_result(g, r, g->report->result_sha256, is_same, &j);
	gate_append(tx, RECORD_RESULT, refs, &j);
}

/* The floor went down when it started; the user may have begun anew meanwhile, and then it has ended
 * in an epoch that knows nothing of it. However little it has told: it is told there. */
static int lower_floor(struct gate *g, const struct label *label, struct store_tx *tx,
		       struct err *err)
{
	struct id id = g->domain.id;

	if (!g->has_domain)
		return 0; /* the shared one has no epochs */
	if (domain_load(&g->state.keeper, &id, &g->domain, err) < 0)
		return -1;
	if (!label_is_below(&g->domain.floor, label))
		domain_read(&g->state.keeper, &g->domain, label, FROM_RUN_OUTPUT, tx);
	return 0;
}

int gate_log_result(struct gate *g, const struct result *r, struct err *err)
{
	AUTO_FREE struct refs *refs = calloc(1, sizeof(*refs));
	struct label label = gate_label_of_output(g);
	const struct payload *p = &g->bp->payload;
	int done = -1;

	if (!refs)
		return err_memory(err);
	/* Asked once: what is hashed is what is written. */
	bool is_same = !p->is_program || payload_is_same(p->fd, &p->from);
	if (hash_result(g, r, is_same, err) < 0)
		return -1;
	for (int i = 0; done < 0 && i < GATE_TRIES_MAX; i++) {
		AUTO_TX struct store_tx tx = {0};
		gate_refs(refs, g);
		if (gate_keep_written(g, &tx, err) < 0 || keep_output(g, r, refs, &tx, err) < 0)
			return -1;
		tell_result(g, r, is_same, refs, &tx);
		if (lower_floor(g, &label, &tx, err) < 0)
			return -1;
		done = store_commit(g->state.store, &tx, err);
		if (done < 0 && err->code != ERR_CONFLICT)
			return -1;
		if (done < 0)
			gate_pause(i);
		g->report->result_record = gate_record_of(&tx, RECORD_RESULT);
	}
	return done;
}

int gate_log_made(struct gate *g, const struct result *r, struct err *err)
{
	if (ingest_stream(g, r, 0, err) < 0 || ingest_stream(g, r, 1, err) < 0)
		return -1;
	return ingest_words(g, r, err);
}
