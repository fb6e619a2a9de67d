/* SPDX-License-Identifier: MIT
 *
 * Asks a question at the terminal. WORDS are constant or escaped.
 */
#include "door/cli/confirmation.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"

int confirmation_begin(struct confirmation *c, struct err *err)
{
	*c = (struct confirmation){.terminal = fopen("/dev/tty", "r+e"), .output = -1};
	if (!c->terminal) {
		err_set(err, ERR_REFUSED, "a person must approve this");
		err_cause(err, "there is no terminal to ask the user");
		err_cure(err, "type the command at a terminal");
		return -1;
	}
	fflush(stdout);
	c->output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	if (c->output < 0 || dup2(fileno(c->terminal), STDOUT_FILENO) < 0)
		return err_errno(err, ERR_SYSTEM, "showing it at the terminal");
	return 0;
}

int confirmation_ask(struct confirmation *c, const char *words, struct err *err)
{
	char line[16] = "";

	/* If the text could not be shown, it cannot be confirmed. */
	if (fflush(stdout) != 0 || ferror(stdout))
		return err_errno(err, ERR_SYSTEM, "showing it at the terminal");
	fprintf(c->terminal, "%sDo you agree? Type yes: ", words);
	fflush(c->terminal);
	if (fgets(line, sizeof(line), c->terminal) && strcmp(line, "yes\n") == 0)
		return 0;
	return err_set(err, ERR_REFUSED, "not confirmed: nothing was changed");
}

void confirmation_done(struct confirmation *c)
{
	fflush(stdout);
	if (c->output >= 0)
		(void)!dup2(c->output, STDOUT_FILENO);
	scope_close(&c->output);
	if (c->terminal)
		fclose(c->terminal);
	c->terminal = NULL;
}
