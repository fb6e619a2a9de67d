/* SPDX-License-Identifier: MIT
 *
 * cordon approvals key: enrols people whose signatures count. Root writes people into
 * /etc/cordon/allowed_signers. For other callers, two enrolled people must sign the request. A
 * removal needs no approval.
 */
#include <string.h>
#include <unistd.h>

#include "base/account.h"
#include "base/scope.h"
#include "door/cli/approvals.h"
#include "door/cli/open_state.h"
#include "door/cli/person.h"
#include "show/jsonval.h"
#include "trust/signers.h"

enum { KEY_FILE_MAX = 2 * SSH_KEY_MAX };

/* Reads one line in the format of FILE.pub of ssh-keygen. */
static int read_key(const char *file, struct arena *a, const char **ret, struct err *err)
{
	AUTO_FREE char *text = NULL;
	size_t len = 0;

	if (cli_read_file(file, KEY_FILE_MAX, &text, &len, err) < 0)
		return -1;
	size_t line = strcspn(text, "\r\n");
	if (line + strspn(text + line, "\r\n") != len)
		err_set(err, ERR_INPUT, "%.200s has more than one line", file);
	else if (ssh_key_read(text, line, a, ret, err) == 0)
		return 0;
	else
		err_context(err, "%.200s", file);
	err_cure(err, "give the person's .pub file; ssh-keygen -t ed25519 makes one");
	return -1;
}

static void tell_added(const struct approvals *v, const char *name, const char *key,
		       const char *where)
{
	char fingerprint[SSH_FINGERPRINT];

	ssh_key_fingerprint(key, fingerprint);
	if (v->call->json)
		jsonval_print(json_pack("{s:s, s:s, s:s, s:s}", "name", name, "type",
					ssh_key_type(key), "fingerprint", fingerprint, "where",
					where));
	else
		printf("%s is enrolled with the %s key %s (%s)\n", name, ssh_key_type(key),
		       fingerprint, where);
}

static int add_to_state(struct approvals *v, const char *name, const char *key, struct err *err)
{
	AUTO_ACT struct person_act act = {.signed_only = true};
	struct approval_person there;

	if (approvals_open(v, err) < 0)
		return -1;
	int found = approval_person_find(v->store, key, &v->call->arena, &there, err);
	if (found)
		return found < 0 ? -1
				 : err_set(err, ERR_CONFLICT, "the key is already enrolled as %s",
					   there.name);
	if (approval_act_enrol(name, key, &v->call->arena, &act.act, err) < 0)
		return -1;
	int r = person_agree(v->call, &v->state, &act, err);
	if (r)
		return r;
	if (approval_person_add(v->store, &act.agreed, name, key, v->now, err) < 0)
		return -1;
	tell_added(v, name, key, "state");
	return 0;
}

int approvals_key_add(struct approvals *v)
{
	const char *name = v->call->argv[2], *key = NULL;
	struct err err;
	int r = 0;

	if (!signer_name_is_good(name)) {
		r = err_set(&err, ERR_USAGE, "\"%.64s\" is not a person's name", name);
		err_cure(&err, "letters, digits and _ . + @ -, at most %d", SIGNER_NAME_MAX);
	}
	if (r == 0)
		r = read_key(v->call->argv[3], &v->call->arena, &key, &err);
	if (r == 0 && v->actor.uid == 0) {
		r = signers_add(name, key, &err);
		if (r == 0)
			tell_added(v, name, key, SIGNERS_FILE);
	} else if (r == 0) {
		r = add_to_state(v, name, key, &err);
	}
	return r < 0 ? cli_fail_short(v->call, &err) : r ? PERSON_WAITS : 0;
}

static json_t *person_json(const struct approval_person *p, bool counts, const struct err *why)
{
	char fingerprint[SSH_FINGERPRINT];
	json_t *by = jsonval_array();

	for (size_t i = 0; i < p->byc; i++)
		json_array_append_new(by, json_string(p->by[i]));
	if (p->line)
		json_array_append_new(by, json_string("root"));
	return json_pack(
		"{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:b, s:o}", "name", p->name, "type",
		ssh_key_type(p->key), "fingerprint", ssh_key_fingerprint(p->key, fingerprint),
		"key", p->key, "where", p->line ? SIGNERS_FILE : "state", "line",
		p->line ? jsonval_number(p->line) : json_null(), "enrolled_by", by, "counts",
		counts, "why", counts ? json_null() : jsonval_readable(why->message));
}

static int list_one(void *context, const struct approval_person *p, bool counts,
		    const struct err *why, struct err *err)
{
	json_t *all = context;
	char fingerprint[SSH_FINGERPRINT];

	if (all)
		return json_array_append_new(all, person_json(p, counts, why)) < 0 ? err_memory(err)
										   : 0;
	printf("%s  %s  %s  ", p->name, ssh_key_type(p->key),
	       ssh_key_fingerprint(p->key, fingerprint));
	if (p->line)
		printf("enrolled by root in %s:%zu", SIGNERS_FILE, p->line);
	for (size_t i = 0; i < p->byc; i++)
		printf("%s%s", i ? ", " : "enrolled by ", p->by[i]);
	if (!counts)
		printf("%sdoes not count: %s", p->byc ? "; " : "", why->message);
	putchar('\n');
	return 0;
}

int approvals_key_list(struct approvals *v)
{
	json_t *all = v->call->json ? jsonval_array() : NULL;
	struct err err;

	if (approval_person_each(v->store, list_one, all, &err) < 0) {
		json_decref(all);
		return cli_fail_short(v->call, &err);
	}
	if (all)
		jsonval_print(all);
	return 0;
}

/* Root removes people from the system's file, and from a state named by --state. Other callers
 * remove people only from their own state. */
int approvals_key_remove(struct approvals *v)
{
	const char *name = v->call->argv[2];
	bool is_root = v->actor.uid == 0;
	int lines = 0, keys = 0;
	struct err err;

	if (is_root)
		lines = signers_remove(name, &err);
	if (lines >= 0 && (!is_root || v->call->state))
		keys = approvals_open(v, &err) < 0
			       ? -1
			       : approval_person_remove(v->store, name, v->actor.uid, &err);
	if (lines >= 0 && keys >= 0 && !lines && !keys) {
		keys = err_set(&err, ERR_INPUT, "no key is enrolled for \"%.64s\" there", name);
		err_cure(&err, is_root ? "cordon approvals key list; --state DIR for a person who "
					 "was enrolled by others"
				       : "cordon approvals key list; what root enrolled, sudo "
					 "cordon approvals key remove NAME takes away");
	}
	if (lines < 0 || keys < 0)
		return cli_fail_short(v->call, &err);
	if (v->call->json)
		jsonval_print(json_pack("{s:s, s:i}", "removed", name, "keys", lines + keys));
	else
		printf("%s is removed: their signatures are no longer valid\n", name);
	return 0;
}
