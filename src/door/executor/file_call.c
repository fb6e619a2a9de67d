/* SPDX-License-Identifier: MIT
 *
 * Parameters and answers of the methods about files.
 */
#include "door/executor/file_call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/scope.h"
#include "door/executor/rpc.h"

void file_answer(struct file_call *c, json_t *result)
{
	desk_answer(c->desk, json_pack("{s:o}", "result", result));
}

/* The words of the reference server. */
void file_fail(struct file_call *c, int error)
{
	if (error == EPIPE && !*c->files->name)
		desk_answer(c->desk, json_pack("{s:b}", "noBox", 1));
	else
		desk_error(c->desk, error == ENOENT ? RPC_NOT_FOUND : RPC_FAILED,
			   "%s (os error %d)", strerror(error), error);
}

bool file_flag(const struct file_call *c, const char *name, bool fallback)
{
	const json_t *v = json_object_get(c->params, name);

	return json_is_boolean(v) ? json_is_true(v) : fallback;
}

json_int_t file_number(const json_t *of, const char *name, json_int_t fallback)
{
	const json_t *v = json_object_get(of, name);

	return json_is_integer(v) && json_integer_value(v) >= 0 ? json_integer_value(v) : fallback;
}

char *file_path(const struct file_call *c, const char *name)
{
	return rpc_path(json_string_value(json_object_get(c->params, name)));
}

/* With followSymlinks false no part of the path may be a link. */
bool file_is_direct(struct file_call *c)
{
	AUTO_FREE char *real = box_file_real(c->files, c->path);

	if (file_flag(c, "followSymlinks", true) || (!real && errno != ENOENT))
		return true;
	struct stat st;
	if (!real ? box_file_stat(c->files, c->path, false, &st) < 0 || !S_ISLNK(st.st_mode)
		  : strcmp(real, c->path) == 0)
		return true;
	desk_error(c->desk, RPC_INVALID, "path contains a symbolic link");
	return false;
}
