/* SPDX-License-Identifier: MIT
 *
 * Turns what cordon-box measured into the words of the contract.
 */
#include "model/result.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/scope.h"

static const char *const names[STATUS_COUNT] = {
	[STATUS_ERROR] = "error",	[STATUS_REFUSED] = "refused",
	[STATUS_PENDING] = "pending",	[STATUS_EXITED] = "exited",
	[STATUS_SIGNALED] = "signaled", [STATUS_TIMED_OUT] = "timed_out",
	[STATUS_LIMIT] = "limit",
};

const char *status_name(enum run_status status)
{
	return names[status < STATUS_COUNT ? status : STATUS_ERROR];
}

const char *egress_verdict_name(unsigned verdict)
{
	static const char *const words[EGRESS_VERDICTS] = {[EGRESS_REFUSED] = "refused",
							   [EGRESS_CONNECTED] = "connected",
							   [EGRESS_FAILED] = "failed"};

	return words[verdict < EGRESS_VERDICTS ? verdict : EGRESS_REFUSED];
}

int result_exit_status(const struct result *r)
{
	switch (r->status) {
	case STATUS_EXITED:
		return r->exit_code;
	case STATUS_TIMED_OUT:
		return 124;
	case STATUS_SIGNALED:
	case STATUS_LIMIT:
		return 128 + r->signal;
	case STATUS_REFUSED:
		return 126;
	case STATUS_PENDING:
		return 75; /* EX_TEMPFAIL: ask again later */
	default:
		return err_row(&r->err)->exit_status ? err_row(&r->err)->exit_status : 125;
	}
}

/* The denials count as far as denialc says: clearing their 50 KB would cost every start the pages. */
void result_init(struct result *r)
{
	memset(r, 0, offsetof(struct result, denials));
	r->upper = -1;
	r->wire.limit = LIMIT_NONE;
}

void result_done(struct result *r)
{
	for (int i = 0; i < 2; i++) {
		free(r->out[i].head);
		free(r->out[i].tail);
		memset(&r->out[i], 0, sizeof(r->out[i]));
	}
	for (size_t i = 0; i < r->changec; i++)
		free(r->changes[i].path);
	free(r->changes);
	r->changes = NULL;
	r->changec = 0;
	free(r->egress);
	r->egress = NULL;
	r->egressc = 0;
	for (size_t i = 0; i < r->telemetry.explainedc; i++)
		free(r->telemetry.explained[i]);
	r->telemetry.explainedc = 0;
	r->denialc = 0;
	scope_close(&r->upper);
	if (r->report)
		report_done(r->report);
	free(r->report);
	r->report = NULL;
}

bool result_put_egress(struct result *r, const struct egress_row *row)
{
	if (row->number > r->egressc)
		return true;
	bool is_new = row->number == r->egressc;
	if (is_new && r->egressc % 64 == 0) {
		struct egress_row *grown =
			realloc(r->egress, (r->egressc + 64) * sizeof(*r->egress));
		if (!grown)
			return false;
		r->egress = grown;
	}
	if (is_new && r->egressc == EGRESS_ROWS_MAX)
		return false;
	r->egressc += is_new;
	struct egress_row *to = &r->egress[row->number];
	*to = *row;
	to->name[sizeof(to->name) - 1] = '\0';
	to->address[sizeof(to->address) - 1] = '\0';
	to->rule[sizeof(to->rule) - 1] = '\0';
	if (to->verdict >= EGRESS_VERDICTS)
		to->verdict = EGRESS_REFUSED;
	return true;
}

bool result_add_egress(struct result *r, const struct egress_row *row)
{
	struct egress_row at = *row;
	size_t i = 0;

	while (i < r->egressc && r->egress[i].number != row->number)
		i++;
	at.number = (uint32_t)i;
	if (!result_put_egress(r, &at))
		return false;
	r->egress[i].number = row->number;
	return true;
}

