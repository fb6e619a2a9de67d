/* SPDX-License-Identifier: MIT
 *
 * cordon rules fetch: the public pack, from the npm registry to the user's data directory. npm
 * brings the package, its SHA-512 is held against the one that is known here, the rules are taken
 * out and loaded once, and only then they take the old ones' place, in one step. Nothing of the
 * package is run.
 */
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/io.h"
#include "base/scope.h"
#include "cli/npm.h"
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

enum { VERSION_MAX = 64, INTEGRITY_MAX = 160, CHUNK = 65536 };

struct fetch {
	const char *version;
	const char *data; /* where packs live */
	char temp[4096];  /* our directory in there; "" so far */
	const char *target;
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
	err_set(err, ERR_USAGE, "\"%.64s\" is no version", version);
	err_cure(err, "cordon rules fetch %s", known[0].version);
	return -1;
}

/* Beside the target: a rename cannot leave a file system. */
static int prepare(struct fetch *f, struct err *err)
{
	f->data = places_of_user(&f->arena).rules;
	if (!*f->data)
		return err_set(err, ERR_INPUT, "no directory for data: HOME is not set");
	f->target = arena_printf(&f->arena, "%s/" PACKS_FETCHED, f->data);
	if (places_make(f->data, 0755, err) < 0)
		return -1;
	if (snprintf(f->temp, sizeof(f->temp), "%s/.fetch-XXXXXX", f->data) >=
		    (int)sizeof(f->temp) ||
	    !mkdtemp(f->temp)) {
		f->temp[0] = '\0';
		return err_errno(err, ERR_SYSTEM, "%.256s cannot be written to", f->data);
	}
	return 0;
}

static int download(struct fetch *f, int *ret_fd, struct err *err)
{
	const char *what = arena_printf(&f->arena, PACKAGE "@%s", f->version);
	const char *file = arena_printf(&f->arena, "%s/" PACKAGE "-%s.tgz", f->temp, f->version);
	const char *const args[] = {
		"npm", "pack", "--ignore-scripts", "--loglevel=error", "--fetch-retries=1",
		what,  NULL};
	char out[NPM_OUTPUT_MAX];

	if (npm_run(f->temp, args, out, sizeof(out), err) < 0) {
		err_context(err, "fetching %s", what);
		return -1;
	}
	*ret_fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	return *ret_fd < 0 ? err_errno(err, ERR_SYSTEM, "npm brought no package") : 0;
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
	if (npm_run(f->temp, args, out, sizeof(out), err) < 0)
		return -1;
	out[strcspn(out, "\r\n")] = '\0';
	if (strncmp(out, "sha512-", 7) != 0 || strlen(out) >= sizeof(f->integrity))
		return err_set(err, ERR_INPUT, "the registry names no SHA-512 for %s", what);
	memcpy(f->integrity, out, strlen(out) + 1);
	return 0;
}

static int check_integrity(struct fetch *f, int fd, struct err *err)
{
	crypto_hash_sha512_state state;
	unsigned char hash[crypto_hash_sha512_BYTES];
	char text[INTEGRITY_MAX] = "sha512-";
	AUTO_FREE unsigned char *chunk = malloc(CHUNK);
	ssize_t n = chunk ? 1 : -1;

	if (find_integrity(f, err) < 0)
		return -1;
	crypto_hash_sha512_init(&state);
	while (n > 0 && (n = io_read_full(fd, chunk, CHUNK)) > 0)
		crypto_hash_sha512_update(&state, chunk, (unsigned long long)n);
	if (n < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return err_errno(err, ERR_SYSTEM, "the package could not be read");
	crypto_hash_sha512_final(&state, hash);
	sodium_bin2base64(text + 7, sizeof(text) - 7, hash, sizeof(hash),
			  sodium_base64_VARIANT_ORIGINAL);
	if (strcmp(text, f->integrity) == 0)
		return 0;
	err_set(err, ERR_REFUSED, "the package is not the one that it should be: nothing is used");
	err_cause(err, "its hash is %s, expected is %s", text, f->integrity);
	return -1;
}

static int write_origin(const struct fetch *f, int dir, struct err *err)
{
	char line[VERSION_MAX + INTEGRITY_MAX + 64];
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
	rules = arena_printf(&f->arena, "%s/rules", f->temp);
	if (download(f, &archive, err) < 0 || check_integrity(f, archive, err) < 0 ||
	    unpack(f, archive, rules, err) < 0)
		return -1;
	return replace(f, rules, err);
}

static void clean(struct fetch *f)
{
	AUTO_CLOSE int dir = f->temp[0] ? open(f->data, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (dir >= 0)
		files_remove_tree(dir, strrchr(f->temp, '/') + 1);
	arena_done(&f->arena);
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
	clean(&f);
	return status;
}
