/* SPDX-License-Identifier: MIT
 *
 * Follows links, as the reference does. Opens regular files only, and never blocks. Takes an
 * entry's type from the directory where possible, because each start reads hundreds of files and
 * a stat of each would cost time.
 */
#include "rule/pack_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/io.h"
#include "base/scope.h"
#include "yaml/yaml.h"

struct walk {
	pack_file_fn *each;
	pack_place_fn *place; /* or EACH is NULL and this is called */
	void *context;
	char *data;		    /* room for the largest file and one byte */
	int directory, directories; /* the present one's number; how many there were */
	int depth;
	struct err *err;
};

struct entry {
	const char *name;
	unsigned char type; /* DT_ */
};

/* Reads a regular file. One byte over the maximum is read, to notice a file that is too large. */
static ssize_t read_file(struct walk *w, int dir, const char *name)
{
	AUTO_CLOSE int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(w->err, ERR_INPUT, "cannot be read");
	if (!S_ISREG(st.st_mode))
		return err_set(w->err, ERR_INPUT, "is not a regular file");
	ssize_t len = io_read_full(fd, w->data, YAML_BYTES_MAX + 1);
	if (len < 0)
		return err_errno(w->err, ERR_INPUT, "cannot be read");
	if (len > YAML_BYTES_MAX)
		return err_set(w->err, ERR_LIMIT, "is larger than %d bytes", YAML_BYTES_MAX);
	return len;
}

/* Reports a file that cannot be read, or a name that is almost a rule's; ERR has the reason. */
static int refuse(struct walk *w, const char *path)
{
	return w->each ? w->each(w->context, path, NULL, 0) : -1;
}

static int report_place(struct walk *w, const struct stat *st, const char *name, int directory)
{
	struct pack_place place = {directory, w->directory, name, stamp_of(st)};

	return w->place(w->context, &place);
}

static int place_file(struct walk *w, int dir, const char *name)
{
	struct stat st;

	if (fstatat(dir, name, &st, 0) < 0)
		return err_errno(w->err, ERR_INPUT, "%.256s", name);
	if (!S_ISREG(st.st_mode))
		return err_set(w->err, ERR_INPUT, "%.256s: is not a regular file", name);
	return report_place(w, &st, name, -1);
}

static int walk_file(struct walk *w, int dir, const char *name, const char *path)
{
	if (w->place)
		return place_file(w, dir, name);
	ssize_t len = read_file(w, dir, name);

	return w->each(w->context, path, len < 0 ? NULL : w->data, len < 0 ? 0 : (size_t)len);
}

/* Takes the suffix as the reference does: after the last dot, unless the name begins with it. */
static bool is_rule_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && dot != name && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

/* The author of a file named .YAML meant a rule. Like the reference we do not read it, but we report
 * it, because a rule must not be missing silently. */
static bool is_almost_rule_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && dot != name &&
	       (strcasecmp(dot, ".yaml") == 0 || strcasecmp(dot, ".yml") == 0);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* The entries of the directory, sorted by the bytes of their names. */
static int list_entries(struct walk *w, DIR *dir, const char *path, struct arena *arena,
			struct entry **ret, size_t *ret_count)
{
	AUTO_FREE struct entry *list = calloc(PACK_ENTRIES_MAX, sizeof(*list));
	size_t count = 0;

	if (!list)
		return err_memory(w->err);
	for (struct dirent *e; (e = io_readdir(dir));) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (count == PACK_ENTRIES_MAX)
			return err_set(w->err, ERR_LIMIT, "%.256s: more than %d entries", path,
				       PACK_ENTRIES_MAX);
		list[count++] = (struct entry){arena_dup(arena, e->d_name), e->d_type};
	}
	if (errno)
		return err_errno(w->err, ERR_SYSTEM, "%.256s could not be read", path);
	if (arena->failed)
		return err_memory(w->err);
	qsort(list, count, sizeof(*list), by_name);
	*ret = list;
	*ret_count = count;
	list = NULL;
	return 0;
}

static int walk_directory(struct walk *w, int parent, const char *name, const char *path);

/* The entry's type; of a link, its target's. */
static int ask_type(int dir, const struct entry *e, unsigned char *ret)
{
	struct stat st;

	*ret = e->type;
	if (e->type != DT_UNKNOWN && e->type != DT_LNK)
		return 0;
	if (fstatat(dir, e->name, &st, 0) < 0)
		return -1;
	*ret = S_ISDIR(st.st_mode) ? DT_DIR : S_ISREG(st.st_mode) ? DT_REG : DT_UNKNOWN;
	return 0;
}

