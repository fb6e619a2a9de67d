/* SPDX-License-Identifier: MIT
 *
 * Jobs about live boxes. A conversation has at most one box for each way in which the agent's own sandbox
 * narrows it (wish.h). No box is given anything that the options of the door do not name.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/io.h"
#include "base/pages.h"
#include "base/scope.h"
#include "door/executor/job.h"
#include "door/executor/wish.h"
#include "trust/conversation.h"

static bool has_wish(const json_t *job, unsigned wish)
{
	return (unsigned)json_integer_value(json_object_get(job, "wish")) & wish;
}

void box_job_request(const struct desk *d, const json_t *job, struct request *ret)
{
	*ret = *d->options->request;
	ret->conversation = job_text(job, "conversation");
	ret->lang = "bash";
	if (has_wish(job, WISH_NO_WRITE)) {
		ret->workspace_mode = WORKSPACE_RO;
		while (ret->rwc && ret->roc < REQUEST_PATHS_MAX)
			ret->ro[ret->roc++] = ret->rw[--ret->rwc];
		ret->rwc = 0;
	} else if (json_is_true(json_object_get(job, "proposes"))) {
		ret->workspace_mode = WORKSPACE_OVERLAY;
	}
	if (has_wish(job, WISH_NO_NET))
		ret->netc = ret->secretc = 0;
	/* What the agent has read is not known here. */
	ret->is_users = false;
	ret->is_exposed = true;
	ret->wait = true;
}

/* Nothing is known of what the agent reads, so its conversation is exposed from the beginning. */
static int begin_conversation(struct desk *d, struct request *r, char ret[ID_HEX], struct err *err)
{
	struct gate_state *s = &d->session.state;
	struct conversation c;
	char title[CONVERSATION_TITLE_MAX + 1];

	if (r->conversation) {
		snprintf(ret, ID_HEX, "%s", r->conversation);
		return 0;
	}
	snprintf(title, sizeof(title), "codex %.150s", r->workspace);
	conversation_init(&c, s->principal, title, s->keeper.now_us());
	conversation_expose(&c, "the executor does not see what the agent reads", c.begun_us);
	if (conversation_begin(&s->keeper, &c, err) < 0)
		return -1;
	r->conversation = id_hex(&c.id, ret);
	return 0;
}

/* The command line that would create this box: cordon box reads it. */
static int store_options(const struct desk *d, const struct request *r, const char *name, int *ret,
			 struct err *err)
{
	static const char *const modes[] = {"", ":ro", ":overlay", ":rw"};
	const struct executor_options *o = d->options;
	AUTO_FREE char *data = malloc(KEEP_OPTIONS_MAX);
	size_t size = KEEP_OPTIONS_MAX, len;

	if (!data)
		return err_memory(err);
	if (o->words_len > size / 2)
		return err_set(err, ERR_LIMIT, "the options of a box are too long");
	len = (size_t)snprintf(data, size, "%s%ccordon%cbox%ccreate%c%s%c", r->workspace, 0, 0, 0,
			       0, name, 0);
	memcpy(data + len, o->words, o->words_len);
	len += o->words_len;
	len += (size_t)snprintf(data + len, size - len, "--workspace%c%s%s%c--conversation%c%s", 0,
				r->workspace, modes[r->workspace_mode], 0, 0, r->conversation) +
	       1;
	*ret = io_sealed_memfd("cordon-box-options", data, len);
	return *ret < 0 ? err_errno(err, ERR_SYSTEM, "storing the options") : 0;
}

static int create(struct desk *d, struct request *r, const char *name, struct result *result,
		  struct err *err)
{
	static const struct launch_sink quiet = {0};
	AUTO_KEPT_BOX struct kept_box k = KEPT_BOX_NONE;

	snprintf(k.about.name, sizeof(k.about.name), "%s", name);
	k.about.idle_ms = d->options->idle_ms;
	k.about.life_ms = d->options->life_ms;
	if (kept_box_connect(&k, d->session.state.dir, true, err) < 0 ||
	    store_options(d, r, name, &k.fds[KEEP_FD_OPTIONS], err) < 0)
		return -1;
	r->creates_box = true;
	r->file = name;
	flow_run_live(r, &k, &d->session, &quiet, result);
	return 0;
}

int box_job_use(struct desk *d, const json_t *job, struct kept_box *ret, struct err *err)
{
	if (desk_open(d, err) < 0)
		return -1;
	int r = kept_box_connect(ret, d->session.state.dir, false, err);
	if (r != 0)
		return r;
	return kept_box_use(ret, job_text(job, "box"), err) < 0 ? 1 : 0;
}

/* The directory itself does not change: nothing lets the box write there, or root owns it. */
static bool is_proposing(struct desk *d, const json_t *job)
{
	AUTO_KEPT_BOX struct kept_box k = KEPT_BOX_NONE;
	AUTO_PAGES struct spec *spec = pages_new(sizeof(*spec));
	struct err ignored;

	return spec && box_job_use(d, job, &k, &ignored) == 0 &&
	       kept_box_spec(&k, spec, &ignored) == 0 && spec->workspace == WORKSPACE_OVERLAY;
}

void box_job_create(struct desk *d, const json_t *job)
{
	AUTO_PAGES struct result *result = pages_new(sizeof(*result));
	AUTO_PAGES struct request *r = pages_new(sizeof(*r));
	char conversation[ID_HEX] = "";
	struct err err;

	if (!result || !r) {
		desk_answer(d, json_pack("{s:s}", "words", "cordon: out of memory\n"));
		return;
	}
	result_init(result);
	box_job_request(d, job, r);
	if (desk_open(d, &err) < 0 || begin_conversation(d, r, conversation, &err) < 0 ||
	    create(d, r, job_text(job, "box"), result, &err) < 0)
		result->err = err;
	bool lives = result->ran == RAN_ENDED && result->status == STATUS_EXITED;
	AUTO_FREE char *words = lives ? NULL : desk_words(result, r);
	desk_answer(d, lives ? json_pack("{s:s, s:b}", "conversation", conversation, "proposes",
					 is_proposing(d, job))
			     : json_pack("{s:s, s:s}", "words", words ? words : "", "conversation",
					 conversation));
	result_done(result);
}

void box_job_stop(struct desk *d, const json_t *job)
{
	AUTO_KEPT_BOX struct kept_box k = KEPT_BOX_NONE;
	struct keep_done done = {0};
	struct err err;

	if (box_job_use(d, job, &k, &err) == 0)
		(void)kept_box_tell(&k, KEEP_STOP, job_text(job, "box"), &done, &err);
	desk_answer(d, json_object());
}