int result_add_change(struct result *r, const struct wire_change *c)
{
	if (r->changec >= CORDON_CHANGES_MAX || c->path_len == 0 ||
	    c->path_len > CORDON_CHANGE_PATH_MAX || c->change >= CHANGE_KINDS ||
	    c->type >= CHANGE_TYPES) {
		r->changes_cut = true;
		return 0;
	}
	struct change *grown = realloc(r->changes, (r->changec + 1) * sizeof(*grown));
	if (!grown)
		return -1;
	r->changes = grown;
	char *path = malloc(c->path_len + 1);
	if (!path)
		return -1;
	memcpy(path, c->path, c->path_len);
	path[c->path_len] = '\0';
	grown[r->changec++] = (struct change){.change = c->change,
					      .type = c->type,
					      .mode = c->mode,
					      .size = c->size,
					      .path = path,
					      .path_len = c->path_len};
	return 0;
}

void result_conclude(struct result *r)
{
	const struct wire_result *w = &r->wire;

	r->exit_code = WIFEXITED(w->wait_status) ? WEXITSTATUS(w->wait_status) : -1;
	r->signal = WIFSIGNALED(w->wait_status) ? WTERMSIG(w->wait_status) : 0;
	r->status = r->signal ? STATUS_SIGNALED : STATUS_EXITED;
	if (w->killed_by_rule) {
		r->status = STATUS_SIGNALED;
		r->signal = SIGSYS;
	} else if (w->timed_out) {
		r->status = STATUS_TIMED_OUT;
	} else if (w->limit < LIMIT_COUNT && w->limit_ended) {
		r->status = STATUS_LIMIT;
	}
}

int capture_init(struct capture *c, size_t max)
{
	memset(c, 0, sizeof(*c));
	c->head_max = max / 2;
	c->tail_max = max - c->head_max;
	return 0;
}

void capture_hash(struct capture *c)
{
	digest_init(&c->sha256);
	c->hashes = true;
}

bool capture_sha256(const struct capture *c, uint8_t ret[32])
{
	struct digest state = c->sha256;

	if (!c->hashes && c->total)
		return false;
	if (!c->hashes)
		digest_init(&state);
	digest_end(&state, ret);
	return true;
}

/* Buffers grow with what comes: most programs print little. */
static void keep_head(struct capture *c, const char *data, size_t len)
{
	char *grown = realloc(c->head, c->head_len + len);

	if (!grown)
		return; /* counted, not kept */
	c->head = grown;
	memcpy(c->head + c->head_len, data, len);
	c->head_len += len;
}

static void keep_tail(struct capture *c, const char *data, size_t len)
{
	if (!c->tail)
		c->tail = malloc(c->tail_max);
	if (!c->tail)
		return;
	if (len > c->tail_max) {
		data += len - c->tail_max;
		len = c->tail_max;
	}
	for (size_t done = 0; done < len;) {
		size_t end = (c->tail_at + c->tail_len) % c->tail_max;
		size_t room = c->tail_max - end, part = len - done < room ? len - done : room;
		memcpy(c->tail + end, data + done, part);
		done += part;
		size_t over =
			c->tail_len + part > c->tail_max ? c->tail_len + part - c->tail_max : 0;
		c->tail_len += part - over;
		c->tail_at = (c->tail_at + over) % c->tail_max;
	}
}

void capture_add(struct capture *c, const char *data, size_t len)
{
	size_t room = c->head_max - c->head_len, head = len < room ? len : room;

	c->total += len;
	if (c->hashes)
		digest_add(&c->sha256, data, len);
	if (head)
		keep_head(c, data, head);
	if (len > head)
		keep_tail(c, data + head, len - head);
}

uint64_t capture_omitted(const struct capture *c)
{
	return c->total - c->head_len - c->tail_len;
}

char *capture_join(const struct capture *c, size_t *ret_len, size_t *ret_gap_at)
{
	size_t len = c->head_len + c->tail_len;
	char *all = malloc(len + 1);

	if (!all)
		return NULL;
	if (c->head_len)
		memcpy(all, c->head, c->head_len);
	for (size_t i = 0; i < c->tail_len; i++)
		all[c->head_len + i] = c->tail[(c->tail_at + i) % c->tail_max];
	all[len] = '\0';
	*ret_len = len;
	*ret_gap_at = c->head_len;
	return all;
}
