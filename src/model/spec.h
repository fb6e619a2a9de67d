/* SPDX-License-Identifier: MIT
 *
 * The spec: all that cordon-box knows about a run, as plain data. It is sent as a list of
 * records {tag, flags, length, bytes}; the decoder trusts no length, count, string or path in it.
 * Descriptors are sent with it in a fixed order, see enum wire_fd.
 */
#ifndef CORDON_MODEL_SPEC_H
#define CORDON_MODEL_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/layer.h"
#include "model/limit.h"

/* Where cordon-box puts its descriptors. It starts with RESULT_FD and the program's output (1, 2);
 * the others come over RESULT_FD, the program's input (0) among them. */
enum spec_fd {
	SPEC_FD = 3,
	RESULT_FD = 4,
	PAYLOAD_FD = 5,
	WORKSPACE_FD = 6,
	CHANNEL_FD = 7, /* SPEC_CHANNEL: the socket of the program's interpreter to cordon */
	PARTS_FD = 8,	/* SPEC_CHANNEL: a file that the interpreter reads */
	EGRESS_FD = 9,	/* SPEC_NET: the socket to cordon-egress (model/egress_message.h) */
	SAVED_FD = 10,	/* the changes of earlier runs: see saved_path */
	SPEC_FD_END = 11,
};

/* When root runs it, the box is this id plus a process id on the host: above every id that
 * distributions, systemd or container tools hand out. */
#define SPEC_FREE_ID_BASE 0x7c000000U
/* On the disk, files of such a box that stay have this id. */
#define SPEC_STAY_ID (SPEC_FREE_ID_BASE - 1)

#define SPEC_MAGIC 0x324e4443U /* "CDN2" */
#define SPEC_BYTES_MAX (4UL << 20)
#define SPEC_STRING_MAX (128UL << 10)
#define SPEC_ARGS_MAX 4096
#define SPEC_ENV_MAX 1024
#define SPEC_BINDS_MAX 256
#define SPEC_FILES_MAX 32
#define SPEC_FILE_MAX (SPEC_STRING_MAX + 8192) /* a file of the box, with its path */
#define SPEC_PROGRAMS_MAX 256
#define SPEC_MASKS_MAX 256

enum spec_job {
	JOB_RUN,   /* cordon-box: run the program */
	JOB_PROBE, /* cordon-probe: prove each layer */
	JOB_SWEEP, /* cordon-box: remove what a killed cordon-box left */
	JOB_START, /* a live box: start one program (WIRE_START) */
};

enum bind_flag {
	BIND_CODE = 1,	    /* may be mapped executable: libraries and programs */
	BIND_PROGRAM = 2,   /* Landlock: may be started */
	BIND_HIDDEN = 4,    /* mounted, but Landlock grants no reading below it */
	BIND_OPTIONAL = 8,  /* left out if the host does not have it */
	BIND_OWNED = 16,    /* as root: its owner's files are shown as the box's */
	BIND_WRITABLE = 32, /* what the program writes there stays on the host */
	BIND_FLAGS = 63,
};

/* Identifies the file that a path led to before the decision. */
struct spec_identity {
	uint64_t dev, ino;   /* ino 0: any file */
	uint64_t changed_ns; /* its change time; 0: it may change */
};

struct spec_bind {
	const char *source, *target;
	unsigned flags;
	struct spec_identity identity;
};

/* A path in the box that is covered by an empty file or directory, because it is one of Cordon's
 * own on the host. With FROZEN: a path that is mounted read-only in a writable workspace. */
struct spec_mask {
	const char *path;
	struct spec_identity identity;
	bool frozen;
	uint64_t born_ns; /* of a frozen path: for the caller */
};

/* A small file, of any bytes, or a symbolic link that exists only in the box. */
struct spec_file {
	const char *target, *content; /* a NUL follows the content too */
	bool is_link;
	size_t len; /* of the content */
};
/* A home directory that is kept on the host. It is not below /home, where a workspace may be: nothing
 * is mounted in a directory whose names a program has made. */
#define SPEC_KEPT_HOME "/cordon/home"
/* Files here are shown in /proc instead of the host's. */
#define SPEC_PROC_OWN "/cordon/proc/"
#define SPEC_TEXT(target, text)                                                                    \
	{                                                                                          \
		target, text, false, sizeof(text) - 1                                              \
	}

enum payload_kind {
	PAYLOAD_NONE,
	PAYLOAD_FILE,	 /* PAYLOAD_FD is a sealed memfd; it appears at payload_target */
	PAYLOAD_PROGRAM, /* PAYLOAD_FD is the program's own file; a bind shows it */
};

enum workspace_mode { WORKSPACE_NONE, WORKSPACE_RO, WORKSPACE_OVERLAY, WORKSPACE_RW };

enum spec_flag {
	SPEC_EXEC = 1,	     /* the exec list is not empty: execve is decided by Landlock */
	SPEC_PROC_FULL = 2,  /* /proc beyond processes, with masks */
	SPEC_DIFF = 4,	     /* list what changed in the overlay */
	SPEC_KEEP_UPPER = 8, /* hand the overlay's upper directory over for a commit */
	SPEC_NEAR = 16,	     /* files of the host's are shown as they are: no sockets */
	SPEC_CHANNEL = 32,   /* CHANNEL_FD and PARTS_FD stay open in the program */
	SPEC_NET = 64,	     /* the program may connect to some hosts, through EGRESS_FD */
	SPEC_LIVE = 128,     /* starts come one by one (WIRE_START); the spec has no program */
	SPEC_DEV = 256, /* with SPEC_EXEC: all that the box shows may be executed and debugged */
	SPEC_FLAGS = 511,
};

struct spec {
	enum spec_job job;
	enum tier tier;
	unsigned flags;
	uint64_t limit[LIMIT_COUNT];
	enum payload_kind payload;
	const char *payload_target;
	uint8_t payload_sha256[32];
	enum workspace_mode workspace;
	const char *workspace_path; /* on the host; WORKSPACE_FD is this directory */
	/* On the host: the changes of earlier runs, a layer of the overlay; or NULL. SAVED_FD is
	 * this directory. */
	const char *saved_path;
	const char *private_dir; /* no-userns: a directory of the run's own on the host */
	const char *cwd;
	const char *program;
	size_t argc, envc, bindc, filec, programc, maskc;
	const char *argv[SPEC_ARGS_MAX + 1]; /* NULL-terminated */
	const char *env[SPEC_ENV_MAX + 1];
	struct spec_bind bind[SPEC_BINDS_MAX];
	struct spec_file file[SPEC_FILES_MAX];
	const char *exec[SPEC_PROGRAMS_MAX]; /* paths in the box that may be started */
	struct spec_mask mask[SPEC_MASKS_MAX];
};

/* Writes the spec to malloc'd memory. */
int spec_encode(const struct spec *spec, uint8_t **ret_data, size_t *ret_len, struct err *err);
/* The decoded strings point into DATA, which must stay valid. *RET is zeroed memory, and must not be
 * used after a failure. */
int spec_decode(const uint8_t *data, size_t len, struct spec *ret, struct err *err);

/* Is it absolute, without empty, "." and ".." parts and control characters? */
bool spec_path_is_clean(const char *path);
/* Does the program write to a directory of the user's directly? */
bool spec_is_direct(const struct spec *spec);
/* Bits: the layers that the run needs. */
uint32_t spec_layers(const struct spec *spec);

#endif
