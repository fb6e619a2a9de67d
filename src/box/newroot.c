/* SPDX-License-Identifier: MIT
 *
 * The box's own root: a small tmpfs with what the spec lists, and nothing else of the host. All sources are
 * cloned as descriptors before the first mount, so no mount can hide or replace a source. All mounts are
 * nosuid and nodev, and read-only unless the spec says otherwise; those without code are noexec too. One
 * tmpfs with a size limit holds all files that the program writes and that do not stay.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/box.h"
#include "box/sys.h"

#define INODE_BYTES 4096

/* The last is only for boxes with a cgroup: a shared mapping of /dev/zero is memory that the watcher cannot
 * see in any process. */
static const char *const devices[] = {"null", "urandom", "zero"};

static size_t device_count(const struct box *b)
{
	return ARRAY_SIZE(devices) - (b->spec->tier != TIER_FULL);
}

static const char *const device_links[][2] = {{"dev/fd", "/proc/self/fd"},
					      {"dev/random", "urandom"},
					      {"dev/stdin", "/proc/self/fd/0"},
					      {"dev/stdout", "/proc/self/fd/1"},
					      {"dev/stderr", "/proc/self/fd/2"}};

/* What a full /proc shows besides the processes. The rest would reveal the host. */
static const char *const proc_shown[] = {"cpuinfo",	"meminfo", "stat",	  "uptime",
					 "loadavg",	"self",	   "thread-self", "mounts",
					 "filesystems", "version"};

/* Always -1, so that `return fail(...)` reads as the failure that it is. */
static int fail(struct err *err, enum layer layer, const char *what)
{
	diagnose_failed(err, layer, what);
	return -1;
}

/* Makes the directories above PATH, which is relative to the new root. */
static int make_parents(const char *path)
{
	char part[PATH_MAX];

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		if (mkdir(part, 0755) < 0 && errno != EEXIST)
			return -1;
	}
	return 0;
}

/* Makes the directories above only if they are missing. */
static int open_new(const char *path, int flags, mode_t mode)
{
	flags |= O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
	int fd = open(path, flags, mode);
	if (fd < 0 && errno == ENOENT && make_parents(path) == 0)
		fd = open(path, flags, mode);
	return fd;
}

static int make_file(const char *path, const char *content, size_t len)
{
	AUTO_CLOSE int fd = open_new(path, 0, 0644);

	return fd < 0 ? -1 : io_write_all(fd, content, len);
}

static int make_link(const char *path, const char *to)
{
	if (symlink(to, path) == 0 || errno == EEXIST)
		return 0;
	if (errno != ENOENT || make_parents(path) < 0)
		return -1;
	return symlink(to, path);
}

static int make_dir(const char *path)
{
	if (mkdir(path, 0755) == 0 || errno == EEXIST)
		return 0;
	if (errno != ENOENT || make_parents(path) < 0)
		return -1;
	return mkdir(path, 0755);
}

static int make_mountpoint(const char *path, bool is_dir)
{
	if (is_dir)
		return make_dir(path);
	AUTO_CLOSE int fd = open_new(path, O_EXCL, 0644);
	return fd >= 0 || errno == EEXIST ? 0 : -1; /* EEXIST: a bind below another one */
}

/* A private copy of the mount at PATH and of all mounts below it, with ATTRS. */
static int clone_tree(const char *path, uint64_t attrs)
{
	AUTO_CLOSE int fd =
		open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
	struct mount_attr attr = {.attr_set = attrs, .propagation = MS_PRIVATE};

	if (fd < 0 || mount_setattr(fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr)) < 0)
		return -1;
	return scope_take_fd(&fd);
}

static int attach(int tree, const char *path)
{
	struct stat st;

	if (fstat(tree, &st) < 0 || make_mountpoint(path, S_ISDIR(st.st_mode)) < 0)
		return -1;
	return move_mount(tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH);
}

static uint64_t bind_attrs(const struct box *b, unsigned flags)
{
	uint64_t attrs = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

	if (!(flags & BIND_WRITABLE))
		attrs |= MOUNT_ATTR_RDONLY;
	if (!(flags & (BIND_CODE | BIND_PROGRAM)) && box_wants_noexec(b))
		attrs |= MOUNT_ATTR_NOEXEC;
	return attrs;
}

struct sources {
	int bind[SPEC_BINDS_MAX];
	int device[ARRAY_SIZE(devices)];
	int workspace, saved;
	int scratch;
};

static int check_identity(int ours, const struct spec_identity *identity, const char *name,
			  struct err *err)
{
	if (ours < 0 || same_file(ours, identity))
		return 0;
	err_replaced(err, name);
	return -1;
}

