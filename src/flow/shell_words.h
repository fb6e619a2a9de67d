/* SPDX-License-Identifier: MIT
 *
 * The words of a command in a shell's canonical text (flow/view.h), where each is bare or quoted as a
 * whole, and redirections come last. A word that is computed is told as such: nobody knows what it is.
 */
#ifndef CORDON_FLOW_SHELL_WORDS_H
#define CORDON_FLOW_SHELL_WORDS_H

#include <stdbool.h>

enum { SHELL_WORD_MAX = 8192 };

enum shell_word {
	SHELL_WORD_UNKNOWN, /* computed, too long, or nothing that the text would have */
	SHELL_WORD_CONSTANT,
	SHELL_WORD_NAMES, /* names of files that begin as it does: bare, with a pattern behind that */
	SHELL_WORD_END,	  /* of the command's arguments */
};

/* *AT is before the next word and then behind it. RET, of SHELL_WORD_MAX bytes: without its quotes. */
enum shell_word shell_word_take(const char **at, char *ret);

#endif
