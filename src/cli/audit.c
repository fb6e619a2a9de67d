/* SPDX-License-Identifier: MIT
 *
 * cordon audit: the log, looked at. Only checkpoint, accept, rotate and prove write to it; the others open it
 * for reading, so that a log which nothing may be added to any more can still be examined.
 */
#include "cli/audit.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "cli/jsonval.h"
#include "cli/shown.h"
#include "cli/verb.h"
#include "store/checkpoint.h"
#include "store/rotate.h"
#include "store/verify.h"

/* verify */
FIELD(verify_good, struct verify_report, json_boolean(v->problem == VERIFY_GOOD))
FIELD(verify_problem, struct verify_report, json_string(verify_problem_name(v->problem)))
FIELD(verify_words, struct verify_report, jsonval_readable(v->words))
FIELD(verify_first, struct verify_report,
      v->has_record ? jsonval_number(v->first_bad) : json_null())
FIELD(verify_last, struct verify_report, v->has_record ? jsonval_number(v->last_bad) : json_null())
FIELD(verify_records, struct verify_report, jsonval_number(v->records))
FIELD(verify_checkpoints, struct verify_report, jsonval_number(v->checkpoints))
FIELD(verify_kept, struct verify_report, jsonval_number(v->kept))
FIELD(verify_unkept, struct verify_report, jsonval_number(v->unkept))
FIELD(verify_rotations, struct verify_report, jsonval_number(v->rotations))
FIELD(verify_steps, struct verify_report, jsonval_number(v->clock_steps))
FIELD(verify_first_step, struct verify_report,
      v->clock_steps ? jsonval_number(v->first_step) : json_null())
FIELD(verify_pinned, struct verify_report, json_boolean(v->is_pinned))
FIELD(verify_root, struct verify_report, gate_hex_json(v->root, sizeof(v->root)))

const struct cli_field gate_verify_fields[] = {
	{"good", "nothing is wrong with it", verify_good},
	{"problem",
	 "good, form, edited, missing, order, signature, forked, truncated, replaced, head, "
	 "unkept, index",
	 verify_problem},
	{"words", "the first problem in words; or empty", verify_words},
	{"first_bad", "the first bad record is this one or one after it; or null", verify_first},
	{"last_bad", "up to this one; or null", verify_last},
	{"records", "how many were looked at", verify_records},
	{"checkpoints", "how many of them were checkpoints, and good", verify_checkpoints},
	{"kept", "checkpoints from outside the log that were met", verify_kept},
	{"unkept", "checkpoints of the log that are nowhere else", verify_unkept},
	{"rotations", "how often the log's key was changed", verify_rotations},
	{"clock_steps", "how often the clock went back: no problem in itself", verify_steps},
	{"first_clock_step", "at which record first; or null", verify_first_step},
	{"pinned", "the key came from outside the log", verify_pinned},
	{"root", "of the tree of all records", verify_root},
	{0}};

static void print_report(const struct verify_report *r)
{
	char root[2 * MERKLE_HASH + 1];

	if (r->problem != VERIFY_GOOD) {
		printf("NOT whole (%s): %s\n", verify_problem_name(r->problem), r->words);
		return;
	}
	printf("the log is whole: %llu records, %llu checkpoints", (unsigned long long)r->records,
	       (unsigned long long)r->checkpoints);
	if (r->kept)
		printf(", %llu kept outside", (unsigned long long)r->kept);
	if (r->rotations)
		printf(", %llu changes of its key", (unsigned long long)r->rotations);
	printf("\nroot %s\n", sodium_bin2hex(root, sizeof(root), r->root, sizeof(r->root)));
	if (r->unkept)
		printf("%llu of its checkpoints are not in the file " CHECKPOINT_FILE
		       ": it was cut or removed, or others write this log too\n",
		       (unsigned long long)r->unkept);
	if (!r->is_pinned)
		puts("its key is only what the log itself says: --key PUB, or a log.key beside it");
	if (r->clock_steps)
		printf("the clock went back %llu times, first at record %llu\n",
		       (unsigned long long)r->clock_steps, (unsigned long long)r->first_step);
}

int audit_read_key(const char *word, char ret[NOTE_VKEY_MAX], struct err *err)
{
	AUTO_FREE char *text = NULL;
	size_t len = strlen(word);

	if (strncmp(word, "cordon-log/", 11) != 0) {
		if (gate_read(word, NOTE_VKEY_MAX, &text, &len, err) < 0)
			return -1;
		word = text;
	}
	while (len && (word[len - 1] == '\n' || word[len - 1] == ' '))
		len--;
	if (len >= NOTE_VKEY_MAX)
		return err_set(err, ERR_INPUT, "this is no public key of a log");
	memcpy(ret, word, len);
	ret[len] = '\0';
	return 0;
}

