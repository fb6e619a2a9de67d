/* SPDX-License-Identifier: MIT
 *
 * The kernel says which file is running; a link to it, or what the caller says its name is, does not
 * count.
 */
#include "base/self.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"

void self_directory(char ret[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", ret, PATH_MAX - 1);

	ret[n > 0 ? n : 0] = '\0';
	char *slash = strrchr(ret, '/');
	if (slash)
		slash[slash == ret] = '\0'; /* in the root's own directory it is "/" */
	else
		ret[0] = '\0';
}

int self_find(const char *name, char ret[PATH_MAX], struct err *err)
{
	static const struct {
		bool is_ours; /* relative to the directory that we are in */
		const char *path;
	} places[] = {{true, ""}, {true, "/../libexec/cordon"}, {false, CORDON_LIBEXEC}};
	char self[PATH_MAX];

	self_directory(self);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		if (places[i].is_ours && !*self)
			continue;
		if (snprintf(ret, PATH_MAX, "%s%s/%s", places[i].is_ours ? self : "",
			     places[i].path, name) < PATH_MAX &&
		    access(ret, X_OK) == 0)
			return 0;
	}
	err_set(err, ERR_SYSTEM, "%s is missing", name);
	err_cause(err, "it is neither beside cordon, nor in ../libexec/cordon, nor "
		       "in " CORDON_LIBEXEC);
	return -1;
}
