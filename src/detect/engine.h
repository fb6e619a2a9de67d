/* SPDX-License-Identifier: MIT
 *
 * A pack of rules, ready to be asked about events. Two modes: REFERENCE agrees with
 * agent-threat-rules 4.0.0 rule for rule, its blind spots included; STRICT is the same without
 * them. A rule that cannot be decided (a limit was reached) is a finding of its own, never silence.
 */
#ifndef CORDON_DETECT_ENGINE_H
#define CORDON_DETECT_ENGINE_H

#include "detect/event.h"
#include "detect/patterns.h"
#include "scan/normal.h"

enum detect_mode { DETECT_STRICT, DETECT_REFERENCE };

/* In which form of a text a rule matched. */
enum view {
	VIEW_TEXT,    /* as it came, or normalised */
	VIEW_DECODED, /* a layer of base64, hex or URL escapes taken off */
	VIEW_CODE,    /* the canonical form of a program */
	VIEW_COUNT,
};

/* The verdict the reference gives for a list of findings; the zero value is deny. */
enum detect_verdict { DETECT_DENY, DETECT_ASK, DETECT_ALLOW };

struct engine_options {
	enum detect_mode mode;
	enum lane lane;
	bool inactive; /* drafts and deprecated rules too */
	/* How many steps of matching the layers of one text may take together in strict mode; 0: the
	 * default. Below it are the bounds on their number and bytes (scan/decode.h), and those of
	 * each layer (scan/confirm.h): a text that is all layers must not have them as many times. */
	uint64_t layers_steps;
};

/* And so many for each byte of the text: more than nearly all honest ones take (docs/RULES.md), and no
 * more than what keeps most texts that were bred to be slow at half a millisecond a kilobyte. */
enum { ENGINE_LAYERS_STEPS = 10000000, ENGINE_LAYERS_BYTE_STEPS = 200 };

struct finding {
	const struct rule *rule; /* of the pack, or one of undecided.h */
	bool undecided;		 /* a limit was reached before anybody knew */
	const char *why;	 /* which, in words; "" when it is decided */
	double confidence;
	enum view view;
	const char *decoding; /* how it was decoded: "base64", "url > hex"; "" */
	size_t matchedc;
	/* What holds, by number: of the rule's conditions; of a signature's indicators; of what a
	 * trace forbids, then requires, then keeps the same. */
	const uint32_t *matched;
};

struct findings {
	struct arena arena;
	size_t count, room;
	struct finding *list; /* by severity, then confidence, then the pack's order */
	/* Layers that were left unsearched: which maximum stopped it ("bytes", "layers", "depth",
	 * "steps"); NULL: none. There is a finding for it too (undecided.h). */
	const char *unsearched;
};

struct engine;
struct engine_thread; /* what one thread needs: scratch memory; sessions live here too */

/* PACK and DB must stay. PATTERNS are PACK's (patterns_collect), and DB was made of them. */
int engine_new(const struct pack *pack, const struct pattern_list *patterns, const struct db *db,
	       const struct engine_options *options, struct engine **ret, struct err *err);
void engine_free(struct engine *engine);
/* What engine_new worked out of the pack, as bytes; *RET is to be freed. */
int engine_save(const struct engine *engine, uint8_t **ret, size_t *ret_len, struct err *err);
/* The same engine out of these BYTES, which are aligned to 8 and must stay like PACK and DB; OPTIONS
 * are those it was made with. */
int engine_load(const uint8_t *bytes, size_t len, const struct pack *pack, const struct db *db,
		const struct engine_options *options, struct engine **ret, struct err *err);

struct engine_thread *engine_thread_new(const struct engine *engine, struct err *err);
void engine_thread_free(struct engine_thread *t);

/* In reference mode what a skill's blocks add comes after the rest, as there.
 * RET is zeroed, or holds findings of the same engine that are added to and sorted anew. */
int engine_scan(const struct engine *engine, struct engine_thread *t, const struct event *event,
		struct findings *ret, struct err *err);
/* The same for another view of the event's content; a rule that is in RET already is not added. */
int engine_scan_view(const struct engine *engine, struct engine_thread *t,
		     const struct event *event, enum view view, struct text text,
		     struct findings *ret, struct err *err);
void findings_done(struct findings *f);
/* From the FROM-th on; what comes before stays where it is. */
void findings_sort(struct findings *f, size_t from);

/* A text that is asked about several times, and what is decoded once for that. */
struct engine_place {
	struct text text;
	struct scan_text raw;
};
int engine_place_init(struct engine_place *p, struct text text, struct err *err);
void engine_place_done(struct engine_place *p);
/* Where condition NUMBER of the finding's rule first matches in the text, as a byte offset: for
 * people only. -1 when it does not (it matched in another form of the text). */
int engine_locate(const struct engine *engine, struct engine_thread *t, const struct rule *rule,
		  size_t number, const struct engine_place *place, size_t *ret_offset);

/* As the reference, by the first finding; but an undecided one is at least a question, wherever it
 * stands. RET_FOR, if not NULL: the finding it is about, NULL when there is none. */
enum detect_verdict detect_verdict(const struct findings *f, const struct finding **ret_for);
const char *detect_verdict_name(enum detect_verdict verdict);
/* As it stands at the beginning of a reason. */
const char *detect_verdict_word(enum detect_verdict verdict);
/* NULL past the end. */
const char *detect_mode_name(unsigned mode);
const char *view_name(enum view view);

#endif
