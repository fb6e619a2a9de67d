/* SPDX-License-Identifier: MIT
 *
 * See child.h. It ends with the server. When it is killed, cordon-keeper or cordon-box ends what it runs.
 */
#include "door/mcp/child.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/scope.h"
#include "door/mcp/message.h"
#include "door/mcp/tools.h"
#include "show/jsonval.h"

#define PROGRESS_NS 200000000U

enum { TAIL_MAX = 200, TAIL_LOOK = 800 };

struct speaker {
	const struct child_job *job;
	int out;
	double total; /* bytes of the program's output */
	uint64_t told_ns;
	char tail[TAIL_MAX + 1]; /* of its last line */
	size_t tail_len;
};

static void say(int out, enum child_line kind, json_t *message)
{
	size_t len = json_dumpb(message, NULL, 0, JSON_COMPACT);
	AUTO_FREE char *line = len ? malloc(len + 2) : NULL;

	if (line) {
		line[0] = (char)kind;
		json_dumpb(message, line + 1, len, JSON_COMPACT);
		line[len + 1] = '\n';
		(void)!io_write_all(out, line, len + 2);
	}
	json_decref(message);
}

static void tell_progress(struct mcp_call *call, double done, double total, const char *words)
{
	struct speaker *s = call->ctx;

	if (!s->job->token)
		return;
	json_t *params = json_pack("{s:O, s:f, s:s*}", "progressToken", s->job->token, "progress",
				   done, "message", words);
	if (total > 0)
		json_object_set_new(params, "total", json_real(total));
	say(s->out, CHILD_MESSAGE, message_call("notifications/progress", NULL, params));
}

/* Keeps the end of the last line that has something. */
static void keep_tail(struct speaker *s, const char *data, size_t len)
{
	for (size_t i = len > TAIL_LOOK ? len - TAIL_LOOK : 0; i < len; i++) {
		if (data[i] == '\n' || data[i] == '\r') {
			if (i + 1 < len)
				s->tail_len = 0;
			continue;
		}
		if (s->tail_len == TAIL_MAX) {
			memmove(s->tail, s->tail + TAIL_MAX / 2, TAIL_MAX / 2);
			s->tail_len = TAIL_MAX / 2;
		}
		s->tail[s->tail_len++] = data[i];
		if (!data[i])
			s->tail[s->tail_len - 1] = ' ';
	}
	s->tail[s->tail_len] = '\0';
}

static void take_output(struct mcp_call *call, const char *data, size_t len)
{
	struct speaker *s = call->ctx;
	uint64_t now = io_now_ns();

	s->total += (double)len;
	keep_tail(s, data, len);
	if (now - s->told_ns < PROGRESS_NS)
		return;
	s->told_ns = now;
	json_t *words = jsonval_readable(s->tail);
	tell_progress(call, s->total, 0, json_string_value(words));
	json_decref(words);
}

static bool asks(const struct child_job *job, const struct mcp_answer *a)
{
	return a->question && job->can_ask && job->reply == REPLY_NONE;
}

/* The client calls again with its answers and with our state, which is only the name of what waits: the
 * answer of a client gives nothing by itself, so the state needs no signature. */
static json_t *input_required(struct mcp_answer *a, const struct mcp_tool *tool)
{
	json_t *r = json_pack("{s:s, s:{s:{s:s, s:O}}, s:s}", "resultType", "input_required",
			      "inputRequests", mcp_question(tool), "method", "elicitation/create",
			      "params", a->question, "requestState", a->waits_for);

	mcp_answer_done(a);
	return mcp_finish(r, true);
}

static void answer(struct speaker *s, struct mcp_answer *a)
{
	const struct child_job *job = s->job;
	enum child_line kind = CHILD_ANSWER;
	json_t *question = NULL, *result;

	if (asks(job, a) && job->modern) {
		result = input_required(a, job->tool);
	} else {
		if (asks(job, a)) {
			kind = CHILD_UNASKED;
			question = json_pack("{s:O, s:s}", "params", a->question, "waits_for",
					     a->waits_for);
		}
		result = mcp_answer_result(a, job->tool, job->modern);
	}
	say(s->out, kind, message_result(job->id, result));
	if (question)
		say(s->out, CHILD_QUESTION, question);
}

static void __attribute__((noreturn)) run(const struct child_job *job, int out)
{
	struct speaker s = {.job = job, .out = out};
	struct mcp_answer a = {0};
	struct mcp_call call = {.session = job->session,
				.arguments = job->arguments,
				.output = take_output,
				.progress = tell_progress,
				.ctx = &s,
				.reply = job->reply,
				.reply_content = job->reply_content};
	struct err err;

	if (job->reply == REPLY_DECLINE && job->waits_for &&
	    approval_decline(job->session, job->waits_for, &err) < 0)
		mcp_answer_error(&a, &err);
	else
		job->tool->run(&call, &a);
	if (memory_check(&err) < 0)
		mcp_answer_error(&a, &err);
	answer(&s, &a);
	_exit(0);
}

/* The client's pipes are the server's alone. */
static void leave_streams(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		_exit(125);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
}

int child_start(const struct child_job *job, pid_t *ret_pid, int *ret_from, struct err *err)
{
	int pipe[2];
	pid_t server = getpid();

	if (pipe2(pipe, O_CLOEXEC) < 0)
		return err_errno(err, ERR_SYSTEM, "making a pipe");
	AUTO_CLOSE int from = pipe[0], to = pipe[1];
	pid_t pid = fork();
	if (pid < 0)
		return err_errno(err, ERR_SYSTEM, "starting a process");
	if (pid == 0) {
		sigset_t none;
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		signal(SIGPIPE, SIG_DFL);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != server)
			_exit(125);
		leave_streams();
		close(from);
		run(job, to);
	}
	*ret_pid = pid;
	*ret_from = scope_take_fd(&from);
	return 0;
}
