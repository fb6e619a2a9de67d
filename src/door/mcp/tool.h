/* SPDX-License-Identifier: MIT
 *
 * A tool of the server: one row with its schemas and its function, which runs in a process of its own.
 */
#ifndef CORDON_MCP_TOOL_H
#define CORDON_MCP_TOOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "model/report.h"

struct mcp_session;

/* What a person has answered to the question of this call. */
enum mcp_reply { REPLY_NONE, REPLY_ACCEPT, REPLY_DECLINE, REPLY_CANCEL };

struct mcp_call {
	struct mcp_session *session;
	const json_t *arguments; /* an object that fits the tool's schema */
	/* The program has printed this. */
	void (*output)(struct mcp_call *call, const char *data, size_t len);
	/* TOTAL 0: it is not known. */
	void (*progress)(struct mcp_call *call, double done, double total, const char *words);
	void *ctx;
	enum mcp_reply reply;
	const json_t *reply_content; /* of the form; or NULL */
};

/* A zeroed one has no content. */
struct mcp_answer {
	json_t *content;    /* an array of blocks */
	json_t *structured; /* an object, if the tool has an output schema; or NULL */
	bool is_error;
	/* A person is asked: the id of what waits, and the question for a client that can ask them. */
	char waits_for[REPORT_ID + 1];
	json_t *question; /* params of elicitation/create; or NULL */
};

struct mcp_tool {
	const char *name, *title, *description;
	const char *input, *output; /* JSON Schemas; OUTPUT may be NULL */
	const char *question;	    /* the name of what it may ask a person; NULL: "approval" */
	bool only_reads, reaches_out;
	void (*run)(struct mcp_call *call, struct mcp_answer *ret);
};

/* answer.c: the parts of an answer */
void mcp_add_text(struct mcp_answer *a, const char *text, size_t len);
void mcp_add_image(struct mcp_answer *a, const char *mime, const void *data, size_t len);
/* The answer becomes this error, in its text and in its structured part. */
void mcp_answer_error(struct mcp_answer *a, const struct err *err);
const char *mcp_question(const struct mcp_tool *tool);
/* The type of a picture by its first bytes, or NULL. */
const char *mcp_picture_type(const void *data, size_t len);
/* The result of tools/call of TOOL, in the form of its era. *A is empty afterwards. */
json_t *mcp_answer_result(struct mcp_answer *a, const struct mcp_tool *tool, bool modern);
/* What every result of the modern era has. */
json_t *mcp_finish(json_t *result, bool modern);
/* The name and the version of the server. */
json_t *mcp_server_info(void);
void mcp_answer_done(struct mcp_answer *a);

/* Arguments that the schema has checked. */
const char *mcp_text(const struct mcp_call *call, const char *name);
long long mcp_number(const struct mcp_call *call, const char *name, long long fallback);

#endif
