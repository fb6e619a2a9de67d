/* SPDX-License-Identifier: MIT
 *
 * cordon audit verify, checkpoint, key and rotate.
 */
#include "door/cli/audit.h"

#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "show/jsonval.h"
#include "show/terminal.h"
#include "store/heads.h"
#include "store/note.h"
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
FIELD(verify_heads, struct verify_report, jsonval_number(v->heads))
FIELD(verify_headless, struct verify_report, jsonval_number(v->headless))
FIELD(verify_heads_kept, struct verify_report, jsonval_number(v->heads_kept))
FIELD(verify_accepted, struct verify_report, jsonval_number(v->accepted))
FIELD(verify_archived, struct verify_report, jsonval_number(v->archived))
FIELD(verify_held, struct verify_report, jsonval_number(v->held))
FIELD(verify_rotations, struct verify_report, jsonval_number(v->rotations))
FIELD(verify_steps, struct verify_report, jsonval_number(v->clock_steps))
FIELD(verify_first_step, struct verify_report,
      v->clock_steps ? jsonval_number(v->first_step) : json_null())
FIELD(verify_pinned, struct verify_report, json_boolean(v->is_pinned))
FIELD(verify_root, struct verify_report, jsonval_hex(v->root, sizeof(v->root)))

const struct json_field audit_verify_fields[] = {
	{"good", "true if the log is intact", verify_good},
	{"problem",
	 "good, form, edited, missing, order, signature, forked, truncated, replaced, head, "
	 "unkept, index",
	 verify_problem},
	{"words", "the first problem in words; or empty", verify_words},
	{"first_bad", "the first bad record is this one or a later one; or null", verify_first},
	{"last_bad", "the first bad record is not later than this one; or null", verify_last},
	{"records", "records that were checked", verify_records},
	{"checkpoints", "checkpoints among them, all valid", verify_checkpoints},
	{"kept", "checkpoints from outside (--checkpoint) that the log matches", verify_kept},
	{"heads", "heads in the file beside the log that the log matches", verify_heads},
	{"headless", "transactions without a head in that file", verify_headless},
	{"heads_kept", "heads from --heads that the log matches", verify_heads_kept},
	{"accepted", "how often a person has accepted a loss", verify_accepted},
	{"archived", "records whose bodies are in archives", verify_archived},
	{"held", "archived records that the given archives have unchanged", verify_held},
	{"rotations", "how often the log's key was changed", verify_rotations},
	{"clock_steps", "how often the clock went back; this alone is no error", verify_steps},
	{"first_clock_step", "the first such record, or null", verify_first_step},
	{"pinned", "true if the key came from outside the log (--key)", verify_pinned},
	{"root", "root hash of the tree of all records", verify_root},
	{0}};

static void print_report(const struct verify_report *r)
{
	char root[2 * MERKLE_HASH + 1];

	if (r->problem != VERIFY_GOOD) {
		printf("the log is NOT intact (%s): %s\n", verify_problem_name(r->problem),
		       r->words);
		return;
	}
	printf("the log is intact: %llu records, %llu checkpoints", (unsigned long long)r->records,
	       (unsigned long long)r->checkpoints);
	if (r->kept)
		printf(", %llu kept outside", (unsigned long long)r->kept);
	if (r->rotations)
		printf(", %llu changes of its key", (unsigned long long)r->rotations);
	printf("\nroot %s\n", sodium_bin2hex(root, sizeof(root), r->root, sizeof(r->root)));
	if (r->heads_kept)
		printf("it has all %llu given heads\n", (unsigned long long)r->heads_kept);
	if (r->headless)
		printf("%llu of its transactions are not in the file " HEADS_FILE
		       ": it was cut or removed, or other machines write this log too\n",
		       (unsigned long long)r->headless);
	if (r->accepted)
		printf("losses that a person accepted: %llu (see the records of the kind accept)\n",
		       (unsigned long long)r->accepted);
	if (r->archived)
		printf("%llu of its records are archived; the given archives have %llu of them\n",
		       (unsigned long long)r->archived, (unsigned long long)r->held);
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
		if (cli_read_file(word, NOTE_VKEY_MAX, &text, &len, err) < 0)
			return -1;
		word = text;
	}
	while (len && (word[len - 1] == '\n' || word[len - 1] == ' '))
		len--;
	if (len >= NOTE_VKEY_MAX)
		return err_set(err, ERR_INPUT, "not a public key of a log");
	memcpy(ret, word, len);
	ret[len] = '\0';
	return 0;
}