/* The program's own file came by descriptor. */
static struct spec_identity identity_of(const struct spec *s, const struct spec_bind *bind)
{
	bool is_payload = s->payload == PAYLOAD_PROGRAM && strcmp(bind->target, s->program) == 0;

	return is_payload ? same_file_of(PAYLOAD_FD) : bind->identity;
}

int newroot_clone_bind(const struct box *b, size_t i, struct err *err)
{
	const struct spec_bind *bind = &b->spec->bind[i];
	AUTO_CLOSE int tree = clone_tree(bind->source, bind_attrs(b, bind->flags));

	if (tree < 0 && !(errno == ENOENT && (bind->flags & BIND_OPTIONAL)))
		return fail(err, LAYER_NEWROOT, bind->source);
	struct spec_identity identity = identity_of(b->spec, bind);
	if (check_identity(tree, &identity, bind->source, err) < 0)
		return -1;
	return scope_take_fd(&tree);
}

static int open_binds(const struct box *b, struct sources *src, struct err *err)
{
	const struct spec *s = b->spec;

	for (size_t i = 0; i < s->bindc; i++) {
		struct err why = {0};
		src->bind[i] =
			b->cloned_bind[i] ? b->cloned_bind[i] - 1 : newroot_clone_bind(b, i, &why);
		if (src->bind[i] < 0 && why.code) {
			*err = why;
			return -1;
		}
	}
	for (size_t i = 0; i < device_count(b); i++) {
		char path[32];
		snprintf(path, sizeof(path), "/dev/%s", devices[i]);
		/* Read-only prevents changes of the timestamps, not writes to the device. */
		src->device[i] =
			clone_tree(path, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
		if (src->device[i] < 0)
			return fail(err, LAYER_NEWROOT, path);
	}
	return 0;
}

/* CLONED: the mount that root has made, or -1. FD is open on the directory that PATH must name. */
static int open_given(const struct box *b, int cloned, const char *path, int fd, uint64_t attrs,
		      int *ret, struct err *err)
{
	attrs |= MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (box_is_dev(b) ? 0 : MOUNT_ATTR_NOEXEC);
	if (cloned >= 0) {
		struct mount_attr attr = {.attr_set = attrs, .propagation = MS_PRIVATE};
		*ret = cloned;
		if (mount_setattr(cloned, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr)) <
		    0)
			return fail(err, LAYER_NEWROOT, path);
		return 0;
	}
	*ret = clone_tree(path, attrs);
	if (*ret < 0)
		return fail(err, LAYER_NEWROOT, path);
	struct spec_identity identity = same_file_of(fd);
	return check_identity(*ret, &identity, path, err);
}

static int open_workspace(const struct box *b, struct sources *src, struct err *err)
{
	const struct spec *s = b->spec;
	uint64_t attrs = s->workspace == WORKSPACE_RW ? 0 : MOUNT_ATTR_RDONLY;

	src->workspace = src->saved = -1;
	if (s->workspace != WORKSPACE_NONE &&
	    open_given(b, b->cloned_workspace, s->workspace_path, WORKSPACE_FD, attrs,
		       &src->workspace, err) < 0)
		return -1;
	if (!s->saved_path)
		return 0;
	return open_given(b, b->cloned_saved, s->saved_path, SAVED_FD, attrs, &src->saved, err);
}

static int mount_tmpfs(const char *where, const char *options, unsigned long flags, struct err *err)
{
	if (mount("tmpfs", where, "tmpfs", flags, options) < 0)
		return fail(err, LAYER_NEWROOT, "mounting a tmpfs");
	return 0;
}

/* Any directory will do, because all sources are open by now. */
static const char *find_place(void)
{
	static const char *const places[] = {"/tmp", "/mnt", "/usr"};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (access(places[i], F_OK) == 0)
			return places[i];
	return "/";
}

/* One tmpfs for all writable places, so that one limit covers them. */
static int mount_scratch(const struct box *b, const char *place, int *ret, struct err *err)
{
	uint64_t disk = b->spec->limit[LIMIT_DISK];
	unsigned long flags = MS_NOSUID | MS_NODEV | (box_wants_noexec(b) ? MS_NOEXEC : 0);
	char options[96];

	snprintf(options, sizeof(options), "mode=755,size=%llu,nr_inodes=%llu",
		 (unsigned long long)disk, (unsigned long long)(disk / INODE_BYTES + 64));
	if (mount_tmpfs(place, options, flags, err) < 0)
		return -1;
	*ret = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return *ret < 0 ? fail(err, LAYER_NEWROOT, place) : 0;
}

