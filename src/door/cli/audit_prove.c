/* SPDX-License-Identifier: MIT
 *
 * cordon audit prove and check: a proof of one record, for a person with the log's key but without
 * the log. check opens no state.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "conf/units.h"
#include "door/cli/audit.h"
#include "door/cli/rules_command.h"
#include "show/jsonval.h"
#include "store/proof.h"

struct proved {
	uint64_t record;
	const char *proof, *key;
};
FIELD(proved_record, struct proved, jsonval_number(v->record))
FIELD(proved_proof, struct proved, json_string(v->proof))
FIELD(proved_key, struct proved, json_string(v->key))

const struct json_field audit_prove_fields[] = {
	{"record", "the number of the record", proved_record},
	{"proof", "the proof that the log has the record; give it to the verifier with the key",
	 proved_proof},
	{"key", "the public key to check it with", proved_key},
	{0}};

int audit_prove(struct audit *a, struct err *err)
{
	AUTO_BUF struct buf proof = {.most = PROOF_MAX};
	char key[NOTE_VKEY_MAX];
	uint64_t record = 0;

	if (!units_parse(UNIT_COUNT, a->call->argv[1], &record)) {
		err_set(err, ERR_USAGE, "\"%.60s\" is not a record number", a->call->argv[1]);
		err_cure(err, "cordon audit tail shows them");
		return -1;
	}
	if (proof_make(a->state->store, record, &proof, err) < 0 ||
	    store_vkey(a->state->store, key, err) < 0)
		return -1;
	buf_add(&proof, "", 1);
	if (proof.failed)
		return err_memory(err);
	if (a->call->json)
		jsonval_print(
			jsonval_object(audit_prove_fields,
				       &(struct proved){record, (const char *)proof.data, key}));
	else
		fputs((const char *)proof.data, stdout);
	return 0;
}

static int tell(const struct audit *a, const struct buf *bytes, struct err *err)
{
	uint8_t hash[RECORD_HASH];
	struct record r;

	if (record_decode(bytes->data, bytes->len, &r, err) < 0)
		return -1;
	if (!a->call->json) {
		fputs("the log has it: ", stdout);
		audit_line(&r);
		return 0;
	}
	record_hash(bytes->data, bytes->len, hash);
	jsonval_print(audit_record_json(&(struct store_row){
		.seq = r.seq, .hash = hash, .bytes = bytes->data, .len = bytes->len}));
	return 0;
}

int audit_check(struct audit *a, struct err *err)
{
	AUTO_BUF struct buf record = {.most = RECORD_MAX};
	AUTO_FREE char *text = NULL;
	const char *word = a->options->key;
	char key[NOTE_VKEY_MAX];
	size_t len;

	if (!word) {
		err_set(err, ERR_USAGE, "--key is required");
		err_cure(err,
			 "--key PUB: the output of cordon audit key on the machine that has the "
			 "log, or a file that contains it");
		return -1;
	}
	if (audit_read_key(word, key, err) < 0 ||
	    cli_read_file(a->call->argv[1], PROOF_MAX, &text, &len, err) < 0)
		return -1;
	if (proof_check(text, len, key, &record, err) == 0)
		return tell(a, &record, err);
	if (err->code != ERR_REFUSED)
		return -1;
	return cli_fail_with(a->call, CLI_STATUS_BAD, err);
}
