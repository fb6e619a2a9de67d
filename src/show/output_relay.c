/* SPDX-License-Identifier: MIT
 *
 * Each character passes two filters: the line guard, then the terminal guard. If the output goes to
 * a file of its own, the bytes pass unchanged.
 */
#include "show/output_relay.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

static const char ours[] = "cordon: ";
enum { OURS_LEN = sizeof(ours) - 1, OUT_SIZE = 8192 };

struct out {
	struct relay *relay;
	size_t len;
	char data[OUT_SIZE];
};

static void write_out(struct relay *r, const char *data, size_t len)
{
	if (io_write_all(r->fd, data, len) < 0)
		r->lost = true;
}

static void flush_out(struct out *o)
{
	write_out(o->relay, o->data, o->len);
	o->len = 0;
}

static void put_raw(struct out *o, const void *data, size_t len)
{
	if (o->len + len > sizeof(o->data))
		flush_out(o);
	memcpy(o->data + o->len, data, len);
	o->len += len;
}

static bool is_layout(uint32_t c)
{
	return c == '\n' || c == '\t' || c == '\r';
}

static void put_char(struct out *o, const unsigned char *bytes, unsigned len, uint32_t c)
{
	char shown[GLYPH_SHOWN_MAX];

	if (o->relay->terminal && !is_layout(c) && glyph_is_obeyed(c))
		put_raw(o, shown, glyph_show(c, shown));
	else
		put_raw(o, bytes, len);
}

static void release_match(struct relay_line *line, struct out *o)
{
	put_raw(o, ours, line->matched);
	line->matched = 0;
	line->in_line = true;
}

/* An invisible character at the start of a line can imitate our prefix. A tab counts only in place
 * of the space after the colon. A file may be shown on a terminal later, so controls count there
 * too. */
static bool is_trick(const struct relay *r, uint32_t c)
{
	if (c == '\t')
		return r->line->matched == OURS_LEN - 1;
	if (is_layout(c))
		return false;
	return glyph_is_unseen(c) || (!r->terminal && glyph_is_obeyed(c));
}

static void guard_char(struct out *o, const unsigned char *bytes, unsigned len, uint32_t c)
{
	struct relay_line *line = o->relay->line;

	if (!line->in_line && c == (unsigned char)ours[line->matched]) {
		if (++line->matched < OURS_LEN)
			return;
		put_raw(o, "| ", 2);
		release_match(line, o);
		return;
	}
	if (!line->in_line && is_trick(o->relay, c))
		put_raw(o, "| ", 2);
	if (!line->in_line)
		release_match(line, o);
	put_char(o, bytes, len, c);
	if (c == '\n' || c == '\r')
		line->in_line = false;
}

/* Passes on the bytes of an incomplete character. */
static void release_held(struct relay *r, struct out *o)
{
	for (unsigned i = 0; i < r->heldc; i++)
		guard_char(o, &r->held[i], 1, glyph_decode(&r->held[i], 1));
	r->heldc = 0;
}

static void guard_byte(struct relay *r, struct out *o, unsigned char c)
{
	if (r->heldc && (c & 0xc0) != 0x80)
		release_held(r, o);
	if (!r->heldc)
		r->need = glyph_length(c);
	r->held[r->heldc++] = c;
	if (r->heldc < r->need)
		return;
	guard_char(o, r->held, r->need, glyph_decode(r->held, r->need));
	r->heldc = 0;
}

bool relay_is_shared(void)
{
	struct stat a, b;

	return fstat(STDOUT_FILENO, &a) == 0 && fstat(STDERR_FILENO, &b) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

void relay_init(struct relay *r, int fd, size_t room, struct relay_line *line)
{
	*r = (struct relay){.fd = fd,
			    .all = room == RELAY_ALL,
			    .room = room,
			    .terminal = isatty(fd),
			    .line = line};
	/* Cordon's own messages go to standard error. */
	r->guard = r->terminal || fd == STDERR_FILENO || relay_is_shared();
}

static void relay_all(struct relay *r, const char *data, size_t len)
{
	struct out o = {.relay = r};

	for (size_t i = 0; i < len; i++)
		guard_byte(r, &o, (unsigned char)data[i]);
	flush_out(&o);
}

static void pass(struct relay *r, const char *data, size_t len)
{
	if (r->guard)
		relay_all(r, data, len);
	else
		write_out(r, data, len);
}

void relay_write(struct relay *r, const char *data, size_t len)
{
	size_t part = r->all || len < r->room ? len : r->room;

	r->room -= r->all ? 0 : part;
	if (part)
		pass(r, data, part);
}

void relay_finish(struct relay *r, const struct capture *c)
{
	struct out o = {.relay = r};
	uint64_t omitted = r->all ? 0 : capture_omitted(c);

	if (omitted) {
		release_held(r, &o);
		if (r->guard && r->line->matched)
			release_match(r->line, &o);
		flush_out(&o);
		char line[96];
		int n = snprintf(line, sizeof(line), "\ncordon: ... %llu bytes left out ...\n",
				 (unsigned long long)omitted);
		(void)!io_write_all(STDERR_FILENO, line, (size_t)n);
		*r->line = (struct relay_line){0}; /* now at the start of a line */
	}
	for (size_t i = 0; !r->all && i < c->tail_len; i++) {
		char byte = c->tail[(c->tail_at + i) % c->tail_max];
		if (r->guard)
			guard_byte(r, &o, (unsigned char)byte);
		else
			put_raw(&o, &byte, 1);
	}
	release_held(r, &o);
	if (r->guard && r->line->matched)
		release_match(r->line, &o);
	flush_out(&o);
}
