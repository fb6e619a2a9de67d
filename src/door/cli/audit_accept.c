/* SPDX-License-Identifier: MIT
 *
 * cordon audit accept: a person accepts that the log lacks transactions that the file heads lists.
 * It repairs nothing: a damaged or inconsistent log is refused.
 */
#include <stdlib.h>

#include "base/scope.h"
#include "door/cli/audit.h"
#include "door/cli/person.h"
#include "show/jsonval.h"
#include "store/accept.h"
#include "store/verify.h"

struct loss {
	const struct accept_lost *lost;
	const char *words, *by;
	uint64_t record;
};
FIELD(loss_words, struct loss, jsonval_readable(v->words))
FIELD(loss_from, struct loss, v->lost->to ? jsonval_number(v->lost->from + 1) : json_null())
FIELD(loss_to, struct loss, v->lost->to ? jsonval_number(v->lost->to) : json_null())
FIELD(loss_records, struct loss, v->lost->to ? jsonval_number(v->lost->records) : json_null())
FIELD(loss_by, struct loss, jsonval_readable(v->by))
FIELD(loss_record, struct loss, jsonval_number(v->record))

const struct json_field audit_accept_fields[] = {
	{"words", "what was wrong with the log", loss_words},
	{"from", "the first lost transaction; null: only the file is lost", loss_from},
	{"to", "the last lost transaction, or null", loss_to},
	{"records", "records that the log had, or null", loss_records},
	{"by", "the person or account that accepted it", loss_by},
	{"record", "the number of the log record of this change", loss_record},
	{0}};

static int look(struct audit *a, struct verify_report *report, struct err *err)
{
	struct verify_options o = {.dir = a->state->dir};

	if (verify_log(a->state->store, &o, report, err) < 0)
		return -1;
	if (report->lost.to || report->problem == VERIFY_UNKEPT)
		return 0;
	if (report->problem == VERIFY_GOOD)
		return err_set(err, ERR_USAGE, "there is nothing to accept: the log is intact");
	err_set(err, ERR_REFUSED, "the log is damaged: %s", report->words);
	err_cure(err, "restore an intact copy of it");
	return -1;
}

int audit_accept(struct audit *a, struct err *err)
{
	AUTO_TX struct store_tx tx = {0};
	AUTO_FREE char *words = NULL;
	struct verify_report report;
	AUTO_ACT struct person_act act = {0};

	if (cli_check_owner(a->call, "accepts a loss", "an older log brings back what it gave",
			    err) < 0 ||
	    look(a, &report, err) < 0)
		return -1;
	if (asprintf(&words, "Go on with this log: %s.%s", report.words,
		     report.lost.to
			     ? " Its requests, approvals, plans and grants end. Conversations, "
			       "directories and people are as they were then: what was "
			       "exposed or taken back since counts as if it were not."
			     : "") < 0)
		return err_memory(err);
	act.act.words = words;
	if (person_confirm(a->state, &act, err) < 0 ||
	    store_accept(a->state->store, &tx, &report.lost, act.by, err) < 0)
		return -1;
	struct loss loss = {&report.lost, report.words, act.by, tx.first_seq};
	if (a->call->json)
		jsonval_print(jsonval_object(audit_accept_fields, &loss));
	else
		printf("accepted by %s: %s\n", act.by, report.words);
	return 0;
}