/* Holds the payload and a few small files; it is read-only later. */
static int mount_root(const char *place, struct err *err)
{
	struct stat st = {0};
	char options[64];

	(void)!fstat(PAYLOAD_FD, &st);
	uint64_t payload = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	snprintf(options, sizeof(options), "mode=755,size=%llu,nr_inodes=4096",
		 (unsigned long long)payload + (4U << 20));
	return mount_tmpfs(place, options, MS_NOSUID | MS_NODEV, err);
}

/* Mounts the new root on top of the scratch space, which is then reachable only by descriptor and goes away
 * with the old root. So one unmount is enough; each costs an RCU grace period. */
static int enter_empty_root(const struct box *b, struct sources *src, struct err *err)
{
	const char *place = find_place();

	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return fail(err, LAYER_MOUNTNS, "making mounts private");
	if (mount_scratch(b, place, &src->scratch, err) < 0 || mount_root(place, err) < 0)
		return -1;
	return chdir(place) < 0 ? fail(err, LAYER_NEWROOT, place) : 0;
}

static int show_scratch(const struct sources *src, const char *part, const char *where,
			struct err *err)
{
	if (mkdirat(src->scratch, part, 01777) < 0)
		return fail(err, LAYER_NEWROOT, where);
	AUTO_CLOSE int tree = open_tree(src->scratch, part, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (tree < 0 || attach(tree, where) < 0)
		return fail(err, LAYER_NEWROOT, where);
	return 0;
}

static int attach_binds(const struct box *b, struct sources *src, struct err *err)
{
	const struct spec *s = b->spec;

	for (size_t i = 0; i < s->bindc; i++)
		if (src->bind[i] >= 0 && attach(src->bind[i], s->bind[i].target + 1) < 0)
			return fail(err, LAYER_NEWROOT, s->bind[i].target);
	for (size_t i = 0; i < device_count(b); i++) {
		char path[32];
		snprintf(path, sizeof(path), "dev/%s", devices[i]);
		if (attach(src->device[i], path) < 0)
			return fail(err, LAYER_NEWROOT, path);
	}
	return 0;
}

static int write_files(const struct box *b, struct err *err)
{
	const struct spec *s = b->spec;

	for (size_t i = 0; i < s->filec; i++) {
		const struct spec_file *f = &s->file[i];
		int r = f->is_link ? make_link(f->target + 1, f->content)
				   : make_file(f->target + 1, f->content, f->len);
		if (r < 0)
			return fail(err, LAYER_NEWROOT, f->target);
	}
	for (size_t i = 0; i < ARRAY_SIZE(device_links); i++)
		if (make_link(device_links[i][0], device_links[i][1]) < 0)
			return fail(err, LAYER_NEWROOT, device_links[i][0]);
	return 0;
}

/* Gives the payload, which was sealed and hashed, a name that tracebacks can show. In the profile dev it can
 * start itself. */
int newroot_write_payload(const struct box *b, struct err *err)
{
	struct stat st;
	const char *path = box_runs_in_place(b) ? PAYLOAD_IN_PLACE : b->spec->payload_target;

	if (b->spec->payload != PAYLOAD_FILE)
		return 0;
	AUTO_CLOSE int fd = open_new(path + 1, O_EXCL, box_is_dev(b) ? 0555 : 0444);
	if (fd < 0 || fstat(PAYLOAD_FD, &st) < 0)
		return fail(err, LAYER_NEWROOT, path);
	off_t at = 0;
	while (at < st.st_size)
		if (sendfile(fd, PAYLOAD_FD, &at, (size_t)(st.st_size - at)) <= 0)
			return fail(err, LAYER_NEWROOT, path);
	return 0;
}

static bool is_shown(const char *name)
{
	if (isdigit((unsigned char)name[0]) || name[0] == '.')
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(proc_shown); i++)
		if (strcmp(proc_shown[i], name) == 0)
			return true;
	return false;
}

/* Covers an entry with an empty file or directory. Links lead only to a process's own entries. */
static int mask(const char *path, const struct dirent *e)
{
	if (e->d_type == DT_LNK)
		return 0;
	return mount(e->d_type == DT_DIR ? "cordon/empty" : "dev/null", path, NULL, MS_BIND, NULL);
}

static int mask_proc(struct err *err)
{
	AUTO_CLOSEDIR DIR *d = opendir("proc");
	char path[sizeof("proc/") + NAME_MAX];

	for (struct dirent *e; d && (e = io_readdir(d));) {
		snprintf(path, sizeof(path), "proc/%s", e->d_name);
		if (!is_shown(e->d_name) && mask(path, e) < 0)
			return fail(err, LAYER_NEWROOT, path);
	}
	return d && !errno ? 0 : fail(err, LAYER_NEWROOT, "reading the new /proc");
}

