/* SPDX-License-Identifier: MIT
 *
 * See boot.h. The interpreter gets a descriptor of this program's own file, and offsets in it:
 * nothing is copied.
 */
#include "live/boot.h"

#include <limits.h>
#include <string.h>

#include "base/scope.h"
#include "base/self.h"
#include "view_program.h"

/* A piece of the reader in this program's file. */
struct part {
	const char *bytes;
	size_t len, at;
};
#define PART(array)                                                                                \
	{                                                                                          \
		array, sizeof(array) - 1, 0                                                        \
	}

/* A module that Python imports while it starts, as compiled code and as source. Python looks for
 * the code first, and only the version that compiled it can load it. Any other version compiles
 * the source, which takes a millisecond. If that fails, the source ends the interpreter: Python
 * would go on without sitecustomize. */
struct boot_program {
	const char *source_name, *code_name;
	const char *code;
	size_t code_len;
	struct part source;
};

_Static_assert(sizeof(view_encodings_code) + PATH_MAX < SPEC_FILE_MAX &&
		       sizeof(view_sitecustomize_code) + PATH_MAX < SPEC_FILE_MAX,
	       "too long for a file of the box");

static void add_file(struct boot *boot, struct arena *arena, const char *name, const char *bytes,
		     size_t len)
{
	const char *path = arena_printf(arena, "%s/%s", boot->dir, name);

	boot->file[boot->files++] = (struct spec_file){path, bytes, false, len};
}

static void add_program(struct boot *boot, struct arena *arena, const struct boot_program *p)
{
	const char *source =
		arena_printf(arena,
			     "import posix\n"
			     "try:\n"
			     "    made = compile(posix.pread(8, %zu, %zu), 'boot', 'exec')\n"
			     "except BaseException:\n"
			     "    posix._exit(125)\n"
			     "exec(made)\n"
			     "del made\n",
			     p->source.len, p->source.at);

	add_file(boot, arena, p->source_name, source, strlen(source));
	if (p->code_len)
		add_file(boot, arena, p->code_name, p->code, p->code_len);
}

enum { AT_START, AT_START_CODE, AT_PARTS, AT_ENCODINGS, AT_SITECUSTOMIZE, AT_TELEMETRY, AT_COUNT };

static int find_parts(struct part part[AT_COUNT], struct err *err)
{
	static const struct part all[AT_COUNT] = {
		[AT_START] = PART(view_start),
		[AT_START_CODE] = PART(view_start_code),
		[AT_PARTS] = PART(view_parts),
		[AT_ENCODINGS] = PART(view_encodings),
		[AT_SITECUSTOMIZE] = PART(view_sitecustomize),
		[AT_TELEMETRY] = PART(view_telemetry),
	};

	memcpy(part, all, sizeof(all));
	for (size_t i = 0; i < AT_COUNT; i++)
		if (self_offset(part[i].bytes, part[i].len, &part[i].at) < 0) {
			err_set(err, ERR_SYSTEM,
				"cannot find the reader of code in the file of cordon");
			err_cause(err, "the running program differs from its file");
			err_cure(err, "reinstall cordon, or run it without --telemetry");
			return -1;
		}
	return 0;
}

/* One name and its values a line. The module path is last: it may contain any text. */
static void add_values(struct boot *boot, struct arena *arena, const struct part *part)
{
	const struct part *start = &part[AT_START], *code = &part[AT_START_CODE];
	const struct part *telemetry = &part[AT_TELEMETRY];
	const char *values = arena_printf(
		arena,
		"code %s\nkey %s\nparts %zu\nstart %zu %zu\nstart_code %zu %zu\n"
		"waits %d\ntelemetry %zu %zu\n\n%s",
		boot->code, view_key, part[AT_PARTS].at, start->len, start->at, code->len, code->at,
		boot->waits, boot->telemetry ? telemetry->len : 0, telemetry->at, boot->modules);

	add_file(boot, arena, "values", values, strlen(values));
}

int boot_make(struct boot *boot, struct arena *arena, struct err *err)
{
	struct part part[AT_COUNT];
	AUTO_CLOSE int fd = self_open();

	if (fd < 0)
		return err_errno(err, ERR_SYSTEM,
				 "opening the file of cordon, which contains the reader of code");
	if (find_parts(part, err) < 0)
		return -1;
	const struct boot_program encodings = {
		"encodings/__init__.py", "encodings/__pycache__/__init__." VIEW_TAG ".pyc",
		view_encodings_code, sizeof(view_encodings_code) - 1, part[AT_ENCODINGS]};
	const struct boot_program sitecustomize = {
		"sitecustomize.py", "__pycache__/sitecustomize." VIEW_TAG ".pyc",
		view_sitecustomize_code, sizeof(view_sitecustomize_code) - 1,
		part[AT_SITECUSTOMIZE]};
	add_values(boot, arena, part);
	if (boot->waits)
		add_program(boot, arena, &encodings);
	add_program(boot, arena, &sitecustomize);
	boot->parts = scope_take_fd(&fd);
	return 0;
}

struct boot_reader boot_reader(void)
{
	return (struct boot_reader){view_start, view_parts, sizeof(view_start) - 1,
				    sizeof(view_parts) - 1};
}
