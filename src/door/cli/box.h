/* SPDX-License-Identifier: MIT
 *
 * Shared by the files of cordon box.
 */
#ifndef CORDON_CLI_BOX_H
#define CORDON_CLI_BOX_H

#include "door/cli/cli.h"
#include "live/kept_box.h"

struct box_options {
	const char *idle, *life, *cwd;
	bool no_tty;
	const char *words; /* the command line as it was typed; NULL: it could not be read */
	size_t words_len;
};

/* Before the options are read, which changes their words. */
void box_read_words(struct cli_call *call);
/* --idle and --life. */
int box_durations(const struct box_options *o, uint64_t *ret_idle_ms, uint64_t *ret_life_ms,
		  struct err *err);
/* What create stores: the current directory and those words. */
int box_store_options(const struct box_options *o, int *ret, struct err *err);
/* Uses the box NAME, and puts the request that it was created with into *RET, with the options of CALL
 * that belong to a start over it. Changes the current directory to that of create. */
int box_use(struct cli_call *call, const char *name, struct kept_box *k, struct cli_call *ret,
	    struct err *err);
/* Starts `cordon box create` with the stored options in place of this program. */
int box_create_again(const struct kept_box *k, struct err *err);
/* The verbs that start a program. */
int box_exec(struct cli_call *call, struct kept_box *k, struct err *err);
int box_copy(struct cli_call *call, struct kept_box *k, struct err *err);
int box_list_files(struct cli_call *call, struct kept_box *k, struct err *err);

#endif
