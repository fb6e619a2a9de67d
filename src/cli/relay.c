/* SPDX-License-Identifier: MIT
 *
 * A byte at a time through two small filters into a buffer: the line guard, then the terminal
 * guard. Bytes go out unchanged where neither a terminal nor our own words are at stake.
 */
#include "cli/relay.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

static const char ours[] = "cordon: ";
enum { OURS_LEN = sizeof(ours) - 1, OUT_SIZE = 8192 };

struct out {
	int fd;
	size_t len;
	char data[OUT_SIZE];
};

static void flush_out(struct out *o)
{
	(void)!io_write_all(o->fd, o->data, o->len);
	o->len = 0;
}

static void put_raw(struct out *o, const char *data, size_t len)
{
	if (o->len + len > sizeof(o->data))
		flush_out(o);
	memcpy(o->data + o->len, data, len);
	o->len += len;
}

/* What a terminal obeys: C0 controls, DEL, and the C1 controls, also as UTF-8 (C2 80 to C2 9F).
 * Other bytes from 80 on are passed as parts of a character. */
static bool is_obeyed(struct relay *r, unsigned char c)
{
	bool continues = r->expected > 0 && (c & 0xc0) == 0x80;

	r->expected = continues	  ? r->expected - 1
		      : c >= 0xf0 ? 3
		      : c >= 0xe0 ? 2
		      : c >= 0xc0 ? 1
				  : 0;
	if (c == '\n' || c == '\t' || c == '\r')
		return false;
	if (c >= 0x80 && c < 0xa0)
		return !continues || r->lead == 0xc2;
	r->lead = c;
	return c < 0x20 || c == 0x7f;
}

static void put_byte(struct relay *r, struct out *o, unsigned char c)
{
	char shown[8];

	if (!r->terminal || !is_obeyed(r, c)) {
		put_raw(o, (const char *)&c, 1);
		return;
	}
	int n = c < 0x20 ? snprintf(shown, sizeof(shown), "^%c", c + 0x40)
			 : snprintf(shown, sizeof(shown), "\\x%02x", c);
	put_raw(o, shown, (size_t)n);
}

static void release_match(struct relay *r, struct out *o)
{
	for (size_t i = 0; i < r->line->matched; i++)
		put_byte(r, o, (unsigned char)ours[i]);
	r->line->matched = 0;
	r->line->in_line = true;
}

static void guard_byte(struct relay *r, struct out *o, unsigned char c)
{
	struct relay_line *line = r->line;

	if (!line->in_line && c == (unsigned char)ours[line->matched]) {
		if (++line->matched < OURS_LEN)
			return;
		put_raw(o, "| ", 2);
		release_match(r, o);
		return;
	}
	if (!line->in_line)
		release_match(r, o);
	put_byte(r, o, c);
	if (c == '\n' || c == '\r')
		line->in_line = false;
}

bool relay_is_shared(void)
{
	struct stat a, b;

	return fstat(STDOUT_FILENO, &a) == 0 && fstat(STDERR_FILENO, &b) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

void relay_init(struct relay *r, int fd, size_t room, struct relay_line *line)
{
	*r = (struct relay){.fd = fd, .room = room, .terminal = isatty(fd), .line = line};
	/* Our words go to standard error. */
	r->guard = r->terminal || fd == STDERR_FILENO || relay_is_shared();
}

static void relay_all(struct relay *r, const char *data, size_t len)
{
	struct out o = {.fd = r->fd};

	for (size_t i = 0; i < len; i++)
		guard_byte(r, &o, (unsigned char)data[i]);
	flush_out(&o);
}

static void pass(struct relay *r, const char *data, size_t len)
{
	if (r->guard)
		relay_all(r, data, len);
	else
		(void)!io_write_all(r->fd, data, len);
}

void relay_write(struct relay *r, const char *data, size_t len)
{
	size_t part = len < r->room ? len : r->room;

	r->room -= part;
	if (part)
		pass(r, data, part);
}

void relay_finish(struct relay *r, const struct capture *c)
{
	struct out o = {.fd = r->fd};
	uint64_t omitted = capture_omitted(c);

	if (omitted) {
		char line[96];
		int n = snprintf(line, sizeof(line), "\ncordon: ... %llu bytes left out ...\n",
				 (unsigned long long)omitted);
		(void)!io_write_all(STDERR_FILENO, line, (size_t)n);
		*r->line = (struct relay_line){0}; /* we are at the start of a line now */
	}
	for (size_t i = 0; i < c->tail_len; i++) {
		char byte = c->tail[(c->tail_at + i) % c->tail_max];
		if (r->guard)
			guard_byte(r, &o, (unsigned char)byte);
		else
			put_raw(&o, &byte, 1);
	}
	if (r->guard && r->line->matched)
		release_match(r, &o);
	flush_out(&o);
}
