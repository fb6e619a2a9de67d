/* SPDX-License-Identifier: MIT
 *
 * A pack: all rules of a directory, in the reference's order (pack_files.h). A file that cannot be
 * read is reported and left out; with STRICT it ends the loading.
 */
#ifndef CORDON_RULE_LOAD_H
#define CORDON_RULE_LOAD_H

#include "rule/pack_files.h"
#include "rule/rule.h"

#define PACK_RULES_MAX 10000
#define PACK_BYTES_MAX (64UL << 20) /* of all files together */
#define PACK_NODES_MAX 2000000	    /* values in all documents together */

struct pack_lazy; /* see lazy.h */

struct pack {
	struct arena arena;
	size_t rulec, room;
	struct rule *rule;	    /* NULL if the pack is lazy: use pack_rule */
	struct pack_lazy *lazy;	    /* or NULL */
	uint32_t *index;	    /* hash table by id: a rule's number plus one */
	size_t bytes, nodes, files; /* read so far */
	size_t skipped;		    /* files left out */
	size_t errors, warnings;    /* reported, also for files left out */
};

struct pack_options {
	bool strict;   /* the first error ends the loading */
	bool warnings; /* also report warnings */
	/* Called for every file that was left out and every rule_check error; may be NULL. */
	rule_report_fn *report;
	void *context;
};

/* The documents of a pack while it is loaded, each after its length. Zeroed at first. */
struct pack_record {
	uint8_t *data;
	size_t len, room;
	size_t count; /* of documents */
	bool failed;  /* out of memory; the pack is loaded nevertheless */
};

void record_done(struct pack_record *record);

/* Adds the rules of PATH, a directory or a single file, to PACK, which may be zeroed. A second rule
 * with the same id is left out, because the reference would mix up the two. On failure PACK keeps
 * the rules loaded so far. Always call pack_done afterwards. */
int pack_load(struct pack *pack, const char *path, const struct pack_options *options,
	      struct err *err);
/* The same. Adds the bytes of each readable file to RECORD, which may be NULL. */
int pack_load_recorded(struct pack *pack, const char *path, const struct pack_options *options,
		       struct pack_record *record, struct err *err);
/* The same for one file of BYTES bytes, whose tree ROOT is in the pack's arena. */
int pack_add_tree(struct pack *pack, const char *file, size_t bytes, const struct node *root,
		  const struct pack_options *options, struct err *err);
void pack_done(struct pack *pack);
/* Returns rule NUMBER. NULL only for a lazy pack: its bytes are not a rule, or out of memory. */
const struct rule *pack_rule(const struct pack *pack, size_t number);
/* NULL: the pack has no rule with this id. */
const struct rule *pack_find(const struct pack *pack, const char *id);

#endif
