/* SPDX-License-Identifier: MIT
 *
 * What the host gives a run, as people approve it: each with its name and size, and no more than
 * can be hashed. Files of the sizes that are refused are empty on the disk: they are never read.
 */
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "approval/run_request.h"
#include "base/scope.h"
#include "scratch.h"
#include "tap.h"

static void sized(const char *path, off_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);

	scratch_must(fd >= 0 && ftruncate(fd, size) == 0, path);
	close(fd);
}

static int fill(const struct request *from, struct approval_request *r, struct arena *a,
		struct err *err)
{
	approval_init(r);
	*err = (struct err){0};
	static struct approval_attachments keep;

	buf_done(&keep.bytes);
	keep = (struct approval_attachments){0};
	return approval_fill_inputs(r, from, NULL, NULL, &keep, a, err);
}

static void refused(const struct request *from, const char *why, const char *cure)
{
	struct approval_request r;
	struct arena a = {0};
	struct err err;

	ok(fill(from, &r, &a, &err) < 0 && err.code == ERR_REFUSED && strstr(err.cause, why) &&
		   strstr(err.cure, cure),
	   "%s: %s", err.message, err.cause);
	arena_done(&a);
}

static void test_all(void)
{
	struct request from = {.lang = "python", .workspace = "w", .venv = "v", .execc = 1};
	struct approval_request r;
	struct arena a = {0};
	struct err err;

	from.exec[0] = "one";
	scratch_must(fill(&from, &r, &a, &err) == 0, err.message);
	const struct approval_input *in = r.inputs.list;
	static const char *const names[] = {"workspace /", "virtual environment /", "program /"};
	ok(r.inputs.count == 3, "three inputs");
	for (size_t i = 0; i < r.inputs.count && i < ARRAY_SIZE(names); i++)
		ok(strncmp(in[i].name, names[i], strlen(names[i])) == 0, "%s", in[i].name);
	ok(in[0].entries == 1 && in[0].bytes == 5 && in[2].entries == 0 && in[2].bytes == 1,
	   "with their sizes");
	from = (struct request){.lang = "python"};
	ok(fill(&from, &r, &a, &err) == 0 && r.inputs.count == 0, "nothing is given: no input");
	arena_done(&a);
}

static void test_maxima(void)
{
	struct request from = {.lang = "python", .execc = 1};

	from.exec[0] = "large";
	sized("large", (off_t)APPROVAL_PROGRAMS_BYTES_MAX + 1);
	refused(&from, "programs together exceed 268435456", "--exec");
	sized("large", (off_t)APPROVAL_PROGRAMS_BYTES_MAX);
	from.exec[1] = "large";
	from.exec[0] = "one";
	from.execc = 2;
	refused(&from, "programs together exceed 268435456", "--exec");
	from = (struct request){.lang = "python", .workspace = "w"};
	sized("w/large", (off_t)APPROVAL_TREE_BYTES_MAX + 1);
	refused(&from, "more than 268435456 bytes", "--workspace");
	from = (struct request){.lang = "python", .venv = "v"};
	sized("v/large", (off_t)APPROVAL_VENV_BYTES_MAX + 1);
	refused(&from, "more than 1073741824 bytes", "--venv");
}

int main(void)
{
	const char *scratch = scratch_enter();

	scratch_must(sodium_init() >= 0, "libsodium");
	scratch_must(mkdir("w", 0755) == 0 && mkdir("v", 0755) == 0, "mkdir");
	sized("w/five", 5);
	sized("one", 1);
	test_all();
	test_maxima();
	scratch_leave(scratch);
	return tap_done();
}
