/* SPDX-License-Identifier: MIT
 *
 * The backend for a PostgreSQL server. libpq cannot sensibly be linked into a static program, so it
 * is in a program of its own: each call of the backend is a message to cordon-postgres. That
 * program gets no secrets in its arguments or environment, and ends when its socket does; the
 * server then rolls back what was not committed. After a missing or invalid answer the state of the
 * connection is unknown: it is closed, and every later call fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/self.h"
#include "store/rpc.h"

#define PROGRAM "cordon-postgres"
enum { END_MS = 500 };

/* cordon-postgres as a child. */
struct helper {
	pid_t pid;
	int sock; /* -1: it is gone */
};

static int spawn(const char *path, int sock, pid_t *ret)
{
	static char name[] = PROGRAM;
	char *const argv[] = {name, NULL}, *const env[] = {NULL};
	posix_spawn_file_actions_t actions;

	if (posix_spawn_file_actions_init(&actions) != 0) {
		errno = ENOMEM;
		return -1;
	}
	int r = posix_spawn_file_actions_adddup2(&actions, sock, STDIN_FILENO);
	if (r == 0)
		r = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY,
						     0);
	if (r == 0)
		r = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY,
						     0);
	if (r == 0)
		r = posix_spawn(ret, path, &actions, NULL, argv, env);
	posix_spawn_file_actions_destroy(&actions);
	errno = r;
	return r == 0 ? 0 : -1;
}

