/* SPDX-License-Identifier: MIT
 *
 * An answer has one form. After parsing, it is written again and must give the same bytes, and the
 * signature is verified over what was written. So an answer cannot contain bytes that are not checked.
 */
#include "approval/answer.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define TIME_MOST ((uint64_t)1 << 51)

void answer_text(const struct answer *answer, struct buf *out)
{
	const struct approval_vote *v = &answer->vote;

	*out = (struct buf){.most = ANSWER_TEXT_MAX};
	buf_str(out, "cordon approval 1\nrequest ");
	buf_hex(out, answer->binding, sizeof(answer->binding));
	buf_printf(out, "\nanswer %s\nscope %s\nuntil %" PRIu64 "\nsigner %s\ntime %" PRIu64 "\n",
		   v->approves ? "approve" : "deny", scope_name((unsigned)v->scope), v->expires,
		   v->name, v->time);
}

int answer_write(const struct answer *answer, struct buf *out, struct err *err)
{
	AUTO_BUF struct buf text = {0};

	*out = (struct buf){.most = ANSWER_MAX};
	answer_text(answer, &text);
	buf_add(out, text.data, text.len);
	ssh_armour(answer->vote.signature, out);
	return text.failed || out->failed ? err_set(err, ERR_LIMIT, "the answer is too large") : 0;
}

/* Returns the text after LABEL and moves *AT to the next line. NULL if the line has another label. */
static const char *take_line(const char **at, const char *end, const char *label, struct arena *a)
{
	size_t skip = strlen(label);
	const char *from = *at, *newline = memchr(from, '\n', (size_t)(end - from));

	if (!newline || (size_t)(newline - from) < skip || memcmp(from, label, skip) != 0 ||
	    memchr(from, '\0', (size_t)(newline - from)))
		return NULL;
	*at = newline + 1;
	return arena_printf(a, "%.*s", (int)((size_t)(newline - from) - skip), from + skip);
}

static bool read_scope(const char *word, uint64_t *ret)
{
	for (unsigned i = 0; i < SCOPE_COUNT; i++)
		if (strcmp(word, scope_name(i)) == 0) {
			*ret = i;
			return true;
		}
	return false;
}

/* A sign or leading zero is found when the answer is written again. */
static bool read_time(const char *word, uint64_t *ret)
{
	*ret = *word >= '0' && *word <= '9' ? strtoull(word, NULL, 10) : TIME_MOST;
	return *ret < TIME_MOST;
}

static bool read_lines(const char **at, const char *end, struct arena *a, struct answer *ret)
{
	static const char *const labels[] = {
		"cordon approval 1", "request ", "answer ", "scope ", "until ", "signer ", "time "};
	enum { HEAD, REQUEST, ANSWER, SCOPE, UNTIL, SIGNER, TIME, LINES };
	const char *line[LINES];
	size_t bytes = 0;

	for (int i = 0; i < LINES; i++) {
		line[i] = take_line(at, end, labels[i], a);
		if (!line[i])
			return false;
	}
	ret->vote.approves = strcmp(line[ANSWER], "deny") != 0;
	ret->vote.name = line[SIGNER];
	return sodium_hex2bin(ret->binding, sizeof(ret->binding), line[REQUEST],
			      strlen(line[REQUEST]), NULL, &bytes, NULL) == 0 &&
	       bytes == sizeof(ret->binding) && read_scope(line[SCOPE], &ret->vote.scope) &&
	       read_time(line[UNTIL], &ret->vote.expires) &&
	       read_time(line[TIME], &ret->vote.time) && signer_name_is_good(line[SIGNER]);
}

static int bad_answer(const char *why, struct err *err)
{
	err_set(err, ERR_INPUT, "not an answer of this version, or not a complete one");
	err_cause(err, "%s", why);
	err_cure(err, "use the unchanged file that cordon approvals sign wrote");
	return -1;
}

int answer_read(const void *data, size_t len, struct arena *a, struct answer *ret, struct err *err)
{
	AUTO_BUF struct buf again = {0};
	const char *at = data, *end = at + len;
	struct err why;

	*ret = (struct answer){0};
	if (len > ANSWER_MAX)
		return bad_answer("it is too long", err);
	if (!read_lines(&at, end, a, ret))
		return a->failed ? err_memory(err)
				 : bad_answer("a line is missing or out of order", err);
	if (ssh_unarmour(at, (size_t)(end - at), a, &ret->vote.signature, &why) < 0)
		return bad_answer(why.message, err);
	if (answer_write(ret, &again, err) < 0)
		return -1;
	if (again.len != len || memcmp(again.data, data, len) != 0)
		return bad_answer("its lines are not in canonical form", err);
	return a->failed ? err_memory(err) : 0;
}
