/* SPDX-License-Identifier: MIT
 *
 * The configuration: the values that a command uses if its options do not set them. Later places override
 * earlier ones: defaults, the operator's file, the user's file, CORDON_* variables, options. No place
 * can weaken a value below `enforced` in the operator's file: trying it is an error that names the
 * line. One table of keys (config_keys.c) also makes the manual page.
 */
#ifndef CORDON_CONF_CONFIG_H
#define CORDON_CONF_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/layer.h"
#include "model/limit.h"
#include "model/request.h"

/* Fixed at build time, so that no caller can move it. */
#ifndef CORDON_ETC
#define CORDON_ETC "/etc/cordon"
#endif
#define CONFIG_FILE CORDON_ETC "/config.yaml"
/* Names a database server. It is not a key, because it can contain a password. */
#define CONFIG_STORE_URL "CORDON_STORE_URL"

#define CONFIG_BYTES_MAX (256UL << 10)
enum { CONFIG_TEXT_MAX = 4095, CONFIG_WORDS_MAX = 32, CONFIG_VERSION = 1 };

/* The values. Each is taken whole from one place. */
enum config_id {
	CONFIG_TIER,
	CONFIG_POLICY,
	CONFIG_STATE,
	CONFIG_RULES,
	CONFIG_NOTIFY,
	CONFIG_HEADS,
	CONFIG_LOG_KEEP,
	CONFIG_TOOLCHAINS,
	CONFIG_LIMIT, /* followed by one for each limit */
	CONFIG_COUNT = CONFIG_LIMIT + LIMIT_COUNT,
};

/* The places, weakest first. */
enum config_from {
	CONFIG_DEFAULT,
	CONFIG_OPERATOR,
	CONFIG_USER,
	CONFIG_VARIABLE,
	CONFIG_FLAG,
	CONFIG_FROMS,
};

/* A destination: a command, or a URL that gets a signed POST; or neither. */
struct config_target {
	size_t commandc;
	/* The first word is a path or is searched in /usr/local/bin, /usr/bin and /bin. No shell
	 * reads them. */
	const char *command[CONFIG_WORDS_MAX];
	const char *url;	 /* http or https; redirects are not followed */
	const char *secret_file; /* one line, whsec_BASE64 */
	bool is_operators; /* from the operator's file: nothing of the caller reaches the command */
};

struct config_list {
	size_t count;
	const char *text[REQUEST_LIST_MAX];
};

/* The values of one place; `where` is NULL for a value that it does not set. */
struct config_values {
	const char *where[CONFIG_COUNT]; /* "/etc/cordon/config.yaml:3", "CORDON_TIER", "--tier" */
	enum tier tier;
	const char *policy, *state; /* absolute paths of files; NULL: the usual */
	struct config_list rules;   /* directories; empty: the installed packs */
	struct config_list toolchains;
	struct config_target notify, heads;
	uint64_t keep_ms;	     /* how long the log keeps records; 0: forever */
	uint64_t limit[LIMIT_COUNT]; /* 0: none */
};

struct config {
	struct config_values now;      /* in force; `where` is NULL for a default */
	struct config_values enforced; /* enforced values */
	enum config_from from[CONFIG_COUNT];
	struct arena arena;
};

/* Gets each problem; reading continues after it. */
struct config_sink {
	void (*problem)(void *ctx, const struct err *err);
	void *ctx;
};

/* Reads files and variables. With a SINK every problem is reported, otherwise the first one is ERR; the
 * configuration must then not be used. Always call config_done. */
int config_load(struct config *ret, const struct config_sink *sink, struct err *err);
/* Checks a file that could become the operator's: its content, and not its owner. */
int config_load_draft(struct config *ret, const char *file, const struct config_sink *sink,
		      struct err *err);
/* Lets the options override the rest. */
int config_add_flags(struct config *c, const struct config_values *flags, struct err *err);
/* Reads bytes as the file NAME, the operator's if IS_OPERATOR. For tests. */
int config_parse(struct config *ret, const char *name, const char *data, size_t len,
		 bool is_operator, struct err *err);
void config_done(struct config *c);

/* The path of the user's file; "" if it has none. */
const char *config_user_file(struct arena *arena);
const char *config_from_name(unsigned i);

/* Is this word of a command a path, so that changing the file can change the command? Not for the
 * streams of a process. */
bool config_word_is_path(const char *word);

/* A row of the table, for the documents. */
struct config_key {
	const char *name; /* limits.time */
	const char *takes, *help;
	const char *fallback; /* the default; or NULL */
	const char *variable; /* or NULL */
	const char *flag;     /* or NULL */
	const char *enforced; /* its meaning below `enforced`; or NULL */
};
/* The I-th row, with strings in ARENA; false past the end. */
bool config_key_at(unsigned i, struct arena *arena, struct config_key *ret);

/* config_keys.c: "limits.time"; for people. */
const char *config_name(enum config_id id, struct arena *arena);
/* A value as in a file; NULL if it is not set. */
const char *config_text(const struct config_values *v, enum config_id id, struct arena *arena);

#endif
