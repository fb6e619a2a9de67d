/* SPDX-License-Identifier: MIT
 *
 * The state, a file: opened the same way by every command around the gate.
 */
#include "cli/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "cli/rules.h"
#include "cli/verdict.h"

enum { CHUNK = 64 << 10 };

static const struct cli_object objects[] = {{"conversation", gate_conversation_fields},
					    {"trust", gate_trust_fields},
					    {"grant", gate_ticket_fields},
					    {"plan", gate_ticket_fields},
					    {"diff.changes[]", gate_change_fields},
					    {"apply.effects[]", gate_effect_fields},
					    {"ingest", gate_ingest_fields},
					    {"ingest", verdict_fields},
					    {"ingest.findings[]", gate_finding_fields},
					    {"audit.verify", gate_verify_fields},
					    {"audit.trace", gate_trace_fields},
					    {"audit.trace", verdict_fields},
					    {"audit.checkpoint", gate_checkpoint_fields},
					    {"audit.key", gate_key_fields},
					    {"audit.rotate", gate_rotate_fields},
					    {"audit.prove", gate_prove_fields}};

const struct cli_object *gate_object_at(unsigned i)
{
	return i < ARRAY_SIZE(objects) ? &objects[i] : NULL;
}

int gate_fail(const struct cli_call *call, const struct err *err)
{
	int status = err->code == ERR_USAGE ? GATE_STATUS_USAGE : err_row(err)->exit_status;

	return rules_fail(call, status, err);
}

int gate_begin(const struct cli_call *call, enum gate_way way, struct gate_state *ret,
	       struct err *err)
{
	struct gate_state_options o = {.path = call->state,
				       .read_only = way == GATE_READS,
				       .accepts_unkept = way == GATE_ACCEPTS,
				       .as_owner = true};

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

/* O_NONBLOCK: opening a pipe would wait for its writer. */
int gate_read(const char *file, size_t most, char **ret, size_t *ret_len, struct err *err)
{
	struct stat st;

	if (strcmp(file, "-") == 0)
		return read_all(STDIN_FILENO, "standard input", most, ret, ret_len, err);
	AUTO_CLOSE int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_INPUT, "%.200s", file);
	if (S_ISREG(st.st_mode))
		return read_all(fd, file, most, ret, ret_len, err);
	err_set(err, ERR_INPUT, "%.200s is no file", file);
	err_cure(err, "give a file, or - for standard input");
	return -1;
}

const char *gate_time(uint64_t us, char buf[GATE_TIME_MAX])
{
	time_t seconds = (time_t)(us / 1000000);
	struct tm t;

	if (!gmtime_r(&seconds, &t) || strftime(buf, GATE_TIME_MAX, "%Y-%m-%dT%H:%M:%SZ", &t) == 0)
		snprintf(buf, GATE_TIME_MAX, "%llu", (unsigned long long)us);
	return buf;
}

json_t *gate_set_json(unsigned set, const char *(*name)(unsigned i))
{
	json_t *all = json_array();

	for (unsigned i = 0; name(i); i++)
		if (set & 1U << i)
			json_array_append_new(all, json_string(name(i)));
	return all;
}

json_t *gate_id_json(const struct id *id)
{
	char hex[ID_HEX];

	return json_string(id_hex(id, hex));
}

json_t *gate_hex_json(const uint8_t *data, size_t len)
{
	char hex[2 * 64 + 1];

	return json_string(len <= 64 ? sodium_bin2hex(hex, sizeof(hex), data, len) : "");
}

int gate_number(const struct cli_option *o, const char *v, uint64_t most, uint64_t *ret,
		struct err *err)
{
	char *end = NULL;

	errno = 0;
	*ret = strtoull(v, &end, 10);
	if (*v >= '0' && *v <= '9' && !*end && !errno && *ret <= most)
		return 0;
	return err_set(err, ERR_USAGE, "%s%s: a number up to %llu", o->name[1] ? "--" : "-",
		       o->name, (unsigned long long)most);
}
