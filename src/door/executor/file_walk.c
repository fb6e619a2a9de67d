/* SPDX-License-Identifier: MIT
 *
 * fs/walk: what is below a directory, level by level, in the order of names.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "door/executor/file_call.h"
#include "door/executor/rpc.h"

enum { WALK_DEPTH_MAX = 64 };

struct walk {
	struct file_call *call;
	json_t *entries, *errors;
	size_t entry_max, dir_max, dirs, depth_max;
	bool follows, prunes, truncated;
	struct place_to_walk {
		char *path;
		size_t depth;
	} * queue;
	size_t count, size;
};

static bool walk_later(struct walk *w, const char *path, size_t depth)
{
	if (w->count == w->size) {
		w->size = w->size ? w->size * 2 : 64;
		struct place_to_walk *grown = realloc(w->queue, w->size * sizeof(*grown));
		if (!grown)
			return false;
		w->queue = grown;
	}
	w->queue[w->count].path = strdup(path);
	w->queue[w->count].depth = depth;
	return w->queue[w->count++].path;
}

static void walk_entry(struct walk *w, const char *above, size_t depth, const struct box_entry *e)
{
	AUTO_FREE char *path = NULL, *uri = NULL;

	if ((!e->is_dir && !e->is_file) || (e->is_link && !(w->follows && e->is_dir)))
		return;
	if (json_array_size(w->entries) == w->entry_max) {
		w->truncated = true;
		return;
	}
	if (asprintf(&path, "%s/%s", strcmp(above, "/") == 0 ? "" : above, e->name) < 0) {
		path = NULL;
		return;
	}
	uri = rpc_uri(path);
	json_array_append_new(w->entries, json_pack("{s:s, s:s}", "path", uri ? uri : "", "kind",
						    e->is_dir ? "directory" : "file"));
	if (e->is_dir && depth < w->depth_max && !(w->prunes && e->name[0] == '.'))
		walk_later(w, path, depth);
}

static void walk_directory(struct walk *w, const char *path, size_t depth)
{
	struct box_entry *entry = NULL;
	size_t count = 0;

	if (w->dirs++ == w->dir_max) {
		w->truncated = true;
		return;
	}
	if (box_file_list(w->call->files, path, FILE_ENTRIES_MAX, &entry, &count, &w->truncated) <
	    0) {
		AUTO_FREE char *uri = rpc_uri(path);
		json_array_append_new(w->errors, json_pack("{s:s, s:s}", "path", uri ? uri : "",
							   "message", strerror(errno)));
		return;
	}
	for (size_t i = 0; i < count && !w->truncated; i++)
		walk_entry(w, path, depth + 1, &entry[i]);
	box_entries_free(entry, count);
}

static size_t bound(json_int_t asked, size_t most)
{
	return (size_t)asked < most ? (size_t)asked : most;
}

void file_walk(struct file_call *c)
{
	const json_t *o = json_object_get(c->params, "options");
	struct walk w = {
		.call = c,
		.entries = json_array(),
		.errors = json_array(),
		.entry_max =
			bound(file_number(o, "maxEntries", FILE_ENTRIES_MAX), FILE_ENTRIES_MAX),
		.dir_max =
			bound(file_number(o, "maxDirectories", FILE_ENTRIES_MAX), FILE_ENTRIES_MAX),
		.depth_max = bound(file_number(o, "maxDepth", WALK_DEPTH_MAX), WALK_DEPTH_MAX),
		.follows = json_is_true(json_object_get(o, "followDirectorySymlinks")),
		.prunes = json_is_true(json_object_get(o, "pruneHiddenDirectories"))};
	struct stat st;

	if (box_file_stat(c->files, c->path, true, &st) < 0 ||
	    (!w.follows && box_file_stat(c->files, c->path, false, &st) < 0)) {
		file_fail(c, errno);
		json_decref(w.entries);
		json_decref(w.errors);
		return;
	}
	if (S_ISDIR(st.st_mode) && w.depth_max)
		walk_later(&w, c->path, 0);
	for (size_t i = 0; i < w.count && !w.truncated; i++)
		walk_directory(&w, w.queue[i].path, w.queue[i].depth);
	for (size_t i = 0; i < w.count; i++)
		free(w.queue[i].path);
	free(w.queue);
	file_answer(c, json_pack("{s:o, s:o, s:b}", "entries", w.entries, "errors", w.errors,
				 "truncated", w.truncated));
}
