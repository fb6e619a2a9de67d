/* SPDX-License-Identifier: MIT
 *
 * For a person who may not enter the state directory: its owner exports a request, the person reads
 * and signs it under their own account, the owner adds the signature. The owner can lose a word on
 * the way, and cannot make one.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "approval/carry.h"
#include "base/io.h"
#include "base/scope.h"
#include "cli/approvals.h"
#include "cli/jsonval.h"

int approvals_export(struct approvals *v)
{
	AUTO_APPROVAL struct approval a = {0};
	AUTO_BUF struct buf out = {0};
	struct approval_code code = {0};
	struct err err;

	int r = approval_load(v->store, v->call->argv[1], &a, &err);
	/* Its bytes are somebody's who would like to be obeyed by a terminal. */
	if (r == 0 && isatty(STDOUT_FILENO))
		r = err_set(&err, ERR_USAGE, "that is for a file: cordon approvals export %s >FILE",
			    a.id);
	if (r == 0)
		r = approval_load_code(v->store, &a, &code, &err);
	if (r == 0)
		r = carry_request(&a, &code, &out, &err);
	free((void *)code.data);
	if (r < 0)
		return approvals_fail(v->call, &err);
	fwrite(out.data, 1, out.len, stdout);
	return 0;
}

static int read_request(const char *file, struct approval *ret, struct approval_code *ret_code,
			struct err *err)
{
	AUTO_CLOSE int fd = strcmp(file, "-") == 0
				    ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
				    : open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	AUTO_FREE uint8_t *data = malloc(CARRY_MAX + 1);

	if (!data)
		return err_memory(err);
	ssize_t len = fd < 0 ? -1 : io_read_full(fd, data, CARRY_MAX + 1);
	if (len < 0)
		return err_errno(err, ERR_INPUT, "%s", file);
	if (carry_request_read(data, (size_t)len, ret, ret_code, err) == 0)
		return 0;
	err_context(err, "%s", file);
	return -1;
}

int approvals_read(struct approvals *v)
{
	AUTO_APPROVAL struct approval a = {0};
	struct approval_code code = {0};
	struct err err;

	if (read_request(v->call->argv[1], &a, &code, &err) < 0)
		return approvals_fail(v->call, &err);
	if (v->call->json) {
		json_t *all = approvals_json(&a, v->now);
		approvals_add_code_json(all, &code);
		jsonval_print(all);
	} else {
		approvals_show_request(&a, v->now);
		approvals_code(&a, &code);
		approvals_line("to approve", "cordon approvals sign %s FILE --key KEY --name YOU",
			       a.id);
	}
	free((void *)code.data);
	return 0;
}

/* Everything but the store's word on who is enrolled: that is asked when it is added. */
static int sign(struct approvals *v, const struct approval *a, char text[CARRY_VOTE_MAX],
		struct err *err)
{
	struct approval_vote vote = {.name = v->call->approvals.name,
				     .approves = 1,
				     .scope = v->call->approvals.scope,
				     .time = v->now,
				     .uid = v->actor.uid};

	if (!vote.name)
		return err_set(err, ERR_USAGE, "under which name is your key enrolled? (--name)");
	if (approval_state_at(a, v->now) != APPROVAL_PENDING)
		return err_set(err, ERR_REFUSED, "the time for an answer is over");
	if (approval_may_sign(a, &v->actor, err) < 0 || approval_sign(a, &v->key, &vote, err) < 0)
		return -1;
	return carry_vote(&vote, text, err);
}

/* The person names what they have read: the file may have been exchanged since. */
static int is_what_was_read(const struct approvals *v, const struct approval *a, struct err *err)
{
	if (strcmp(a->id, v->call->argv[1]) == 0)
		return 0;
	err_set(err, ERR_REFUSED, "%s is another request: %s", v->call->argv[2], a->id);
	err_cure(err, "cordon approvals read FILE, then sign the id that it shows");
	return -1;
}

int approvals_sign(struct approvals *v)
{
	AUTO_APPROVAL struct approval a = {0};
	struct approval_code code = {0};
	char text[CARRY_VOTE_MAX];
	struct err err;

	int r = read_request(v->call->argv[2], &a, &code, &err);
	free((void *)code.data);
	if (r == 0)
		r = is_what_was_read(v, &a, &err);
	if (r == 0)
		r = sign(v, &a, text, &err);
	if (r < 0)
		return approvals_fail(v->call, &err);
	if (!v->call->json) {
		puts(text);
		return 0;
	}
	json_t *all = json_pack("{s:s, s:s}", "approval_id", a.id, "vote", text);
	approvals_add_said(all, &a);
	jsonval_print(all);
	return 0;
}

int approvals_add(struct approvals *v)
{
	AUTO_APPROVAL struct approval a = {0};
	struct approval_vote vote = {0};
	struct err err;

	v->actor.relayed = true;
	int r = approval_load(v->store, v->call->argv[1], &a, &err);
	if (r == 0) {
		r = carry_vote_read(v->call->argv[2], &a.arena, &vote, &err);
		if (r < 0)
			approvals_hint_file(v, &err);
	}
	if (r < 0 || approval_decide(v->store, &a, &vote, &v->actor, v->now, &err) < 0)
		return approvals_fail(v->call, &err);
	approvals_tell(v, &a);
	return 0;
}
