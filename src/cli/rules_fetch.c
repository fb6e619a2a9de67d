/* SPDX-License-Identifier: MIT
 *
 * cordon rules fetch: the public pack, from the npm registry to the user's data directory. npm
 * brings the package, its SHA-512 is held against the one that is known here, the rules are taken
 * out and loaded once, and only then they take the old ones' place, in one step. Nothing of the
 * package is run.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "cli/fetch_dir.h"
#include "cli/npm.h"
#include "cli/package.h"
#include "cli/rules.h"
#include "cli/unpack.h"

#define PACKAGE "agent-threat-rules"

/* Versions that were looked at; the first is what `fetch` brings. */
static const struct {
	const char *version, *integrity;
} known[] = {
	{"4.0.0", "sha512-LMc1Sy+PZUM37CG7BX6FbluQOkLPeP1AaLbDxKsftMVdOC7WxBqL0gaUg7IY/"
		  "bELuANsWGM96grNjilA0KhO8A=="},
};

enum { VERSION_MAX = 64 };

struct fetch {
	const char *version;
	struct fetch_dir dir;
	const char *target;
	bool pinned;
	char integrity[PACKAGE_INTEGRITY_MAX]; /* as it must be */
	char found[PACKAGE_INTEGRITY_MAX];     /* the package's own */
	size_t rules;
	struct arena arena;
};

static int check_version(const char *version, struct err *err)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789-.+";

	if (*version >= '0' && *version <= '9' && strlen(version) <= VERSION_MAX &&
	    strspn(version, allowed) == strlen(version))
		return 0;
	err_set(err, ERR_USAGE, "\"%.64s\" is no version", version);
	err_cure(err, "cordon rules fetch %s", known[0].version);
	return -1;
}

/* Beside the target: a rename cannot leave a file system. */
static int prepare(struct fetch *f, struct err *err)
{
	const char *data = places_below(&f->arena, "XDG_DATA_HOME", ".local/share", "cordon/rules");

	if (!*data)
		return err_set(err, ERR_INPUT, "no directory for data: HOME is not set");
	f->target = arena_printf(&f->arena, "%s/" PACKS_FETCHED, data);
	return places_make(data, 0755, err) < 0 ? -1 : fetch_dir_open(&f->dir, data, err);
}

static int run_npm(const struct fetch *f, const char *const *args, char *out, size_t size,
		   struct err *err)
{
	const struct npm_call call = {f->dir.path, args, NPM_SECONDS};

	return npm_run(&call, out, size, err);
}

static int download(struct fetch *f, int *ret_fd, struct err *err)
{
	const char *what = arena_printf(&f->arena, PACKAGE "@%s", f->version);
	const char *file =
		arena_printf(&f->arena, "%s/" PACKAGE "-%s.tgz", f->dir.path, f->version);
	const char *const args[] = {
		"npm", "pack", "--ignore-scripts", "--loglevel=error", "--fetch-retries=1",
		what,  NULL};
	char out[NPM_OUTPUT_MAX];

	if (run_npm(f, args, out, sizeof(out), err) < 0) {
		err_context(err, "fetching %s", what);
		return -1;
	}
	return package_take(file, ret_fd, f->found, err);
}

/* What the package's hash must be: known here, or else what the registry says. */
static int find_integrity(struct fetch *f, struct err *err)
{
	const char *what = arena_printf(&f->arena, PACKAGE "@%s", f->version);
	const char *const args[] = {"npm", "view",	     "--loglevel=error",
				    what,  "dist.integrity", NULL};
	char out[NPM_OUTPUT_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strcmp(known[i].version, f->version) == 0) {
			snprintf(f->integrity, sizeof(f->integrity), "%s", known[i].integrity);
			f->pinned = true;
			return 0;
		}
	if (run_npm(f, args, out, sizeof(out), err) < 0)
		return -1;
	out[strcspn(out, "\r\n")] = '\0';
	if (strncmp(out, "sha512-", 7) != 0 || strlen(out) >= sizeof(f->integrity))
		return err_set(err, ERR_INPUT, "the registry names no SHA-512 for %s", what);
	memcpy(f->integrity, out, strlen(out) + 1);
	return 0;
}

