/* SPDX-License-Identifier: MIT
 *
 * Functions that commands share: error reports, files that they read, and the check of the owner.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/scope.h"
#include "door/cli/cli.h"
#include "door/cli/open_state.h"
#include "show/run_events.h"
#include "show/run_json.h"
#include "show/terminal.h"

enum { CHUNK = 64 << 10 };

int cli_fail(const struct cli_call *call, const struct err *err)
{
	bool is_json = call->json || call->events;
	struct err why = *err;

	memory_check(&why);
	AUTO_FREE struct result *r = is_json ? calloc(1, sizeof(*r)) : NULL;
	if (r) {
		result_init(r);
		r->err = why;
		if (call->events)
			events_print_result(r, call->request.tier, 0);
		else
			run_json_print(r, call->request.tier);
	} else {
		terminal_print_error(&why);
	}
	return err_row(&why)->exit_status;
}

/* Text with invalid UTF-8 becomes null. */
static json_t *text_or_null(const char *s)
{
	json_t *text = json_string(s);

	return text ? text : json_null();
}

int cli_fail_with(const struct cli_call *call, int status, const struct err *err)
{
	struct err why = *err;

	memory_check(&why);
	if (call->json)
		jsonval_dump(json_pack("{s:{s:s, s:o, s:o}}", "error", "kind", err_row(&why)->name,
				       "message", text_or_null(why.message), "cure",
				       text_or_null(why.cure)),
			     0);
	else
		terminal_print_error(&why);
	return status;
}

int cli_fail_short(const struct cli_call *call, const struct err *err)
{
	return cli_fail_with(
		call, err->code == ERR_USAGE ? CLI_STATUS_USAGE : err_row(err)->exit_status, err);
}

int cli_open_state(const struct cli_call *call, enum state_access access, struct gate_state *ret,
		   struct err *err)
{
	struct gate_state_options o = {.path = call->state,
				       .read_only = access == STATE_READS,
				       .accepts = access == STATE_ACCEPTS,
				       .is_raw = access == STATE_RESTORES,
				       .only_dir = access == STATE_DIRECTORY,
				       .as_owner = access != STATE_DIRECTORY};

	return gate_state_open(ret, &o, err);
}

static int read_all(int fd, const char *name, size_t most, char **ret, size_t *ret_len,
		    struct err *err)
{
	size_t size = CHUNK, len = 0;
	AUTO_FREE char *data = malloc(size + 1);

	for (;;) {
		if (!data)
			return err_memory(err);
		ssize_t n = io_read_full(fd, data + len, size - len);
		if (n < 0)
			return err_errno(err, ERR_INPUT, "%.200s", name);
		len += (size_t)n;
		if (len < size)
			break;
		if (size > most)
			break;
		size = size * 2 <= most ? size * 2 : most + 1;
		char *grown = realloc(data, size + 1);
		if (!grown)
			return err_memory(err);
		data = grown;
	}
	if (len > most)
		return err_set(err, ERR_LIMIT, "%.200s is larger than %zu bytes", name, most);
	data[len] = '\0';
	*ret = data;
	*ret_len = len;
	data = NULL;
	return 0;
}

/* O_NONBLOCK: otherwise the open of a pipe waits for a writer. */
int cli_read_file(const char *file, size_t most, char **ret, size_t *ret_len, struct err *err)
{
	struct stat st;

	if (strcmp(file, "-") == 0)
		return read_all(STDIN_FILENO, "standard input", most, ret, ret_len, err);
	AUTO_CLOSE int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_INPUT, "%.200s", file);
	if (S_ISREG(st.st_mode))
		return read_all(fd, file, most, ret, ret_len, err);
	err_set(err, ERR_INPUT, "%.200s is not a file", file);
	err_cure(err, "give a file, or - for standard input");
	return -1;
}

int cli_check_owner(const struct cli_call *call, const char *act, const char *cause,
		    struct err *err)
{
	const struct config_values *enforced = &call->config.enforced;
	const char *where = enforced->where[CONFIG_POLICY] ? enforced->where[CONFIG_POLICY]
							   : enforced->where[CONFIG_STATE];

	if (!where || getuid() == 0)
		return 0;
	err_set(err, ERR_REFUSED, "only root %s on this machine", act);
	err_cause(err, "%s, and %.200s is enforced", cause, where);
	err_cure(err, "ask the administrator of this machine (root) to do it, with --state DIR");
	return -1;
}
