/* SPDX-License-Identifier: MIT
 *
 * cordon approvals key: a person makes a key for themselves; who owns the state directory says whose
 * keys count there. A public key is written as text that begins with what it is.
 */
#include <sodium.h>
#include <string.h>

#include "cli/approvals.h"
#include "cli/jsonval.h"

#define PUBLIC_MARK "cordon-public-1:"
enum { PUBLIC_TEXT = sizeof(PUBLIC_MARK) - 1 + 2UL * KEY_PUBLIC + 1 };

static const char *format(const uint8_t public[KEY_PUBLIC], char ret[PUBLIC_TEXT])
{
	memcpy(ret, PUBLIC_MARK, sizeof(PUBLIC_MARK));
	sodium_bin2hex(ret + sizeof(PUBLIC_MARK) - 1, (size_t)2 * KEY_PUBLIC + 1, public,
		       KEY_PUBLIC);
	return ret;
}

static bool parse(const char *text, uint8_t ret[KEY_PUBLIC])
{
	size_t mark = sizeof(PUBLIC_MARK) - 1, len = 0;

	return strlen(text) == PUBLIC_TEXT - 1 && strncmp(text, PUBLIC_MARK, mark) == 0 &&
	       sodium_hex2bin(ret, KEY_PUBLIC, text + mark, (size_t)2 * KEY_PUBLIC, NULL, &len,
			      NULL) == 0 &&
	       len == KEY_PUBLIC;
}

/* Twice: what nobody can type again protects too well. */
static int ask_new(char *ret, struct err *err)
{
	char again[APPROVAL_PASS_MAX + 1];
	int r = passphrase_ask("Passphrase for the key: ", ret, err);

	if (r == 0)
		r = passphrase_ask("The same again: ", again, err);
	if (r == 0 && strcmp(ret, again) != 0)
		r = err_set(err, ERR_INPUT, "the two are not the same");
	sodium_memzero(again, sizeof(again));
	return r;
}

int approvals_key_new(struct approvals *v)
{
	bool plain = v->call->approvals.plain;
	char pass[APPROVAL_PASS_MAX + 1] = "", text[PUBLIC_TEXT];
	const char *file = v->call->argv[2];
	struct err err;

	int r = plain ? 0 : ask_new(pass, &err);
	if (r < 0 && err.code == ERR_INPUT && !v->actor.has_terminal)
		err_cure(&err, "run it from a terminal, or with --plain for a key without one");
	if (r == 0)
		r = approval_key_new(file, plain ? NULL : pass, &v->key, &err);
	sodium_memzero(pass, sizeof(pass));
	if (r < 0)
		return approvals_fail(v->call, &err);
	format(v->key.public, text);
	if (v->call->json)
		jsonval_print(json_pack("{s:s, s:b}", "public_key", text, "protected", !plain));
	else
		puts(text);
	return 0;
}

int approvals_key_add(struct approvals *v)
{
	const struct cli_approvals *o = &v->call->approvals;
	struct approval_person p = {.name = v->call->argv[2],
				    .has_uid = o->has_uid,
				    .uid = o->uid,
				    .enrolled_by = v->actor.uid,
				    .time = v->now};
	struct err err;
	int r = 0;

	if (!parse(v->call->argv[3], p.public)) {
		r = err_set(&err, ERR_USAGE, "that is no public key");
		err_cure(&err, "cordon approvals key new FILE prints one");
		approvals_hint_file(v, &err);
	}
	if (r == 0)
		r = approval_person_add(v->store, &p, &err);
	if (r < 0)
		return approvals_fail(v->call, &err);
	if (v->call->json)
		jsonval_print(json_pack("{s:s}", "enrolled", p.name));
	else
		printf("%s is enrolled\n", p.name);
	return 0;
}

static json_t *person_json(const struct approval_person *p)
{
	char text[PUBLIC_TEXT];

	return json_pack("{s:s, s:s, s:o, s:I, s:I}", "name", p->name, "public_key",
			 format(p->public, text), "uid",
			 p->has_uid ? jsonval_number(p->uid) : json_null(), "enrolled_by",
			 (json_int_t)p->enrolled_by, "time", (json_int_t)p->time);
}

static int list_one(void *context, const struct approval_person *p, struct err *err)
{
	json_t *all = context;
	char text[PUBLIC_TEXT];

	if (all)
		return json_array_append_new(all, person_json(p)) < 0 ? err_memory(err) : 0;
	printf("%s  %s  ", format(p->public, text), p->name);
	if (p->has_uid)
		printf("uid %llu  ", (unsigned long long)p->uid);
	printf("enrolled by uid %llu\n", (unsigned long long)p->enrolled_by);
	return 0;
}

int approvals_key_list(struct approvals *v)
{
	json_t *all = v->call->json ? jsonval_array() : NULL;
	struct err err;

	if (approval_person_each(v->store, list_one, all, &err) < 0) {
		json_decref(all);
		return approvals_fail(v->call, &err);
	}
	if (all)
		jsonval_print(all);
	return 0;
}

int approvals_key_remove(struct approvals *v)
{
	const char *name = v->call->argv[2];
	struct err err;

	if (approval_person_remove(v->store, name, v->actor.uid, &err) < 0)
		return approvals_fail(v->call, &err);
	if (v->call->json)
		jsonval_print(json_pack("{s:s}", "removed", name));
	else
		printf("%s is removed: their words count no more\n", name);
	return 0;
}
