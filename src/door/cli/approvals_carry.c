/* SPDX-License-Identifier: MIT
 *
 * cordon approvals export, sign, add: for people without access to the state directory. The owner
 * of the state exports a request, a person signs it in their own account, and the owner adds the
 * answer. The owner can lose an answer but cannot forge one.
 */
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "approval/answer.h"
#include "approval/request_file.h"
#include "base/io.h"
#include "base/scope.h"
#include "door/cli/approvals.h"
#include "door/cli/confirmation.h"
#include "door/cli/open_state.h"
#include "show/jsonval.h"

int approvals_export(struct approvals *v)
{
	AUTO_APPROVAL struct approval a = {0};
	AUTO_BUF struct buf out = {0};
	struct approval_code code = {0};
	struct err err;

	int r = approval_load(v->store, v->call->argv[1], &a, &err);
	/* The bytes are untrusted and unescaped. */
	if (r == 0 && isatty(STDOUT_FILENO))
		r = err_set(&err, ERR_USAGE, "this needs a file: cordon approvals export %s >FILE",
			    a.id);
	if (r == 0)
		r = approval_load_code(v->store, &a, &code, &err);
	if (r == 0)
		r = request_file_write(&a, &code, &out, &err);
	free((void *)code.data);
	if (r < 0)
		return cli_fail_short(v->call, &err);
	fwrite(out.data, 1, out.len, stdout);
	return 0;
}

int approvals_read_request(const char *file, struct approval *ret, struct approval_code *ret_code,
			   struct err *err)
{
	AUTO_CLOSE int fd = strcmp(file, "-") == 0
				    ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
				    : open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	AUTO_FREE uint8_t *data = malloc(REQUEST_FILE_MAX + 1);

	if (!data)
		return err_memory(err);
	ssize_t len = fd < 0 ? -1 : io_read_full(fd, data, REQUEST_FILE_MAX + 1);
	if (len < 0)
		return err_errno(err, ERR_INPUT, "%s", file);
	if (request_file_read(data, (size_t)len, ret, ret_code, err) == 0)
		return 0;
	err_context(err, "%s", file);
	return -1;
}

/* The person names the id that they have read, or confirms what is shown now: the file may have
 * been replaced since. */
static int agree(const struct approvals *v, const struct approval *a,
		 const struct approval_code *code, struct err *err)
{
	const char *id = v->options->id;
	AUTO_CONFIRMATION struct confirmation c = {.output = -1};

	if (id && strcmp(a->id, id) == 0)
		return 0;
	if (id) {
		err_set(err, ERR_REFUSED, "%s is another request: %s", v->call->argv[1], a->id);
		err_cure(err, "cordon approvals show FILE, then sign the id that it shows");
		return -1;
	}
	bool is_at_terminal = isatty(STDERR_FILENO) || isatty(STDIN_FILENO);
	if (!is_at_terminal || confirmation_begin(&c, err) < 0) {
		err_set(err, ERR_USAGE, "--id ID is required: the request that you have read");
		err_cure(err, "cordon approvals show FILE shows it and its id");
		return -1;
	}
	approvals_show_request(a, v->now);
	approvals_code(a, code, v->now);
	uint64_t time = v->options->for_ms ? v->options->for_ms : a->request.ttl_ms;
	if (!v->options->denies)
		approvals_grant(a, &(struct approval_vote){.scope = v->options->scope,
							   .expires = v->now + time});
	return confirmation_ask(
		&c, v->options->denies ? "Your answer is no.\n" : "Your answer is yes.\n", err);
}

/* Checks all but the enrolment of the signer: `add` checks that. */
static int sign(struct approvals *v, struct approval *a, const struct approval_code *code,
		struct buf *ret, struct err *err)
{
	struct answer answer = {0};

	if (approval_state_at(a, v->now) != APPROVAL_PENDING)
		return err_set(err, ERR_REFUSED, "the request has expired");
	if (agree(v, a, code, err) < 0 ||
	    approvals_sign_vote(v, a, !v->options->denies, &answer.vote, err) < 0)
		return -1;
	memcpy(answer.binding, a->binding, sizeof(answer.binding));
	return answer_write(&answer, ret, err);
}

int approvals_sign(struct approvals *v)
{
	AUTO_APPROVAL struct approval a = {0};
	struct approval_code code = {0};
	AUTO_BUF struct buf text = {0};
	struct err err;

	int r = approvals_read_request(v->call->argv[1], &a, &code, &err);
	if (r == 0)
		r = sign(v, &a, &code, &text, &err);
	free((void *)code.data);
	if (r < 0)
		return cli_fail_short(v->call, &err);
	if (!v->call->json) {
		fwrite(text.data, 1, text.len, stdout);
		return 0;
	}
	json_t *all = json_pack("{s:s, s:s%}", "approval_id", a.id, "answer", (char *)text.data,
				text.len);
	approvals_add_said(all, &a);
	jsonval_print(all);
	return 0;
}

static int add(struct approvals *v, struct approval *ret, struct err *err)
{
	AUTO_FREE char *data = NULL;
	struct answer answer;
	struct arena arena = {0};
	char id[2 * APPROVAL_SHA256 + 1];
	size_t len = 0;

	int r = cli_read_file(v->call->argv[1], ANSWER_MAX, &data, &len, err);
	if (r == 0)
		r = answer_read(data, len, &arena, &answer, err);
	if (r == 0) {
		sodium_bin2hex(id, sizeof(id), answer.binding, sizeof(answer.binding));
		id[APPROVAL_ID] = '\0';
		r = approval_load(v->store, id, ret, err);
	}
	if (r == 0 && memcmp(ret->binding, answer.binding, sizeof(answer.binding)) != 0)
		r = err_set(err, ERR_REFUSED, "the answer is not for the request %s", id);
	if (r == 0)
		r = approval_decide(v->store, ret, &answer.vote, &v->actor, v->now, err);
	arena_done(&arena);
	return r;
}

int approvals_add(struct approvals *v)
{
	AUTO_APPROVAL struct approval a = {0};
	struct err err;

	if (add(v, &a, &err) < 0)
		return cli_fail_short(v->call, &err);
	approvals_ended(v, &a);
	approvals_tell(v, &a);
	return 0;
}