static int walk_entry(struct walk *w, int dir, const struct entry *e, const char *path)
{
	unsigned char type;

	if (ask_type(dir, e, &type) < 0) {
		if (!is_almost_rule_name(e->name) && !w->place)
			return 0;
		err_errno(w->err, ERR_INPUT, "cannot be read");
		return refuse(w, path);
	}
	if (type == DT_DIR)
		return walk_directory(w, dir, e->name, path);
	if (type == DT_REG && is_rule_name(e->name))
		return walk_file(w, dir, e->name, path);
	if (!is_almost_rule_name(e->name) && (!w->place || type == e->type))
		return 0;
	err_set(w->err, ERR_INPUT, "%s",
		type == DT_REG
			? "is not read: names of rules end in .yaml or .yml, in small letters"
			: "is not a regular file");
	return refuse(w, path);
}

/* Without snprintf, because it runs for each file of each start. */
static const char *join(struct arena *arena, const char *path, const char *name)
{
	size_t before = strlen(path), after = strlen(name);
	char *s = arena_alloc(arena, before + after + 2);

	if (!s)
		return NULL;
	memcpy(s, path, before + 1);
	s[before] = '/';
	memcpy(s + before + 1, name, after + 1);
	return s;
}

static int walk_entries(struct walk *w, DIR *dir, const char *path)
{
	AUTO_FREE struct entry *list = NULL;
	struct arena arena = {0};
	size_t count = 0;
	int result = list_entries(w, dir, path, &arena, &list, &count);

	for (size_t i = 0; result == 0 && i < count; i++) {
		const char *child = join(&arena, path, list[i].name);
		result = arena.failed ? err_memory(w->err)
				      : walk_entry(w, dirfd(dir), &list[i], child);
	}
	arena_done(&arena);
	return result;
}

/* Before its entries are read, so that a later change gives another stamp. */
static int enter(struct walk *w, DIR *dir, const char *path)
{
	struct stat st;

	if (!w->place)
		return 0;
	if (fstat(dirfd(dir), &st) < 0)
		return err_errno(w->err, ERR_INPUT, "%.256s", path);
	int number = w->directories++;
	if (report_place(w, &st, path, number) < 0)
		return -1;
	w->directory = number;
	return 0;
}

static int walk_directory(struct walk *w, int parent, const char *name, const char *path)
{
	if (w->depth == PACK_DEPTH_MAX)
		return err_set(w->err, ERR_LIMIT, "%.256s: directories are read %d deep", path,
			       PACK_DEPTH_MAX);
	AUTO_CLOSE int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSEDIR DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir)
		return err_errno(w->err, ERR_INPUT, "%.256s", path);
	scope_take_fd(&fd);
	int outer = w->directory;
	w->depth++;
	int result = enter(w, dir, path) < 0 ? -1 : walk_entries(w, dir, path);
	w->depth--;
	w->directory = outer;
	return result;
}

/* Without slashes at its end. */
static char *clean_path(const char *path)
{
	char *clean = strdup(path);

	for (size_t len = clean ? strlen(clean) : 0; len > 1 && clean[len - 1] == '/'; len--)
		clean[len - 1] = '\0';
	return clean;
}

int pack_files_read(const char *path, pack_file_fn *each, void *context, struct err *err)
{
	AUTO_FREE char *data = malloc(YAML_BYTES_MAX + 1), *clean = clean_path(path);
	struct walk w = {.each = each, .context = context, .data = data, .err = err};
	struct stat st;

	if (!data || !clean)
		return err_memory(err);
	if (stat(clean, &st) < 0)
		return err_errno(err, ERR_INPUT, "%.256s", clean);
	return S_ISDIR(st.st_mode) ? walk_directory(&w, AT_FDCWD, clean, clean)
				   : walk_file(&w, AT_FDCWD, clean, clean);
}

int pack_files_list(const char *path, pack_place_fn *each, void *context, struct err *err)
{
	AUTO_FREE char *clean = clean_path(path);
	struct walk w = {.place = each, .context = context, .directory = -1, .err = err};

	if (!clean)
		return err_memory(err);
	return walk_directory(&w, AT_FDCWD, clean, clean);
}
