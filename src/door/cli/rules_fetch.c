/* SPDX-License-Identifier: MIT
 *
 * cordon rules fetch: installs the public pack in the user's data directory. npm downloads the
 * package and checks it against the registry's hash. For a version listed here the hash must be the
 * listed one. The rules are unpacked, loaded once as a test, and replace the old ones in one step.
 * No code of the package runs.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/io.h"
#include "base/scope.h"
#include "base/subpath.h"
#include "door/cli/npm.h"
#include "door/cli/rules_command.h"
#include "door/cli/unpack.h"
#include "show/terminal.h"

#define PACKAGE "agent-threat-rules"

/* The hashes of reviewed versions; `fetch` brings the first. */
static const struct {
	const char *version, *integrity;
} known[] = {
	{"4.0.0", "sha512-LMc1Sy+PZUM37CG7BX6FbluQOkLPeP1AaLbDxKsftMVdOC7WxBqL0gaUg7IY/"
		  "bELuANsWGM96grNjilA0KhO8A=="},
};

enum {
	VERSION_MAX = 64,
	PACKAGE_BYTES_MAX = 16 << 20, /* five times the size of today's pack */
	INTEGRITY_MAX = 160,	      /* "sha512-" and the hash in base64 */
};

/* A fetch works in a directory beside the pack, because a rename cannot cross file systems. A
 * lock admits one fetch at a time, so an existing work directory was left by a killed fetch. */
#define WORK ".fetch"
#define LOCK ".fetch.lock"
#define RULES WORK "/rules"

struct fetch {
	const char *version;
	const char *target;   /* path of the pack */
	const char *unpacked; /* path of the rules before they replace it */
	int data; /* the directory that holds the pack; -1 here and in the next: not opened */
	int lock, work;
	bool pinned;
	char integrity[INTEGRITY_MAX];
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
	err_set(err, ERR_USAGE, "not a version: \"%.64s\"", version);
	err_cure(err, "cordon rules fetch %s", known[0].version);
	return -1;
}