/* The box's own numbers over the host's (live/machine.h). */
static int show_own_proc(const struct box *b, struct err *err)
{
	const struct spec *s = b->spec;

	for (size_t i = 0; i < s->filec; i++) {
		const char *target = s->file[i].target, *name = target + strlen(SPEC_PROC_OWN);
		char path[64];
		if (strncmp(target, SPEC_PROC_OWN, strlen(SPEC_PROC_OWN)) != 0 || strchr(name, '/'))
			continue;
		snprintf(path, sizeof(path), "proc/%s", name);
		AUTO_CLOSE int tree =
			clone_tree(target + 1, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
						       MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
		if (tree < 0 || move_mount(tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) < 0)
			return fail(err, LAYER_NEWROOT, path);
	}
	return 0;
}

static int mount_proc(const struct box *b, struct err *err)
{
	bool full = b->spec->flags & SPEC_PROC_FULL;
	const char *options = full ? "hidepid=invisible" : "hidepid=invisible,subset=pid";

	if (mkdir("proc", 0755) < 0 ||
	    mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, options) < 0)
		return fail(err, LAYER_NEWROOT, "mounting /proc");
	if (!full)
		return 0;
	if (make_dir("cordon/empty") < 0)
		return fail(err, LAYER_NEWROOT, "cordon/empty");
	return mask_proc(err) < 0 ? -1 : show_own_proc(b, err);
}

/* Terminals of the box's own, for the programs of a live box and for those that make some. */
static int mount_terminals(const struct box *b, struct err *err)
{
	if (!box_is_dev(b))
		return 0;
	if (mkdir("dev/pts", 0755) < 0 ||
	    mount("devpts", "dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
		  "newinstance,ptmxmode=0666,mode=0620") < 0)
		return fail(err, LAYER_NEWROOT, "mounting /dev/pts");
	if (make_link("dev/ptmx", "pts/ptmx") < 0)
		return fail(err, LAYER_NEWROOT, "dev/ptmx");
	return 0;
}

static int change_root(const struct box *b, struct err *err)
{
	struct mount_attr ro = {.attr_set =
					MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV};

	if (box_wants_noexec(b))
		ro.attr_set |= MOUNT_ATTR_NOEXEC;
	/* The old root is stacked on the new one, so it needs no directory. */
	if (sys_pivot_root(".", ".") < 0 || chdir("/") < 0)
		return fail(err, LAYER_NEWROOT, "changing the root");
	if (mount_setattr(AT_FDCWD, "/", 0, &ro, sizeof(ro)) < 0)
		return fail(err, LAYER_NEWROOT, "making the root read-only");
	return 0;
}

static int mount_workspace(struct box *b, struct sources *src, struct err *err)
{
	if (b->spec->workspace == WORKSPACE_NONE)
		return 0;
	if (make_dir(b->spec->workspace_path + 1) < 0)
		return fail(err, LAYER_NEWROOT, b->spec->workspace_path);
	return workspace_mount(b, src->workspace, src->saved, src->scratch, err);
}

static int build(struct box *b, struct sources *src, struct err *err)
{
	if (open_binds(b, src, err) < 0 || open_workspace(b, src, err) < 0 ||
	    enter_empty_root(b, src, err) < 0 || show_scratch(src, "tmp", "tmp", err) < 0 ||
	    (box_is_dev(b) && show_scratch(src, "home", "home", err) < 0) ||
	    attach_binds(b, src, err) < 0 || show_scratch(src, "shm", "dev/shm", err) < 0 ||
	    write_files(b, err) < 0 || newroot_write_payload(b, err) < 0 ||
	    mount_proc(b, err) < 0 || mount_terminals(b, err) < 0 ||
	    mount_workspace(b, src, err) < 0 || masks_mount(b, err) < 0 ||
	    payload_mount(b, err) < 0)
		return -1;
	return change_root(b, err);
}

/* Descriptors of the sources are closed by close_range before the program starts. */
int newroot_enter(struct box *b, struct err *err)
{
	struct sources src;

	umask(0);
	if (build(b, &src, err) < 0)
		return -1;
	umask(022);
	box_mark(b, LAYER_NEWROOT);
	if (box_wants_noexec(b))
		box_mark(b, LAYER_NOEXEC);
	return 0;
}

/* The old root is stacked on the new one, where "/.." leads to it: the program must not start before this. */
int newroot_drop_old(struct err *err)
{
	if (umount2(".", MNT_DETACH) < 0)
		return fail(err, LAYER_NEWROOT, "unmounting the host's root");
	return 0;
}
