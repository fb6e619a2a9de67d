/* SPDX-License-Identifier: MIT
 *
 * See person.h. The question and the answer go to the controlling terminal, whatever standard input and
 * output are.
 */
#include "cli/person.h"

#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/scope.h"
#include "cli/approvals.h"
#include "cli/shown.h"

#define PREFIX "cordon act 1\n"

static void close_file(FILE **f)
{
	if (*f)
		fclose(*f);
}

static int no_person(const struct approval_actor *actor, struct err *err)
{
	err_set(err, ERR_REFUSED, "a person must agree to this");
	err_cause(err,
		  actor->in_box ? "this process runs in a box" : "there is no terminal to ask at");
	err_cure(err, "type the command at a terminal, or sign it: --key FILE");
	return -1;
}

static int ask(const struct approval_actor *actor, const struct person_act *act, struct err *err)
{
	__attribute__((cleanup(close_file))) FILE *tty =
		actor->has_terminal && !actor->in_box ? fopen("/dev/tty", "r+e") : NULL;
	char line[16] = "";

	if (!tty)
		return no_person(actor, err);
	shown_words(tty, act->words);
	fputs("\nDo you agree? Type yes: ", tty);
	fflush(tty);
	if (!fgets(line, sizeof(line), tty) || strcmp(line, "yes\n") != 0)
		return err_set(err, ERR_REFUSED, "not confirmed: nothing was changed");
	return 0;
}

static int sign(const struct cli_call *call, struct gate_state *s, struct approval_actor *actor,
		struct person_act *act, struct store_tx *tx, struct err *err)
{
	struct approval_matter matter = {.what = "act", .uid = actor->uid, .single_user = true};
	struct digest d;
	struct key key = {0};

	matter.now = s->keeper.now_us() / 1000;
	digest_init(&d);
	digest_add(&d, PREFIX, sizeof(PREFIX) - 1);
	digest_add(&d, act->words, strlen(act->words));
	digest_end(&d, matter.binding);
	int r = approvals_load_key(call->approvals.key, &key, &actor->key_protected, err);
	if (r == 0)
		r = approval_say(s->store, &matter, &key, actor, tx, &act->word, err);
	key_wipe(&key);
	act->is_signed = r == 0;
	snprintf(act->by, sizeof(act->by), "%s (signed)", act->word.name);
	return r;
}

int person_agree(const struct cli_call *call, struct gate_state *s, struct person_act *act,
		 struct store_tx *tx, struct err *err)
{
	struct approval_actor actor;

	approval_actor_here(&actor);
	if (call->approvals.key)
		return sign(call, s, &actor, act, tx, err);
	if (ask(&actor, act, err) < 0)
		return -1;
	snprintf(act->by, sizeof(act->by), "%s (confirmation)", s->principal);
	return 0;
}