int audit_verify(struct audit *a, struct err *err)
{
	const struct cli_gate *g = &a->call->gate;
	struct verify_options o = {.dir = a->state->dir};
	struct verify_report report;
	AUTO_FREE char *notes = NULL;
	char key[NOTE_VKEY_MAX];

	if (g->key && audit_read_key(g->key, key, err) < 0)
		return -1;
	o.vkey = g->key ? key : NULL;
	if (g->checkpoint &&
	    gate_read(g->checkpoint, CHECKPOINT_FILE_MAX, &notes, &o.notes_len, err) < 0)
		return -1;
	o.notes = notes;
	if (verify_log(a->state->store, &o, &report, err) < 0)
		return -1;
	if (a->call->json)
		jsonval_print(jsonval_object(gate_verify_fields, &report));
	else
		print_report(&report);
	return report.problem == VERIFY_GOOD ? 0 : GATE_STATUS_BAD;
}

/* checkpoint, key, rotate */
struct signing {
	const char *note, *key, *previous;
	uint64_t record;
};
FIELD(signing_note, struct signing, json_string(v->note))
FIELD(signing_key, struct signing, json_string(v->key))
FIELD(signing_previous, struct signing, json_string(v->previous))
FIELD(signing_record, struct signing, jsonval_number(v->record))

const struct cli_field gate_checkpoint_fields[] = {
	{"note", "the signed note, to be kept where this machine cannot change it", signing_note},
	{"key", "the public key to check it with", signing_key},
	{0}};

const struct cli_field gate_key_fields[] = {
	{"key", "the public key that the log is signed with", signing_key}, {0}};

const struct cli_field gate_rotate_fields[] = {
	{"key", "the new public key", signing_key},
	{"previous", "the one that has signed it", signing_previous},
	{"record", "the number of the record that says so", signing_record},
	{0}};

static int checkpoint(struct audit *a, struct err *err)
{
	char note[NOTE_MAX], key[NOTE_VKEY_MAX];

	if (store_checkpoint(a->state->store, note, err) < 0 ||
	    store_vkey(a->state->store, key, err) < 0)
		return -1;
	if (a->call->json)
		jsonval_print(jsonval_object(gate_checkpoint_fields,
					     &(struct signing){.note = note, .key = key}));
	else
		fputs(note, stdout);
	return 0;
}

static int show_key(struct audit *a, struct err *err)
{
	char key[NOTE_VKEY_MAX];

	if (store_vkey(a->state->store, key, err) < 0)
		return -1;
	if (a->call->json)
		jsonval_print(jsonval_object(gate_key_fields, &(struct signing){.key = key}));
	else
		puts(key);
	return 0;
}

static int rotate(struct audit *a, struct err *err)
{
	char key[NOTE_VKEY_MAX], previous[NOTE_VKEY_MAX];
	uint64_t record = 0;

	if (store_vkey(a->state->store, previous, err) < 0 ||
	    store_rotate(a->state->store, &record, err) < 0 ||
	    store_vkey(a->state->store, key, err) < 0)
		return -1;
	if (a->call->json)
		jsonval_print(jsonval_object(
			gate_rotate_fields,
			&(struct signing){.key = key, .previous = previous, .record = record}));
	else
		puts(key);
	return 0;
}

static const struct verb {
	struct cli_verb verb;
	enum gate_way way;
	int (*run)(struct audit *a, struct err *err);
} verbs[] = {
	{{"tail", NULL, 0, 0}, GATE_READS, audit_tail},
	{{"verify", NULL, 0, 0}, GATE_READS, audit_verify},
	{{"trace", NULL, 1, 1}, GATE_READS, audit_trace},
	{{"export", NULL, 0, 0}, GATE_READS, audit_export},
	{{"checkpoint", NULL, 0, 0}, GATE_WRITES, checkpoint},
	{{"key", NULL, 0, 0}, GATE_READS, show_key},
	{{"rotate", NULL, 0, 0}, GATE_WRITES, rotate},
	{{"accept", NULL, 0, 0}, GATE_ACCEPTS, checkpoint},
	{{"prove", NULL, 1, 1}, GATE_WRITES, audit_prove},
	{{"check", NULL, 1, 1}, GATE_NOT, audit_check},
};

static const struct verb *verb_of(const struct cli_call *call, struct err *err)
{
	const struct verb *verb = cli_find_verb(call, verbs, ARRAY_SIZE(verbs), sizeof(verbs[0]));

	if (verb)
		return verb;
	err_set(err, ERR_USAGE, "wrong usage of cordon audit");
	err_cure(err, "cordon audit tail, verify, trace RUN, export, checkpoint, key, rotate, "
		      "accept, prove RECORD or check FILE; cordon audit --help");
	return NULL;
}

int cli_audit(struct cli_call *call)
{
	AUTO_STATE struct gate_state s = STATE_CLOSED;
	struct audit a = {.call = call, .state = &s};
	struct err err;
	const struct verb *verb = verb_of(call, &err);
	int r = -1;

	if (verb && (verb->way == GATE_NOT || gate_begin(call, verb->way, &s, &err) == 0))
		r = verb->run(&a, &err);
	return r < 0 ? gate_fail(call, &err) : r;
}
