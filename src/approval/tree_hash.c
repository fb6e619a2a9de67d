/* SPDX-License-Identifier: MIT
 *
 * See tree_hash.h. Each entry is hashed as a line that has its length, so different trees never give
 * the same bytes. A mount inside the tree is an error: it hides files that the
 * box may show.
 */
#include "approval/tree_hash.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/scope.h"
#include "base/walk.h"

#define PREFIX "cordon approval tree 2\n"
/* Python loads the compiled file in this directory if the source beside it has the recorded time. */
#define CACHE "__pycache__"

struct tree {
	struct digest state;
	const struct tree_size *most;
	uint64_t bytes;
	struct buf *list; /* or NULL */
	uint8_t buf[TREE_READ_MAX];
};

static int too_large(const struct tree *t, struct err *err)
{
	return err_set(err, ERR_LIMIT, "its files have more than %llu bytes",
		       (unsigned long long)t->most->bytes);
}

static void add(struct tree *t, const void *data, size_t len)
{
	digest_add(&t->state, data, len);
}

/* Must the hash include the time of the file? */
static bool is_timed(const struct walk_entry *e)
{
	return S_ISREG(e->st.st_mode) && e->beside && dir_entries_has(e->beside, CACHE);
}

/* KIND, mode, NUMBER (a length or a device), time, name. */
static void add_line(struct tree *t, char kind, const struct walk_entry *e, uint64_t number)
{
	bool timed = is_timed(e);
	char line[128];
	int len = snprintf(line, sizeof(line), "%c %04o %llu %lld.%09ld %zu ", kind,
			   (unsigned)e->st.st_mode & 07777, (unsigned long long)number,
			   timed ? (long long)e->st.st_mtim.tv_sec : 0,
			   timed ? e->st.st_mtim.tv_nsec : 0, e->len);

	add(t, line, (size_t)len);
	add(t, e->path, e->len);
	add(t, "\n", 1);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size && a->st_mode == b->st_mode &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* The form that tree_list_next reads: hash, length, name with control characters escaped. */
static void list_file(struct buf *out, const struct walk_entry *e, uint64_t len,
		      const uint8_t sha256[TREE_SHA256])
{
	buf_hex(out, sha256, TREE_SHA256);
	buf_printf(out, " %llu ", (unsigned long long)len);
	for (size_t i = 0; i < e->len; i++)
		if ((uint8_t)e->path[i] < 0x20 || e->path[i] == '\\')
			buf_printf(out, "\\x%02x", (uint8_t)e->path[i]);
		else
			buf_add(out, e->path + i, 1);
	buf_str(out, "\n");
}

static int add_file(struct tree *t, const struct walk_entry *e, struct err *err)
{
	uint64_t left = t->most->bytes - t->bytes, len = 0;
	uint8_t sha256[TREE_SHA256];
	struct digest content;
	struct stat after;
	ssize_t n;

	if ((uint64_t)e->st.st_size > left)
		return too_large(t, err);
	AUTO_CLOSE int fd = walk_reopen(e);
	if (fd < 0)
		return walk_unreadable(e, err);
	add_line(t, 'f', e, (uint64_t)e->st.st_size);
	digest_init(&content);
	while ((n = read(fd, t->buf, sizeof(t->buf))) > 0) {
		len += (uint64_t)n;
		if (len > left)
			return too_large(t, err);
		digest_add(&content, t->buf, (size_t)n);
	}
	if (n < 0 || fstat(fd, &after) < 0)
		return walk_unreadable(e, err);
	if (len != (uint64_t)e->st.st_size || !is_same(&e->st, &after))
		return err_set(err, ERR_INPUT, "%s in it is being changed", e->len ? e->path : ".");
	digest_end(&content, sha256);
	add(t, sha256, sizeof(sha256));
	if (t->list)
		list_file(t->list, e, len, sha256);
	t->bytes += len;
	return 0;
}

static int add_link(struct tree *t, const struct walk_entry *e, struct err *err)
{
	ssize_t n = readlinkat(e->fd, "", (char *)t->buf, TREE_LINK_MAX + 1);

	if (n < 0)
		return walk_unreadable(e, err);
	if (n > TREE_LINK_MAX)
		return err_set(err, ERR_LIMIT, "the target of the link %s in it is too long",
			       e->len ? e->path : ".");
	add_line(t, 'l', e, (uint64_t)n);
	add(t, t->buf, (size_t)n);
	return 0;
}

/* Hashed by kind and device; never opened. */
static int add_other(struct tree *t, const struct walk_entry *e, struct err *err)
{
	char kind = S_ISFIFO(e->st.st_mode)   ? 'p'
		    : S_ISSOCK(e->st.st_mode) ? 's'
		    : S_ISCHR(e->st.st_mode)  ? 'c'
		    : S_ISBLK(e->st.st_mode)  ? 'b'
					      : 'o';

	(void)err;
	add_line(t, kind, e, e->st.st_rdev);
	return 0;
}

static int add_dir(struct tree *t, const struct walk_entry *e, struct err *err)
{
	(void)err;
	add_line(t, 'd', e, e->names->count);
	return 0;
}

static int add_entry(void *ctx, const struct walk_entry *e, struct err *err)
{
	static const struct {
		mode_t type;
		int (*add)(struct tree *t, const struct walk_entry *e, struct err *err);
	} kinds[] = {{S_IFREG, add_file}, {S_IFDIR, add_dir}, {S_IFLNK, add_link}};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if ((e->st.st_mode & S_IFMT) == kinds[i].type)
			return kinds[i].add(ctx, e, err);
	return add_other(ctx, e, err);
}

int tree_sum(const char *path, const struct tree_size *most, struct buf *list, struct tree_sum *ret,
	     struct err *err)
{
	AUTO_FREE struct tree *t = calloc(1, sizeof(*t));
	AUTO_CLOSE int fd = open(path, O_PATH | O_CLOEXEC);
	struct walk_to to = {.entries = most->entries, .visit = add_entry, .ctx = t};

	if (!t)
		return err_memory(err);
	t->most = most;
	t->list = list;
	digest_init(&t->state);
	add(t, PREFIX, sizeof(PREFIX) - 1);
	if (walk(fd, &to, &ret->size.entries, err) < 0)
		return -1;
	digest_end(&t->state, ret->sha256);
	ret->size.bytes = t->bytes;
	return 0;
}

static int digit(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Undoes the escapes of list_file. Bytes from END on must not be read: they may be beyond the buffer. */
static void read_name(const char *p, const char *end, char *ret)
{
	while (p < end)
		if (end - p >= 4 && p[0] == '\\' && p[1] == 'x' && digit(p[2]) >= 0 &&
		    digit(p[3]) >= 0) {
			*ret++ = (char)(digit(p[2]) * 16 + digit(p[3]));
			p += 4;
		} else {
			*ret++ = *p++;
		}
	*ret = '\0';
}

bool tree_list_next(const char **at, const char *end, struct tree_file *ret)
{
	const char *line_end = *at < end ? memchr(*at, '\n', (size_t)(end - *at)) : NULL;
	const char *hex = *at, *size = hex + (size_t)2 * TREE_SHA256 + 1;
	char *name;

	if (!line_end || line_end <= size || *size < '0' || *size > '9')
		return false;
	ret->bytes = strtoull(size, &name, 10);
	if (*name != ' ' || name >= line_end || line_end - name > TREE_NAME_MAX)
		return false;
	memcpy(ret->sha256, hex, sizeof(ret->sha256) - 1);
	ret->sha256[sizeof(ret->sha256) - 1] = '\0';
	read_name(name + 1, line_end, ret->name);
	*at = line_end + 1;
	return true;
}

bool tree_list_find(const char *list, size_t len, const char *name, struct tree_file *ret)
{
	for (const char *at = list; tree_list_next(&at, list + len, ret);)
		if (strcmp(ret->name, name) == 0)
			return true;
	return false;
}
