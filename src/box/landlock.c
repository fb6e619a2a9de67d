/* SPDX-License-Identifier: MIT
 *
 * Landlock: which files may be read, written and executed, by kernel object and irrevocably. The rules come
 * from the spec's binds, so a file outside the box cannot be granted. Rights that an older kernel does not
 * know are left out, because it would refuse the whole rule set. Without the rights for reading, writing and
 * executing the run does not start.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "box/box.h"
#include "box/sys.h"

/* Named here because the headers of Debian 12 end at ABI 2. */
#define FS_EXECUTE (1ULL << 0)
#define FS_WRITE_FILE (1ULL << 1)
#define FS_READ_FILE (1ULL << 2)
#define FS_READ_DIR (1ULL << 3)
#define FS_MAKE_CHAR (1ULL << 6)
#define FS_MAKE_BLOCK (1ULL << 11)
#define FS_TRUNCATE (1ULL << 14)
#define FS_IOCTL_DEV (1ULL << 15)

#define FS_READ (FS_READ_FILE | FS_READ_DIR)
#define FS_FILE_ONLY (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)
#define FS_DATA (~(FS_EXECUTE | FS_MAKE_CHAR | FS_MAKE_BLOCK | FS_IOCTL_DEV))

/* What each ABI version added. */
static const struct {
	uint64_t fs, net, scoped;
} abi_rights[] = {
	{0, 0, 0},	/* 0: none */
	{0x1fff, 0, 0}, /* 1: Linux 5.13 */
	{0x3fff, 0, 0}, /* 2: + refer, 5.19 */
	{0x7fff, 0, 0}, /* 3: + truncate, 6.2 */
	{0x7fff, 3, 0}, /* 4: + TCP bind and connect, 6.7 */
	{0xffff, 3, 0}, /* 5: + ioctl on devices, 6.10 */
	{0xffff, 3, 3}, /* 6: + abstract sockets and signals, 6.12 */
};
#define ABI_KNOWN ((int)ARRAY_SIZE(abi_rights) - 1)
#define ABI_WITH_SCOPES 6

struct ruleset_attr {
	uint64_t fs, net, scoped;
};

struct path_beneath {
	uint64_t allowed;
	int32_t fd;
} __attribute__((packed));

struct ruleset {
	int fd;
	uint64_t handled;
};

/* IDENTITY: the file that cordon decided on. */
static int add_identified(const struct ruleset *rs, const char *path, uint64_t rights,
			  bool optional, struct spec_identity identity, struct err *err)
{
	struct stat st;
	AUTO_CLOSE int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0 && optional && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0)
		return diagnose_failed(err, LAYER_LANDLOCK, path);
	if (!same_file(fd, &identity))
		return err_replaced(err, path);
	rights &= rs->handled;
	if (!S_ISDIR(st.st_mode)) /* the kernel refuses rights for directories on a file */
		rights &= FS_FILE_ONLY;
	struct path_beneath rule = {rights, fd};
	if (rights && sys_landlock_add(rs->fd, LANDLOCK_RULE_PATH_BENEATH, &rule) < 0)
		return diagnose_failed(err, LAYER_LANDLOCK, path);
	return 0;
}

static int add_path(const struct ruleset *rs, const char *path, uint64_t rights, bool optional,
		    struct err *err)
{
	return add_identified(rs, path, rights, optional, (struct spec_identity){0}, err);
}

static bool has_own_root(const struct box *b)
{
	return b->layers & LAYER_BIT(LAYER_NEWROOT);
}

static int add_bind(const struct box *b, const struct ruleset *rs, const struct spec_bind *bind,
		    struct err *err)
{
	uint64_t rights = bind->flags & BIND_HIDDEN ? FS_READ_DIR : FS_READ;

	if (bind->flags & BIND_PROGRAM)
		rights |= FS_EXECUTE;
	if (bind->flags & BIND_WRITABLE)
		rights |= FS_DATA;
	if (has_own_root(b)) /* the mounts were checked */
		return add_path(rs, bind->target, rights, bind->flags & BIND_OPTIONAL, err);
	const struct spec *s = b->spec;
	bool is_payload = s->payload == PAYLOAD_PROGRAM && strcmp(bind->target, s->program) == 0;
	return add_identified(rs, bind->source, rights, bind->flags & BIND_OPTIONAL,
			      is_payload ? same_file_of(PAYLOAD_FD) : bind->identity, err);
}

/* In a root of its own the mounts were checked. Without one, the program's bind says which file it is. */
static int add_program(const struct box *b, const struct ruleset *rs, const char *path,
		       struct err *err)
{
	const struct spec *s = b->spec;
	struct spec_identity identity = {0};

	for (size_t i = 0; !has_own_root(b) && i < s->bindc; i++)
		if (strcmp(s->bind[i].source, path) == 0)
			identity = s->bind[i].identity;
	return add_identified(rs, path, FS_READ_FILE | FS_EXECUTE, false, identity, err);
}

struct fixed_rule {
	const char *path;
	uint64_t rights;
	bool optional;
};

