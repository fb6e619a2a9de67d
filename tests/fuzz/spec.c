/* SPDX-License-Identifier: MIT
 *
 * The fuzz target: any bytes into spec_decode. What it refuses it must refuse with a reason;
 * what it takes must obey every promise the box relies on, and come
 * through encode and decode again unchanged. A broken promise aborts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "model/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool promise)
{
	if (!promise)
		abort();
}

static void check_paths(const struct spec *s)
{
	const char *const paths[] = {s->payload_target,
				     s->workspace_path,
				     s->saved_path,
				     s->private_dir,
				     s->cwd,
				     s->job == JOB_START && !strchr(s->program, '/') ? NULL
										     : s->program};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		must(!paths[i] || spec_path_is_clean(paths[i]));
	must(s->cwd && s->program && *s->program);
	for (size_t i = 0; i < s->bindc; i++)
		must(spec_path_is_clean(s->bind[i].source) &&
		     spec_path_is_clean(s->bind[i].target) &&
		     !(s->bind[i].flags & ~(unsigned)BIND_FLAGS));
	for (size_t i = 0; i < s->filec; i++)
		must(spec_path_is_clean(s->file[i].target) &&
		     s->file[i].content[s->file[i].len] == '\0' &&
		     (!s->file[i].is_link || strlen(s->file[i].content) == s->file[i].len));
	for (size_t i = 0; i < s->programc; i++)
		must(spec_path_is_clean(s->exec[i]));
	for (size_t i = 0; i < s->maskc; i++)
		must(spec_path_is_clean(s->mask[i].path) && s->mask[i].identity.ino);
}

static void check_bounds(const struct spec *s)
{
	must(s->job <= JOB_START && s->tier < TIER_COUNT && s->workspace <= WORKSPACE_RW);
	must(s->argc >= 1 && s->argc <= SPEC_ARGS_MAX && !s->argv[s->argc]);
	must(s->envc <= SPEC_ENV_MAX && !s->env[s->envc]);
	must(s->bindc <= SPEC_BINDS_MAX && s->filec <= SPEC_FILES_MAX &&
	     s->programc <= SPEC_PROGRAMS_MAX && s->maskc <= SPEC_MASKS_MAX);
	for (size_t i = 0; i < s->argc; i++)
		must(strlen(s->argv[i]) < SPEC_STRING_MAX);
	for (size_t i = 0; i < s->envc; i++)
		must(strchr(s->env[i], '=') > s->env[i]);
	for (int i = 0; i < LIMIT_COUNT; i++)
		must(s->limit[i] <= limit_row((enum limit_id)i)->max);
	must(s->payload != PAYLOAD_FILE || s->payload_target);
	must(s->workspace == WORKSPACE_NONE || s->workspace_path);
	must(!(s->flags & SPEC_LIVE) ||
	     (s->job == JOB_RUN && s->flags & SPEC_DEV && s->tier != TIER_NO_USERNS));
	must(!s->saved_path || s->workspace == WORKSPACE_OVERLAY);
}

static void check_roundtrip(const struct spec *s)
{
	AUTO_FREE struct spec *again = calloc(1, sizeof(*again));
	AUTO_FREE uint8_t *once = NULL, *twice = NULL;
	size_t len = 0, len_twice = 0;
	struct err err;

	must(again && spec_encode(s, &once, &len, &err) == 0);
	must(spec_decode(once, len, again, &err) == 0);
	must(spec_encode(again, &twice, &len_twice, &err) == 0);
	must(len == len_twice && memcmp(once, twice, len) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	AUTO_FREE struct spec *s = calloc(1, sizeof(*s));
	/* Of its exact size, so that the sanitizer sees a read past the end. */
	AUTO_FREE uint8_t *copy = malloc(len ? len : 1);
	struct err err = {0};

	must(s && copy);
	if (len)
		memcpy(copy, data, len);
	if (spec_decode(copy, len, s, &err) < 0) {
		must(err.code == ERR_INPUT && err.message[0]);
		return 0;
	}
	check_bounds(s);
	check_paths(s);
	check_roundtrip(s);
	return 0;
}
