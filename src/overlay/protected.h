/* SPDX-License-Identifier: MIT
 *
 * Finds the self-executing paths of a directory, which a ticket must name one by one.
 */
#ifndef CORDON_OVERLAY_PROTECTED_H
#define CORDON_OVERLAY_PROTECTED_H

#include <stdbool.h>

/* Would the user's shell, editor, interpreter, version control or agent run or obey PATH below DIR? */
bool protected_path(int dir, const char *path);
/* Git's data must be files and directories: through a link git would write elsewhere. */
bool protected_is_in_git(const char *path);
/* Is it a directory or file of compiled code, which is loaded in place of its source? */
bool protected_is_compiled(const char *name);
/* The same during a walk, for the entry NAME of a directory that programs write to directly. In a
 * repository only the self-executing parts are protected, so that version control works. */
enum protected_place {
	PLACE_PLAIN,
	PLACE_BARE,	/* it has an entry HEAD, so git may take it for a repository */
	PLACE_GIT,	/* .git */
	PLACE_GIT_DATA, /* below that */
};
enum protected_kind {
	PROTECTED_NOT,
	PROTECTED_COMPILED, /* its program can make it again */
	PROTECTED,
};
enum protected_kind protected_entry(const char *name, bool is_directory,
				    enum protected_place place);
/* The place of the entries of the directory NAME. */
enum protected_place protected_below(const char *name, enum protected_place place);

#endif
