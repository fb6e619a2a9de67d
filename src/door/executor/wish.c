/* SPDX-License-Identifier: MIT
 *
 * See wish.h. What is not understood takes everything away.
 */
#include "door/executor/wish.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "door/executor/rpc.h"
#include "live/mounts.h"

static const char *text_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "";
}

/* Does the entry speak of the whole workspace? */
static bool covers(const json_t *entry, const char *workspace)
{
	const json_t *path = json_object_get(entry, "path"),
		     *value = json_object_get(path, "value");
	const char *type = text_of(path, "type");

	if (strcmp(type, "special") == 0) {
		const char *kind = text_of(value, "kind"), *below = text_of(value, "subpath");
		return !*below && (strcmp(kind, "root") == 0 || strcmp(kind, "project_roots") == 0);
	}
	AUTO_FREE char *named = strcmp(type, "path") == 0 ? rpc_path(text_of(path, "path")) : NULL;
	return named && path_below(workspace, named);
}

/* Does it speak of something that the workspace may have? */
static bool touches(const json_t *entry, const char *workspace)
{
	const json_t *path = json_object_get(entry, "path");

	if (strcmp(text_of(path, "type"), "path") != 0)
		return true;
	AUTO_FREE char *named = rpc_path(text_of(path, "path"));
	return !named || path_below(named, workspace) || path_below(workspace, named);
}

static int read_files(const json_t *files, const char *workspace, unsigned *ret, struct err *err)
{
	const json_t *entry;
	bool writes = strcmp(text_of(files, "type"), "unrestricted") == 0;
	size_t i;

	json_array_foreach (json_object_get(files, "entries"), i, entry) {
		const char *access = text_of(entry, "access");
		writes = writes || (strcmp(access, "write") == 0 && covers(entry, workspace));
		if (strcmp(access, "read") == 0 || strcmp(access, "write") == 0 ||
		    !touches(entry, workspace))
			continue;
		err_set(err, ERR_REFUSED,
			"not run: the agent's permissions hide a path of its project");
		err_cause(err, "a box hides the same paths for all of its programs");
		err_cure(err,
			 "add --hide PATH to the arguments of cordon executor, and take the entry "
			 "out of the agent's permissions");
		return -1;
	}
	if (!writes)
		*ret |= WISH_NO_WRITE;
	return 0;
}

int wish_read(const json_t *sandbox, const char *workspace, unsigned *ret, struct err *err)
{
	const json_t *permissions = json_object_get(sandbox, "permissions");
	const char *type = text_of(permissions, "type");

	*ret = 0;
	if (!sandbox || json_is_null(sandbox) || strcmp(type, "disabled") == 0)
		return 0;
	if (strcmp(text_of(permissions, "network"), "enabled") != 0)
		*ret |= WISH_NO_NET;
	if (strcmp(type, "external") == 0)
		return 0;
	if (strcmp(type, "managed") != 0) {
		*ret = WISH_NO_WRITE | WISH_NO_NET;
		return 0;
	}
	return read_files(json_object_get(permissions, "file_system"), workspace, ret, err);
}