/* O_NONBLOCK: otherwise the open of a pipe waits for a writer. */
static int open_heads(const char *file, struct err *err)
{
	AUTO_CLOSE int fd = strcmp(file, "-") == 0
				    ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
				    : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_INPUT, "%.200s", file);
	if (strcmp(file, "-") == 0 || S_ISREG(st.st_mode))
		return scope_take_fd(&fd);
	err_set(err, ERR_INPUT, "%.200s is not a file", file);
	err_cure(err, "give a file, or - for standard input");
	return -1;
}

int audit_verify(struct audit *a, struct err *err)
{
	const struct audit_options *g = a->options;
	struct verify_options o = {.dir = a->state->dir};
	struct verify_report report = {.problem = VERIFY_FORM};
	AUTO_FREE char *notes = NULL;
	AUTO_CLOSE int heads = -1;
	struct archive_set archives = {0};
	char key[NOTE_VKEY_MAX];

	if (g->key && audit_read_key(g->key, key, err) < 0)
		return -1;
	if (g->heads && (heads = open_heads(g->heads, err)) < 0)
		return -1;
	o.heads = g->heads ? &heads : NULL;
	o.vkey = g->key ? key : NULL;
	if (g->checkpoint &&
	    cli_read_file(g->checkpoint, NOTE_LIST_FILE_MAX, &notes, &o.notes_len, err) < 0)
		return -1;
	o.notes = notes;
	o.archives = &archives;
	int r = audit_load_archives(a, &archives, err);
	if (r == 0)
		r = verify_log(a->state->store, &o, &report, err);
	archive_set_done(&archives);
	if (r < 0)
		return -1;
	if (a->call->json)
		jsonval_print(jsonval_object(audit_verify_fields, &report));
	else
		print_report(&report);
	if (!a->call->json && audit_overdue(a))
		puts("records are older than log.keep: cordon audit archive FILE");
	return report.problem == VERIFY_GOOD ? 0 : CLI_STATUS_BAD;
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

const struct json_field audit_checkpoint_fields[] = {
	{"note", "the signed note; keep it where this machine cannot change it", signing_note},
	{"key", "the public key to check it with", signing_key},
	{0}};

const struct json_field audit_key_fields[] = {
	{"key", "the public key that the log is signed with", signing_key}, {0}};

const struct json_field audit_rotate_fields[] = {
	{"key", "the new public key", signing_key},
	{"previous", "the previous public key, which signed the change", signing_previous},
	{"record", "the number of the log record of this change", signing_record},
	{0}};

int audit_checkpoint(struct audit *a, struct err *err)
{
	char note[NOTE_MAX], key[NOTE_VKEY_MAX];

	if (store_checkpoint(a->state->store, note, err) < 0 ||
	    store_vkey(a->state->store, key, err) < 0)
		return -1;
	if (a->call->json)
		jsonval_print(jsonval_object(audit_checkpoint_fields,
					     &(struct signing){.note = note, .key = key}));
	else
		fputs(note, stdout);
	return 0;
}

int audit_show_key(struct audit *a, struct err *err)
{
	char key[NOTE_VKEY_MAX];

	if (store_vkey(a->state->store, key, err) < 0)
		return -1;
	if (a->call->json)
		jsonval_print(jsonval_object(audit_key_fields, &(struct signing){.key = key}));
	else
		puts(key);
	return 0;
}

int audit_rotate(struct audit *a, struct err *err)
{
	char key[NOTE_VKEY_MAX], previous[NOTE_VKEY_MAX];
	uint64_t record = 0;

	if (store_vkey(a->state->store, previous, err) < 0 ||
	    store_rotate(a->state->store, &record, err) < 0 ||
	    store_vkey(a->state->store, key, err) < 0)
		return -1;
	if (a->call->json)
		jsonval_print(jsonval_object(
			audit_rotate_fields,
			&(struct signing){.key = key, .previous = previous, .record = record}));
	else
		puts(key);
	return 0;
}
