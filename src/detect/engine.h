/* SPDX-License-Identifier: MIT
 *
 * Evaluates a pack of rules on events, in one of two modes. REFERENCE agrees with agent-threat-
 * rules 4.0.0 rule for rule, including its blind spots; STRICT is the same without them. A rule
 * that cannot be decided because of a limit is a finding of its own.
 */
#ifndef CORDON_DETECT_ENGINE_H
#define CORDON_DETECT_ENGINE_H

#include "detect/event.h"
#include "detect/patterns.h"
#include "scan/text/normal.h"

enum detect_mode { DETECT_STRICT, DETECT_REFERENCE };

/* The form of a text in which a rule matched. */
enum view {
	VIEW_TEXT,    /* as given, or normalised */
	VIEW_DECODED, /* after decoding base64, hex, escapes or another encoding */
	VIEW_CODE,    /* the canonical form of a program */
	VIEW_COUNT,
};

/* The reference's verdict for a list of findings; the zero value is deny. */
enum detect_verdict { DETECT_DENY, DETECT_ASK, DETECT_ALLOW };

struct engine_options {
	enum detect_mode mode;
	enum lane lane;
	bool inactive; /* includes drafts and deprecated rules */
	/* Strict mode: the maximum of matching steps for all layers of a text together; 0: the
	 * default. scan/text/decode.h bounds the number and bytes of the layers, and
	 * scan/find/bounded_match.h the steps for each layer. Without this maximum, a text with many
	 * layers would get the steps of one layer many times. */
	uint64_t layers_steps;
};

/* Plus this many for each byte of the text. Nearly all harmless texts take less
 * (docs/explanation/SCANNING.md); with this limit, most texts made to be slow take at most half
 * a millisecond per kilobyte. */
enum { ENGINE_LAYERS_STEPS = 10000000, ENGINE_LAYERS_BYTE_STEPS = 200 };

struct finding {
	const struct rule *rule; /* of the pack, or one of findings.h */
	bool undecided;		 /* a limit was reached before the answer was known */
	const char *why;	 /* the limit, in words; "" when decided */
	double confidence;
	enum view view;
	const char *decoding; /* the encodings removed: "base64", "url > hex"; or "" */
	size_t matchedc;
	/* The numbers of the rule's conditions that matched; of a signature's indicators; or of
	 * the statements of a trace block: forbidden, required, then constant ones. */
	const uint32_t *matched;
};

struct findings {
	struct arena arena;
	size_t count, room;
	struct finding *list; /* by severity, then confidence, then the pack's order */
	/* The maximum that left layers unsearched ("bytes", "layers", "depth", "steps"), or NULL.
	 * There is a finding for it too (findings.h). */
	const char *unsearched;
};

struct engine;
struct engine_thread; /* memory of one scanning thread, including the sessions */

/* PACK and DB must stay. PATTERNS is PACK's (patterns_collect), and DB was made from it. */
int engine_new(const struct pack *pack, const struct pattern_list *patterns, const struct db *db,
	       const struct engine_options *options, struct engine **ret, struct err *err);
void engine_free(struct engine *engine);
/* The tables that engine_new made from the pack, as bytes; the caller frees *RET. */
int engine_save(const struct engine *engine, uint8_t **ret, size_t *ret_len, struct err *err);
/* The same engine from these BYTES. They are aligned to 8 and must stay, as must PACK and DB.
 * OPTIONS are those with which the engine was made. */
int engine_load(const uint8_t *bytes, size_t len, const struct pack *pack, const struct db *db,
		const struct engine_options *options, struct engine **ret, struct err *err);

struct engine_thread *engine_thread_new(const struct engine *engine, struct err *err);
void engine_thread_free(struct engine_thread *t);

/* RET is zeroed, or has findings of the same engine, which are merged and sorted again. In
 * reference mode, findings in a skill's blocks come after the others, as in the reference. */
int engine_scan(const struct engine *engine, struct engine_thread *t, const struct event *event,
		struct findings *ret, struct err *err);
/* The same for another view of the event's content; a rule that is in RET is not added again. */
int engine_scan_view(const struct engine *engine, struct engine_thread *t,
		     const struct event *event, enum view view, struct text text,
		     struct findings *ret, struct err *err);
void findings_done(struct findings *f);
/* Sorts from FROM on; the findings before it stay in place. */
void findings_sort(struct findings *f, size_t from);

/* A text about which several questions are asked; it is decoded once. */
struct engine_place {
	struct text text;
	struct scan_text raw;
};
int engine_place_init(struct engine_place *p, struct text text, struct err *err);
void engine_place_done(struct engine_place *p);
/* The byte offset at which condition NUMBER of the finding's rule first matches in the text, to
 * show it. -1 when it does not match there (it matched in another form of the text). */
int engine_locate(const struct engine *engine, struct engine_thread *t, const struct rule *rule,
		  size_t number, const struct engine_place *place, size_t *ret_offset);

/* The verdict by the first finding, as in the reference; but with an undecided finding anywhere it
 * is at least a question. RET_FOR, if not NULL, gets the finding that decided, or NULL. */
enum detect_verdict detect_verdict(const struct findings *f, const struct finding **ret_for);
const char *detect_verdict_name(enum detect_verdict verdict);
/* The verdict as a word at the beginning of a reason. */
const char *detect_verdict_word(enum detect_verdict verdict);
/* NULL past the end. */
const char *detect_mode_name(unsigned mode);
const char *view_name(enum view view);

#endif
