/* SPDX-License-Identifier: MIT
 *
 * A request in about ten lines: what would happen, where it goes, which document it ties to, what a denial
 * means, how to answer. The lines head `cordon approvals show` and a notification. The texts can hold
 * bytes of strangers: the caller must escape them and show them after the label.
 */
#ifndef CORDON_APPROVAL_SUMMARY_H
#define CORDON_APPROVAL_SUMMARY_H

#include "approval/approval.h"

enum { SUMMARY_LINES = 13 };

struct summary_line {
	const char *label, *text;
};
/* What would happen, in one line. Strings belong to ARENA or to the request. */
const char *approval_headline(const struct approval_request *r, struct arena *arena);
/* Everything that the scope "grant" gives until END (ms); NULL: nothing. */
const char *approval_grant_words(const struct approval_request *r, uint64_t end,
				 struct arena *arena);
/* An argument of an act in words; NULL: it has none. */
const char *approval_act_words(const struct approval_request *r, const char *arg,
			       struct arena *arena);
/* "8 hours" */
const char *approval_duration(uint64_t ms, struct arena *arena);
/* Returns the number of lines. */
size_t approval_summary(const struct approval *a, uint64_t now, struct arena *arena,
			struct summary_line ret[SUMMARY_LINES]);

/* difference.c: what an approval of OLD does not cover in NOW, in words: "standard input; the workspace
 * (app.py)". The codes include attachments. False: no difference that an approval binds. */
bool approval_changed(const struct approval_request *old, const struct approval_code *old_code,
		      const struct approval_request *now, const struct approval_code *now_code,
		      struct buf *out);

#endif
