/* SPDX-License-Identifier: MIT
 *
 * cordon approvals show: a request in the state, or one that was exported to a file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "door/cli/approvals.h"
#include "show/jsonval.h"

static int show_text(struct approvals *v, const struct approval *a, struct err *err)
{
	struct approval_code code = {0};

	if (approval_load_code(v->store, a, &code, err) < 0)
		return -1;
	if (v->options->file) {
		int shown = approvals_file(v, a, &code, v->options->file, err);
		free((void *)code.data);
		return shown;
	}
	approvals_show_request(a, v->now);
	approvals_code(a, &code, v->now);
	int r = approvals_diff(v, a, &code, err);
	free((void *)code.data);
	if (r == 0)
		approvals_show_answer(a, v->now);
	return r;
}

static int show_json(struct approvals *v, const struct approval *a, struct err *err)
{
	struct approval_code code = {0};
	json_t *all = approvals_json(a, v->now);

	if (approval_load_code(v->store, a, &code, err) < 0) {
		json_decref(all);
		return -1;
	}
	approvals_add_code_json(all, a, &code);
	free((void *)code.data);
	jsonval_print(all);
	return 0;
}

/* An exported request has no status, only its time. */
static int show_file(struct approvals *v, struct approval *a, struct err *err)
{
	struct approval_code code = {0};

	if (approvals_read_request(v->call->argv[1], a, &code, err) < 0)
		return -1;
	int r = 0;
	if (v->options->file) {
		r = approvals_file(v, a, &code, v->options->file, err);
	} else if (v->call->json) {
		json_t *all = approvals_json(a, v->now);
		approvals_add_code_json(all, a, &code);
		jsonval_print(all);
	} else {
		approvals_show_request(a, v->now);
		approvals_code(a, &code, v->now);
		approvals_line("to approve",
			       "cordon approvals sign FILE --key KEY --as NAME >ANSWER");
		approvals_show_grant(a, v->now);
	}
	free((void *)code.data);
	return r;
}

static int settle(struct approvals *v, struct approval *a, struct err *err)
{
	bool waited = a->status.state == APPROVAL_PENDING;

	if (approval_settle(v->store, a, v->now, err) < 0)
		return -1;
	if (waited)
		approvals_ended(v, a);
	return 0;
}

static int show_stored(struct approvals *v, struct approval *a, struct err *err)
{
	return approvals_open(v, err) < 0 ||
			       approval_load(v->store, v->call->argv[1], a, err) < 0 ||
			       settle(v, a, err) < 0
		       ? -1
		       : (v->call->json ? show_json : show_text)(v, a, err);
}

int approvals_show(struct approvals *v)
{
	AUTO_APPROVAL struct approval a = {0};
	struct err err;

	const char *name = v->call->argv[1];
	bool is_id = approval_id_is_good(name);
	if (!is_id && strcmp(name, "-") != 0 && access(name, F_OK) < 0 && errno == ENOENT) {
		err_set(&err, ERR_INPUT, "no request and no file %s", name);
		err_cure(&err, "cordon approvals list shows what waits");
		return cli_fail_short(v->call, &err);
	}
	if ((is_id ? show_stored : show_file)(v, &a, &err) < 0)
		return cli_fail_short(v->call, &err);
	return 0;
}
