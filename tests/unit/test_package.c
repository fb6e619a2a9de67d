/* SPDX-License-Identifier: MIT
 *
 * What npm may leave in a package's place: whatever it is, it is neither waited for nor read for
 * ever, and what was taken stays as it was. An alarm ends a test that hangs.
 */
#include <errno.h>
#include <sys/stat.h>

#include "base/io.h"
#include "cli/package.h"
#include "scratch.h"
#include "tap.h"

/* printf abc | openssl dgst -sha512 -binary | base64 */
#define OF_ABC                                                                                     \
	"sha512-3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslP"  \
	"pUyknw=="

static void check_refused(const char *path, enum err_code code, const char *words)
{
	char integrity[PACKAGE_INTEGRITY_MAX];
	struct err err = {0};
	int fd = -1;

	ok(package_take(path, &fd, integrity, &err) < 0 && fd == -1 && err.code == code &&
		   strstr(err.message, words),
	   "%s: %s", path, err.message);
}

static void test_kinds(void)
{
	scratch_must(mkfifo("fifo", 0600) == 0, "fifo");
	scratch_must(symlink("/dev/zero", "link") == 0, "link");
	scratch_dir("directory");
	check_refused("missing", ERR_SYSTEM, "npm brought no package");
	check_refused("fifo", ERR_INPUT, "no file");
	check_refused("/dev/zero", ERR_INPUT, "no file");
	check_refused("link", ERR_SYSTEM, "npm brought no package");
	check_refused("directory", ERR_INPUT, "no file");
}

static void test_sizes(void)
{
	char integrity[PACKAGE_INTEGRITY_MAX];
	struct err err = {0};
	int fd = -1;

	scratch_file("large", "", 0600);
	scratch_must(truncate("large", PACKAGE_BYTES_MAX) == 0, "large");
	ok(package_take("large", &fd, integrity, &err) == 0, "the largest: %s", err.message);
	ok(lseek(fd, 0, SEEK_END) == PACKAGE_BYTES_MAX, "all of it");
	close(fd);
	scratch_must(truncate("large", PACKAGE_BYTES_MAX + 1) == 0, "large");
	check_refused("large", ERR_LIMIT, "larger than 64 MiB");
	scratch_file("empty", "", 0600);
	ok(package_take("empty", &fd, integrity, &err) == 0, "an empty one");
	close(fd);
}

/* What is unpacked is what was hashed, whoever writes to the file meanwhile. */
static void test_taken(void)
{
	char integrity[PACKAGE_INTEGRITY_MAX], text[8] = "";
	struct err err = {0};
	int fd = -1;

	scratch_file("package", "abc", 0666);
	ok(package_take("package", &fd, integrity, &err) == 0, "taken: %s", err.message);
	ok(strcmp(integrity, OF_ABC) == 0, "its hash: %s", integrity);
	scratch_file("package", "evil", 0666);
	ok(io_read_full(fd, text, sizeof(text)) == 3 && memcmp(text, "abc", 3) == 0, "its bytes");
	ok(io_is_sealed(fd) && write(fd, "x", 1) < 0, "nobody can change them");
	close(fd);
}

int main(void)
{
	const char *dir = scratch_enter();

	alarm(60);
	test_kinds();
	test_sizes();
	test_taken();
	scratch_leave(dir);
	return tap_done();
}
