/* SPDX-License-Identifier: MIT
 *
 * The log in a PostgreSQL server: each call of the backend is a message to cordon-postgres, which
 * speaks with the server. After an answer that did not come or made no sense nothing is known of
 * the connection any more, so it is ended, and every later call fails.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "store/helper.h"
#include "store/wire.h"

struct remote {
	struct helper helper;
	int wait_ms; /* for an answer */
};

/* What one call came back with; its bytes live as long as it does. */
struct exchange {
	struct wire_answer answer;
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
		err_set(err, ERR_SYSTEM, "cordon-postgres has ended without an answer");
	err_cause(err, "a transaction that was being committed may have been written, or not");
	err_cure(err, "see whether it was killed, and why; a new call begins a new connection");
	helper_end(&r->helper);
	return -1;
}

static int ask(struct remote *r, const struct wire_request *request, struct exchange *x,
	       struct err *err)
{
	AUTO_BUF struct buf out = {.most = WIRE_MAX};

	if (r->helper.sock < 0)
		return err_set(err, ERR_SYSTEM, "the connection to the database is gone");
	wire_put_request(&out, request);
	if (out.failed)
		return err_set(err, ERR_LIMIT, "a transaction is too large");
	if (wire_send(r->helper.sock, &out) < 0)
		return broken(r, err, "asking");
	int got = wire_receive(r->helper.sock, &x->message, r->wait_ms);
	if (got == 0)
		errno = 0;
	if (got <= 0)
		return broken(r, err, "waiting for its answer");
	if (wire_get_answer(x->message.data, x->message.len, request->call, &x->answer, &x->arena,
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
	struct wire_request request = {.call = WIRE_OPEN,
				       .url = o->url,
				       .read_only = o->read_only,
				       .wait_ms = (uint32_t)store_wait(o)};
	AUTO_EXCHANGE struct exchange x = {0};

	if (strlen(o->url) > WIRE_URL_MAX)
		return err_set(err, ERR_LIMIT, "the store's URL is over %d bytes", WIRE_URL_MAX);
	struct remote *r = calloc(1, sizeof(*r));
	if (!r)
		return err_memory(err);
	r->wait_ms = store_wait(o) + WIRE_WAIT_MS;
	if (helper_start(&r->helper, err) < 0 || ask(r, &request, &x, err) < 0) {
		close_it(r);
		return -1;
	}
	*ret = r;
	return 0;
}

static int ask_tip(void *self, enum wire_call call, struct store_tip *ret, struct err *err)
{
	struct wire_request request = {.call = call};
	AUTO_EXCHANGE struct exchange x = {0};

	if (ask(self, &request, &x, err) < 0)
		return -1;
	*ret = x.answer.tip;
	return 0;
}

static int lock(void *self, struct store_tip *ret, struct err *err)
{
	return ask_tip(self, WIRE_LOCK, ret, err);
}

static int tip(void *self, struct store_tip *ret, struct err *err)
{
	return ask_tip(self, WIRE_TIP, ret, err);
}

static void unlock(void *self)
{
	struct wire_request request = {.call = WIRE_UNLOCK};
	AUTO_EXCHANGE struct exchange x = {0};
	struct err err;

	(void)ask(self, &request, &x, &err);
}

static int commit(void *self, const struct store_op *op, size_t count, struct err *err)
{
	struct wire_request request = {.call = WIRE_COMMIT, .op = op, .count = count};
	AUTO_EXCHANGE struct exchange x = {0};

	if (count > WIRE_OPS_MAX)
		return err_set(err, ERR_LIMIT, "a transaction has over %d steps", WIRE_OPS_MAX);
	return ask(self, &request, &x, err);
}

static int get(void *self, enum store_kind kind, const char *key, struct store_item *ret,
	       struct err *err)
{
	struct wire_request request = {.call = WIRE_GET, .kind = kind, .key = key};
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

/* How many of LIMIT are left after COUNT; false: none. 0 is no limit. */
static bool count_down(uint64_t *limit, size_t count)
{
	if (*limit == 0)
		return true;
	*limit -= count < *limit ? count : *limit;
	return *limit > 0;
}

/* A page at a time: whoever is called may ask for something else meanwhile. */
static int list(void *self, enum store_kind kind, const struct store_range *range,
		store_item_fn *fn, void *context, struct err *err)
{
	char after[STORE_KEY_MAX + 1];
	uint64_t limit = range->limit;
	bool has_more = true;

	memcpy(after, range->after, strlen(range->after) + 1);
	while (has_more) {
		struct wire_request request = {.call = WIRE_LIST,
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

static int pages(void *self, struct wire_request *request, store_row_fn *fn, void *context,
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
	struct wire_request request = {.call = WIRE_READ, .from = from, .limit = limit};

	return pages(self, &request, fn, context, err);
}

static int find(void *self, const char *ref, uint64_t from, uint64_t limit, store_row_fn *fn,
		void *context, struct err *err)
{
	struct wire_request request = {.call = WIRE_FIND, .ref = ref, .from = from, .limit = limit};

	return pages(self, &request, fn, context, err);
}

static int refs(void *self, store_item_fn *fn, void *context, struct err *err)
{
	struct store_item last = {0};

	for (bool has_more = true; has_more;) {
		struct wire_request request = {
			.call = WIRE_REFS, .ref = last.key, .from = last.version};
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
	.tip = tip,
	.get = get,
	.list = list,
	.read = read_log,
	.find = find,
	.refs = refs,
};
