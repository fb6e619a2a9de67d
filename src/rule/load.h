/* SPDX-License-Identifier: MIT
 *
 * A pack: all rules of a directory, in the reference's order (names sorted by bytes, directories
 * walked where they stand). A file that cannot be read is reported and left out; whoever wants
 * all or nothing asks for strict.
 */
#ifndef CORDON_RULE_LOAD_H
#define CORDON_RULE_LOAD_H

#include "rule/rule.h"
#include "rule/walk.h"

#define PACK_RULES_MAX 10000
#define PACK_BYTES_MAX (64UL << 20) /* of all files together */
#define PACK_NODES_MAX 2000000	    /* values in all documents together */

struct pack_lazy; /* see lazy.h */

struct pack {
	struct arena arena;
	size_t rulec, room;
	struct rule *rule;	    /* NULL when the pack is lazy: see pack_rule */
	struct pack_lazy *lazy;	    /* or NULL */
	uint32_t *index;	    /* by id: a rule's number plus one */
	size_t bytes, nodes, files; /* read so far */
	size_t skipped;		    /* files that were left out */
	size_t errors, warnings;    /* reported, those of files left out included */
};

struct pack_options {
	bool strict;   /* the first error ends it */
	bool warnings; /* report these too */
	/* Called for every file that was left out and every rule_check error; may be NULL. */
	rule_report_fn *report;
	void *context;
};

/* The documents, while a pack is loaded: each with its length before it. Zeroed at first. */
struct pack_record {
	uint8_t *data;
	size_t len, room;
	size_t count; /* of documents */
	bool failed;  /* no memory: it must not stop a pack from being loaded */
};

void record_done(struct pack_record *record);

/* A second rule with an id that is there already is left out: the reference would mix up the two.
 * PACK is zeroed, or holds a pack that is added to. PATH is a directory or a single file. On
 * failure what was loaded stays; pack_done is always due. */
int pack_load(struct pack *pack, const char *path, const struct pack_options *options,
	      struct err *err);
/* The same, and RECORD gets the bytes of every file that could be read; it may be NULL. */
int pack_load_recorded(struct pack *pack, const char *path, const struct pack_options *options,
		       struct pack_record *record, struct err *err);
/* The same for one file of BYTES bytes, whose tree ROOT lives in the pack's arena. */
int pack_add_tree(struct pack *pack, const char *file, size_t bytes, const struct node *root,
		  const struct pack_options *options, struct err *err);
void pack_done(struct pack *pack);
/* One of the RULEC; NULL only of a pack that is lazy: its bytes are not a rule, or no memory. */
const struct rule *pack_rule(const struct pack *pack, size_t number);
/* NULL when there is none. */
const struct rule *pack_find(const struct pack *pack, const char *id);

#endif