static int open_work(struct fetch *f, struct err *err)
{
	const char *data = places_below(&f->arena, "XDG_DATA_HOME", ".local/share", "cordon/rules");

	f->unpacked = arena_printf(&f->arena, "%s/" RULES, data);
	f->target = arena_printf(&f->arena, "%s/" PLACES_FETCHED, data);
	if (f->arena.failed)
		return err_memory(err);
	if (!*data)
		return err_set(err, ERR_INPUT, "no directory for data: HOME is not set");
	if (places_make(data, 0755, err) < 0)
		return -1;
	f->data = open(data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (f->data >= 0)
		f->lock = openat(f->data, LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (f->lock < 0)
		return err_errno(err, ERR_SYSTEM, "cannot write to %.256s", data);
	if (flock(f->lock, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK
			       ? err_set(err, ERR_CONFLICT, "another fetch is running")
			       : err_errno(err, ERR_SYSTEM, "cannot lock %.256s", data);
	if (files_remove_tree(f->data, WORK) == 0 && mkdirat(f->data, WORK, 0700) == 0)
		f->work = subpath_open(f->data, WORK, O_RDONLY | O_DIRECTORY);
	if (f->work < 0)
		return err_errno(err, ERR_SYSTEM, "cannot create %.256s/" WORK, data);
	return 0;
}

static void close_work(struct fetch *f)
{
	if (f->work >= 0)
		files_remove_tree(f->data, WORK);
	scope_close(&f->work);
	scope_close(&f->lock);
	scope_close(&f->data);
}

static int download(const struct fetch *f, const sigset_t *ending, struct err *err)
{
	char what[sizeof(PACKAGE) + VERSION_MAX + 1];
	const char *const args[] = {"npm",
				    "pack",
				    "--ignore-scripts",
				    "--loglevel=error",
				    "--no-update-notifier",
				    "--fetch-retries=1",
				    "--pack-destination=.",
				    "--",
				    what,
				    NULL};
	const struct npm_call call = {f->work, args, NPM_SECONDS, ending};

	snprintf(what, sizeof(what), PACKAGE "@%s", f->version);
	if (npm_run(&call, err) == 0)
		return 0;
	err_context(err, "fetching %s", what);
	return -1;
}

/* Reads npm's file once, if it is a regular file: the checked bytes are the unpacked ones. */
static int read_package(const struct fetch *f, unsigned char **ret, size_t *ret_len,
			struct err *err)
{
	char name[sizeof(PACKAGE) + VERSION_MAX + 8];

	snprintf(name, sizeof(name), PACKAGE "-%s.tgz", f->version);
	AUTO_CLOSE int fd = subpath_open(f->work, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	ssize_t len;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_SYSTEM, "npm brought no package: cannot open %s", name);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_INPUT, "npm brought no package: %s is not a file", name);
	*ret = malloc(PACKAGE_BYTES_MAX + 1);
	if (!*ret)
		return err_memory(err);
	len = io_read_full(fd, *ret, PACKAGE_BYTES_MAX + 1);
	if (len < 0)
		return err_errno(err, ERR_SYSTEM, "cannot read %s", name);
	if (len > PACKAGE_BYTES_MAX)
		return err_set(err, ERR_LIMIT, "the package is larger than %d MiB",
			       PACKAGE_BYTES_MAX >> 20);
	*ret_len = (size_t)len;
	return 0;
}

static int check_integrity(struct fetch *f, const unsigned char *package, size_t len,
			   struct err *err)
{
	static const char algorithm[] = "sha512-";
	unsigned char hash[crypto_hash_sha512_BYTES];
	size_t at = sizeof(algorithm) - 1;

	crypto_hash_sha512(hash, package, len);
	memcpy(f->integrity, algorithm, sizeof(algorithm));
	sodium_bin2base64(f->integrity + at, sizeof(f->integrity) - at, hash, sizeof(hash),
			  sodium_base64_VARIANT_ORIGINAL);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (strcmp(known[i].version, f->version) != 0)
			continue;
		f->pinned = true;
		if (strcmp(known[i].integrity, f->integrity) == 0)
			break;
		err_set(err, ERR_REFUSED, "the package is not " PACKAGE " %s", f->version);
		err_cause(err, "its hash is %s, expected is %s", f->integrity, known[i].integrity);
		return -1;
	}
	return 0;
}

static int write_origin(const struct fetch *f, int dir, struct err *err)
{
	char line[VERSION_MAX + INTEGRITY_MAX + 64];
	AUTO_CLOSE int fd = openat(dir, "ORIGIN", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	int len = snprintf(line, sizeof(line), PACKAGE " %s %s\n", f->version, f->integrity);

	if (fd < 0 || io_write_all(fd, line, (size_t)len) < 0)
		return err_errno(err, ERR_SYSTEM, "cannot write ORIGIN");
	return 0;
}

/* Unpacks the rules into a directory of their own and loads them once. */
static int unpack(struct fetch *f, const unsigned char *package, size_t len, struct err *err)
{
	AUTO_CLOSE int dir = -1;
	struct pack pack = {0};
	int result;

	if (mkdirat(f->data, RULES, 0755) == 0)
		dir = subpath_open(f->data, RULES, O_RDONLY | O_DIRECTORY);
	if (dir < 0)
		return err_errno(err, ERR_SYSTEM, "cannot create %.256s", f->unpacked);
	if (unpack_rules(package, len, dir, err) < 0 || write_origin(f, dir, err) < 0)
		return -1;
	result = pack_load(&pack, f->unpacked, &(struct pack_options){0}, err);
	f->rules = pack.rulec;
	pack_done(&pack);
	if (result == 0 && !f->rules)
		return err_set(err, ERR_INPUT, "there are no rules in the package");
	return result;
}

/* Exchanges the packs in one step. The old pack is then in the work directory and is removed
 * with it. */
static int replace(const struct fetch *f, struct err *err)
{
	if (renameat2(f->data, RULES, f->data, PLACES_FETCHED, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno == EEXIST &&
	    renameat2(f->data, RULES, f->data, PLACES_FETCHED, RENAME_EXCHANGE) == 0)
		return 0;
	return err_errno(err, ERR_SYSTEM, "cannot replace %.256s", f->target);
}

static int fetch(struct fetch *f, const sigset_t *ending, struct err *err)
{
	AUTO_FREE unsigned char *package = NULL;
	size_t len = 0;

	if (check_version(f->version, err) < 0 || open_work(f, err) < 0 ||
	    download(f, ending, err) < 0 || read_package(f, &package, &len, err) < 0 ||
	    check_integrity(f, package, len, err) < 0 || unpack(f, package, len, err) < 0)
		return -1;
	return replace(f, err);
}

static int tell(const struct rules_view *v, const struct fetch *f)
{
	if (v->call->json)
		return rules_print_json(json_pack(
			"{s:s, s:s, s:s, s:b, s:I, s:o}", "package", PACKAGE, "version", f->version,
			"integrity", f->integrity, "pinned", f->pinned, "rules",
			(json_int_t)f->rules, "path", rules_name_json(f->target)));
	printf("%zu rules of " PACKAGE " %s in ", f->rules, f->version);
	terminal_print_text(stdout, f->target);
	printf("\nits hash is %s\n",
	       f->pinned ? "the one that Cordon knows"
			 : "checked by npm only: Cordon does not know this version");
	return 0;
}

int rules_fetch(struct rules_view *v)
{
	struct fetch f = {.version = v->call->argc > 1 ? v->call->argv[1] : known[0].version,
			  .data = -1,
			  .lock = -1,
			  .work = -1};
	sigset_t ending, before;
	struct err err;
	int result, status;

	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigaddset(&ending, SIGHUP);
	sigprocmask(SIG_BLOCK, &ending, &before);
	result = fetch(&f, &ending, &err);
	close_work(&f);
	/* A pending signal ends the command here, after the cleanup. */
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (result == 0)
		status = tell(v, &f);
	else
		status = cli_fail_with(v->call,
				       err.code == ERR_USAGE ? CLI_STATUS_USAGE : CLI_STATUS_FAILED,
				       &err);
	arena_done(&f.arena);
	return status;
}