/* Paths that each box with a root of its own has. */
static const struct fixed_rule own_places[] = {
	{"/", FS_READ_DIR, false},
	{"/etc", FS_READ, true},
	{"/cordon", FS_READ, true},
	{"/proc", FS_READ, false},
	{"/dev", FS_READ | FS_WRITE_FILE, false},
	{"/dev/pts", FS_READ | FS_WRITE_FILE | FS_IOCTL_DEV, true},
	{"/tmp", FS_DATA, false},
	{"/dev/shm", FS_DATA, true},
	{"/home", FS_DATA, true},
};

/* In the profile dev, what the box shows and what programs write in it may be executed. */
static uint64_t rights_in(const struct box *b, uint64_t rights)
{
	return box_is_dev(b) && rights & FS_READ_FILE ? rights | FS_EXECUTE : rights;
}

static int add_own_places(const struct box *b, const struct ruleset *rs, struct err *err)
{
	const struct spec *s = b->spec;

	for (size_t i = 0; i < ARRAY_SIZE(own_places); i++)
		if (add_path(rs, own_places[i].path, rights_in(b, own_places[i].rights),
			     own_places[i].optional, err) < 0)
			return -1;
	if (s->workspace == WORKSPACE_NONE)
		return 0;
	return add_path(rs, s->workspace_path,
			rights_in(b, s->workspace == WORKSPACE_RO ? FS_READ : FS_DATA), false, err);
}

static const char *const host_devices[] = {"/dev/null", "/dev/random", "/dev/urandom"};

/* What a process may read about itself. Not all of /proc/self: it shows the mounts, network and cgroup of the
 * host, and so does "task". */
static const char *const own_facts[] = {
	"/proc/self/auxv",  "/proc/self/cmdline", "/proc/self/comm", "/proc/self/environ",
	"/proc/self/fd",    "/proc/self/limits",  "/proc/self/maps", "/proc/self/stat",
	"/proc/self/statm", "/proc/self/status",
};

/* Without a root of its own the rules name paths of the host: never all of /, /proc, /tmp or /dev. */
static int add_host_places(const struct box *b, const struct ruleset *rs, struct err *err)
{
	const struct spec *s = b->spec;

	for (size_t i = 0; i < ARRAY_SIZE(host_devices); i++)
		if (add_path(rs, host_devices[i], FS_READ | FS_WRITE_FILE, false, err) < 0)
			return -1;
	for (size_t i = 0; i < ARRAY_SIZE(own_facts); i++)
		if (add_path(rs, own_facts[i], FS_READ, true, err) < 0)
			return -1;
	if (s->private_dir && add_path(rs, s->private_dir, rights_in(b, FS_DATA), false, err) < 0)
		return -1;
	if (s->workspace == WORKSPACE_NONE)
		return 0;
	return add_identified(rs, s->workspace_path,
			      rights_in(b, s->workspace == WORKSPACE_RW ? FS_DATA : FS_READ), false,
			      same_file_of(WORKSPACE_FD), err);
}

static int fill(const struct box *b, const struct ruleset *rs, struct err *err)
{
	const struct spec *s = b->spec;
	int r = has_own_root(b) ? add_own_places(b, rs, err) : add_host_places(b, rs, err);

	for (size_t i = 0; r == 0 && i < s->bindc; i++)
		r = add_bind(b, rs, &s->bind[i], err);
	for (size_t i = 0; r == 0 && i < s->programc; i++)
		r = add_program(b, rs, s->exec[i], err);
	return r;
}

/* Any process in the root can make the rules; they bind the processes that enter them. *RET_RULES is -1 in a
 * mutant without Landlock. */
int landlock_open(const struct box *b, int *ret_rules, struct err *err)
{
	*ret_rules = -1;
	if (!box_wants(b, LAYER_LANDLOCK))
		return 0;
	int abi = sys_landlock_create(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	if (abi < 1)
		return diagnose_failed(err, LAYER_LANDLOCK, "asking for Landlock");
	if (b->spec->tier == TIER_NO_USERNS && abi < ABI_WITH_SCOPES) {
		errno = EOPNOTSUPP;
		return diagnose_failed(
			err, LAYER_LANDLOCK,
			"Landlock cannot confine signals here, and there is no pid namespace");
	}
	abi = abi > ABI_KNOWN ? ABI_KNOWN : abi;
	/* TCP in the profile dev is on the box's own loopback, which has no route (own_network.c). */
	struct ruleset_attr attr = {abi_rights[abi].fs,
				    box_is_dev(b) && box_has_inet(b) ? 0 : abi_rights[abi].net,
				    abi_rights[abi].scoped};
	size_t size = abi < 4 ? sizeof(uint64_t) : abi < 6 ? 2 * sizeof(uint64_t) : sizeof(attr);
	AUTO_CLOSE int fd = sys_landlock_create(&attr, size, 0);
	struct ruleset rs = {fd, attr.fs};
	if (fd < 0)
		return diagnose_failed(err, LAYER_LANDLOCK, "making a Landlock rule set");
	if (fill(b, &rs, err) < 0)
		return -1;
	*ret_rules = scope_take_fd(&fd);
	return 0;
}

int landlock_enter(struct box *b, int rules, struct err *err)
{
	if (!box_wants(b, LAYER_LANDLOCK))
		return 0;
	if (sys_landlock_restrict(rules) < 0)
		return diagnose_failed(err, LAYER_LANDLOCK, "entering the Landlock rule set");
	close(rules);
	box_mark(b, LAYER_LANDLOCK);
	return 0;
}