static int helper_start(struct helper *h, struct err *err)
{
	char path[PATH_MAX];
	int pair[2];

	*h = (struct helper){.sock = -1};
	if (self_find(PROGRAM, path, err) < 0) {
		err_cure(err, "build it (it needs libpq-dev) and install it with cordon");
		return -1;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_errno(err, ERR_SYSTEM, "making a socket pair");
	AUTO_CLOSE int ours = pair[0], theirs = pair[1];
	if (spawn(path, theirs, &h->pid) < 0)
		return err_errno(err, ERR_SYSTEM, "starting %s", path);
	h->sock = scope_take_fd(&ours);
	return 0;
}

/* The helper ends when its socket does. One that hangs in the network is killed. */
static void helper_end(struct helper *h)
{
	scope_close(&h->sock);
	if (h->pid <= 0)
		return;
	AUTO_CLOSE int pidfd = (int)syscall(SYS_pidfd_open, h->pid, 0);
	struct pollfd p = {.fd = pidfd, .events = POLLIN};
	if (pidfd < 0 || poll(&p, 1, END_MS) != 1)
		kill(h->pid, SIGKILL);
	while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
		;
	h->pid = 0;
}

struct remote {
	struct helper helper;
	int wait_ms; /* for an answer */
};

/* One call and its answer, which points into MESSAGE and ARENA. */
struct exchange {
	struct rpc_answer answer;
	struct buf message;
	struct arena arena;
};

static void exchange_done(struct exchange *x)
{
	buf_done(&x->message);
	arena_done(&x->arena);
}

#define AUTO_EXCHANGE __attribute__((cleanup(exchange_done)))

static int broken(struct remote *r, struct err *err, const char *what)
{
	if (errno)
		err_errno(err, ERR_SYSTEM, "cordon-postgres: %s", what);
	else
		err_set(err, ERR_SYSTEM, "cordon-postgres ended without an answer");
	err_cause(err, "a transaction that was being committed may or may not be written");
	err_cure(err, "find out why it ended; the next command makes a new connection");
	helper_end(&r->helper);
	return -1;
}

static int ask(struct remote *r, const struct rpc_request *request, struct exchange *x,
	       struct err *err)
{
	AUTO_BUF struct buf out = {.most = RPC_MAX};

	if (r->helper.sock < 0)
		return err_set(err, ERR_SYSTEM, "the connection to the database is closed");
	rpc_put_request(&out, request);
	if (out.failed)
		return err_set(err, ERR_LIMIT, "a transaction is too large");
	if (rpc_send(r->helper.sock, &out) < 0)
		return broken(r, err, "asking");
	int got = rpc_receive(r->helper.sock, &x->message, r->wait_ms);
	if (got == 0)
		errno = 0;
	if (got <= 0)
		return broken(r, err, "waiting for its answer");
	if (rpc_get_answer(x->message.data, x->message.len, request->call, &x->answer, &x->arena,
			   err) < 0) {
		helper_end(&r->helper);
		return -1;
	}
	if (!x->answer.ok)
		*err = x->answer.err;
	return x->answer.ok ? 0 : -1;
}

static void close_it(void *self)
{
	struct remote *r = self;

	helper_end(&r->helper);
	free(r);
}

static int open_it(const struct store_options *o, void **ret, struct err *err)
{
	struct rpc_request request = {.call = RPC_OPEN,
				      .url = o->url,
				      .read_only = o->read_only,
				      .wait_ms = (uint32_t)store_wait(o)};
	AUTO_EXCHANGE struct exchange x = {0};

	if (strlen(o->url) > RPC_URL_MAX)
		return err_set(err, ERR_LIMIT, "the store's URL is over %d bytes", RPC_URL_MAX);
	struct remote *r = calloc(1, sizeof(*r));
	if (!r)
		return err_memory(err);
	r->wait_ms = store_wait(o) + RPC_WAIT_MS;
	if (helper_start(&r->helper, err) < 0 || ask(r, &request, &x, err) < 0) {
		close_it(r);
		return -1;
	}
	*ret = r;
	return 0;
}

static int ask_tip(void *self, enum rpc_call call, struct store_tip *ret, struct err *err)
{
	struct rpc_request request = {.call = call};
	AUTO_EXCHANGE struct exchange x = {0};

	if (ask(self, &request, &x, err) < 0)
		return -1;
	*ret = x.answer.tip;
	return 0;
}

static int lock(void *self, struct store_tip *ret, struct err *err)
{
	return ask_tip(self, RPC_LOCK, ret, err);
}

static int tip(void *self, struct store_tip *ret, struct err *err)
{
	return ask_tip(self, RPC_TIP, ret, err);
}

static void unlock(void *self)
{
	struct rpc_request request = {.call = RPC_UNLOCK};
	AUTO_EXCHANGE struct exchange x = {0};
	struct err err;

	(void)ask(self, &request, &x, &err);
}

static int add_as(void *self, enum rpc_call call, const struct store_op *op, size_t count,
		  struct err *err)
{
	struct rpc_request request = {.call = call, .op = op, .count = count};
	AUTO_EXCHANGE struct exchange x = {0};

	if (count > RPC_OPS_MAX)
		return err_set(err, ERR_LIMIT, "a transaction has over %d steps", RPC_OPS_MAX);
	return ask(self, &request, &x, err);
}

static int commit(void *self, const struct store_op *op, size_t count, struct err *err)
{
	return add_as(self, RPC_COMMIT, op, count, err);
}

static int add(void *self, const struct store_op *op, size_t count, struct err *err)
{
	return add_as(self, RPC_ADD, op, count, err);
}

static int snapshot(void *self, struct err *err)
{
	struct rpc_request request = {.call = RPC_SNAPSHOT};
	AUTO_EXCHANGE struct exchange x = {0};

	return ask(self, &request, &x, err);
}

static int format(void *self, uint64_t *ret, struct err *err)
{
	struct store_tip tip;

	if (ask_tip(self, RPC_FORMAT, &tip, err) < 0)
		return -1;
	*ret = tip.last_seq;
	return 0;
}

static int get(void *self, enum store_kind kind, const char *key, struct store_item *ret,
	       struct err *err)
{
	struct rpc_request request = {.call = RPC_GET, .kind = kind, .key = key};
	AUTO_EXCHANGE struct exchange x = {0};

	if (ask(self, &request, &x, err) < 0)
		return -1;
	struct store_item item = x.answer.item;
	uint8_t *copy = item.version ? malloc(item.len + 1) : NULL;
	if (item.version && !copy)
		return err_memory(err);
	if (copy && item.len)
		memcpy(copy, item.value, item.len);
	item.value = copy;
	*ret = item;
	return 0;
}

/* Subtracts COUNT from *LIMIT; false: the limit is reached. 0 is no limit. */
static bool count_down(uint64_t *limit, size_t count)
{
	if (*limit == 0)
		return true;
	*limit -= count < *limit ? count : *limit;
	return *limit > 0;
}

/* Reads a page at a time: the callback may make other calls meanwhile. */
static int list(void *self, enum store_kind kind, const struct store_range *range,
		store_item_fn *fn, void *context, struct err *err)
{
	char after[STORE_KEY_MAX + 1];
	uint64_t limit = range->limit;
	bool has_more = true;

	memcpy(after, range->after, strlen(range->after) + 1);
	while (has_more) {
		struct rpc_request request = {.call = RPC_LIST,
					      .kind = kind,
					      .prefix = range->prefix,
					      .after = after,
					      .from = range->newer,
					      .limit = limit};
		AUTO_EXCHANGE struct exchange x = {0};
		if (ask(self, &request, &x, err) < 0)
			return -1;
		for (size_t i = 0; i < x.answer.count; i++) {
			int said = fn(context, &x.answer.items[i], err);
			if (said)
				return said;
			memcpy(after, x.answer.items[i].key, sizeof(after));
		}
		has_more = x.answer.has_more && x.answer.count > 0 &&
			   count_down(&limit, x.answer.count);
	}
	return 0;
}

static int pages(void *self, struct rpc_request *request, store_row_fn *fn, void *context,
		 struct err *err)
{
	for (bool has_more = true; has_more;) {
		AUTO_EXCHANGE struct exchange x = {0};
		if (ask(self, request, &x, err) < 0)
			return -1;
		for (size_t i = 0; i < x.answer.count; i++) {
			int said = fn(context, &x.answer.rows[i], err);
			if (said)
				return said;
			request->from = x.answer.rows[i].seq + 1;
		}
		has_more = x.answer.has_more && x.answer.count > 0 &&
			   count_down(&request->limit, x.answer.count);
	}
	return 0;
}

static int read_log(void *self, uint64_t from, uint64_t limit, store_row_fn *fn, void *context,
		    struct err *err)
{
	struct rpc_request request = {.call = RPC_READ, .from = from, .limit = limit};

	return pages(self, &request, fn, context, err);
}

static int find(void *self, const char *ref, uint64_t from, uint64_t limit, store_row_fn *fn,
		void *context, struct err *err)
{
	struct rpc_request request = {.call = RPC_FIND, .ref = ref, .from = from, .limit = limit};

	return pages(self, &request, fn, context, err);
}

static int refs(void *self, store_item_fn *fn, void *context, struct err *err)
{
	struct store_item last = {0};

	for (bool has_more = true; has_more;) {
		struct rpc_request request = {
			.call = RPC_REFS, .ref = last.key, .from = last.version};
		AUTO_EXCHANGE struct exchange x = {0};
		if (ask(self, &request, &x, err) < 0)
			return -1;
		for (size_t i = 0; i < x.answer.count; i++) {
			int said = fn(context, &x.answer.items[i], err);
			if (said)
				return said;
			last = x.answer.items[i];
		}
		has_more = x.answer.has_more && x.answer.count > 0;
	}
	return 0;
}

const struct store_backend store_postgres = {
	.open = open_it,
	.close = close_it,
	.lock = lock,
	.unlock = unlock,
	.commit = commit,
	.add = add,
	.snapshot = snapshot,
	.format = format,
	.tip = tip,
	.get = get,
	.list = list,
	.read = read_log,
	.find = find,
	.refs = refs,
};