static int check_integrity(struct fetch *f, struct err *err)
{
	if (find_integrity(f, err) < 0)
		return -1;
	if (strcmp(f->found, f->integrity) == 0)
		return 0;
	err_set(err, ERR_REFUSED, "the package is not the one that it should be: nothing is used");
	err_cause(err, "its hash is %s, expected is %s", f->found, f->integrity);
	return -1;
}

static int write_origin(const struct fetch *f, int dir, struct err *err)
{
	char line[VERSION_MAX + PACKAGE_INTEGRITY_MAX + 64];
	AUTO_CLOSE int fd = openat(dir, "ORIGIN", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	int len = snprintf(line, sizeof(line), PACKAGE " %s %s\n", f->version, f->integrity);

	if (fd < 0 || io_write_all(fd, line, (size_t)len) < 0)
		return err_errno(err, ERR_SYSTEM, "writing ORIGIN");
	return 0;
}

/* The rules in a directory of their own, seen to be rules. */
static int unpack(struct fetch *f, int archive, const char *rules, struct err *err)
{
	struct pack pack = {0};
	size_t files = 0;
	AUTO_CLOSE int dir = -1;
	int result;

	if (mkdir(rules, 0755) == 0)
		dir = open(rules, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return err_errno(err, ERR_SYSTEM, "a directory for the rules");
	if (unpack_rules(archive, "package/rules/", dir, &files, err) < 0 ||
	    write_origin(f, dir, err) < 0)
		return -1;
	result = pack_load(&pack, rules, &(struct pack_options){0}, err);
	f->rules = pack.rulec;
	pack_done(&pack);
	if (result == 0 && !f->rules)
		return err_set(err, ERR_INPUT, "there are no rules in the package");
	return result;
}

/* In one step; what was there goes with our directory. */
static int replace(const struct fetch *f, const char *rules, struct err *err)
{
	if (renameat2(AT_FDCWD, rules, AT_FDCWD, f->target, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno == EEXIST &&
	    renameat2(AT_FDCWD, rules, AT_FDCWD, f->target, RENAME_EXCHANGE) == 0)
		return 0;
	return err_errno(err, ERR_SYSTEM, "%.256s could not be replaced", f->target);
}

static int fetch(struct fetch *f, struct err *err)
{
	AUTO_CLOSE int archive = -1;
	const char *rules;

	if (check_version(f->version, err) < 0 || prepare(f, err) < 0)
		return -1;
	rules = arena_printf(&f->arena, "%s/rules", f->dir.path);
	if (download(f, &archive, err) < 0 || check_integrity(f, err) < 0 ||
	    unpack(f, archive, rules, err) < 0)
		return -1;
	return replace(f, rules, err);
}

static int tell(const struct rules_view *v, const struct fetch *f)
{
	if (v->call->json)
		return rules_print_json(json_pack(
			"{s:s, s:s, s:s, s:b, s:I, s:o}", "package", PACKAGE, "version", f->version,
			"integrity", f->integrity, "pinned", f->pinned, "rules",
			(json_int_t)f->rules, "path", rules_name_json(f->target)));
	printf("%zu rules of " PACKAGE " %s in ", f->rules, f->version);
	cli_print_text(stdout, f->target);
	printf("\nits hash is the one that %s\n",
	       f->pinned ? "Cordon knows"
			 : "the registry names; Cordon does not know this version");
	return 0;
}

int rules_fetch(struct rules_view *v)
{
	struct fetch f = {.version = v->call->argc > 1 ? v->call->argv[1] : known[0].version};
	struct err err;
	int status;

	if (fetch(&f, &err) == 0)
		status = tell(v, &f);
	else
		status = rules_fail(v->call, err.code == ERR_USAGE ? STATUS_USAGE : STATUS_FAILED,
				    &err);
	fetch_dir_close(&f.dir);
	arena_done(&f.arena);
	return status;
}
