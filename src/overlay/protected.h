/* SPDX-License-Identifier: MIT
 *
 * Which paths of a directory may not be written without being named one by one.
 */
#ifndef CORDON_OVERLAY_PROTECTED_H
#define CORDON_OVERLAY_PROTECTED_H

#include <stdbool.h>

/* PATH is below DIR: would the user's shell, editor, interpreter, version control or agent run or obey it? */
bool protected_path(int dir, const char *path);
/* Git's data are files and directories: through a link git would write elsewhere. */
bool protected_is_in_git(const char *path);
/* A directory or file of compiled code, which is loaded in place of its source. */
bool protected_is_compiled(const char *name);
/* The same of a directory that programs write to directly, for the entry NAME of it: so it is asked in a
 * walk. Of a repository only what runs by itself is protected, so that version control works. */
enum protected_place {
	PLACE_PLAIN,
	PLACE_BARE,	/* it has an entry HEAD: git may take it for a repository */
	PLACE_GIT,	/* .git */
	PLACE_GIT_DATA, /* below that */
};
enum protected_kind {
	PROTECTED_NOT,
	PROTECTED_COMPILED, /* its program makes it again */
	PROTECTED,
};
enum protected_kind protected_entry(const char *name, bool is_directory,
				    enum protected_place place);
/* Where the entries of the directory NAME of that place are. */
enum protected_place protected_below(const char *name, enum protected_place place);

#endif
