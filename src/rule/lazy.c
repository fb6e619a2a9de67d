/* SPDX-License-Identifier: MIT
 *
 * A decoded rule stays at its address until the pack is freed. One thread at a time decodes; a
 * thread that finds a rule decoded takes no lock.
 */
#include "rule/lazy.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "rule/trees.h"

struct pack_lazy {
	struct lazy_rows rows;
	pthread_mutex_t lock; /* held while a rule is decoded */
	struct arena arena;
	_Atomic(const struct rule *) *rule;
	atomic_size_t made;
	atomic_bool damaged; /* a tree was not valid */
};

static bool are_sound(const struct lazy_rows *rows)
{
	if (rows->count > PACK_RULES_MAX || !rows->names_len || rows->names[rows->names_len - 1])
		return false;
	for (size_t i = 0; i < rows->count; i++) {
		const struct lazy_row *r = &rows->row[i];
		if (r->at > rows->trees_len || r->len > rows->trees_len - r->at ||
		    r->file >= rows->names_len)
			return false;
	}
	return true;
}

int lazy_open(struct pack *pack, const struct lazy_rows *rows, struct err *err)
{
	struct pack_lazy *lazy = NULL;

	if (!are_sound(rows))
		return err_set(err, ERR_INPUT, "the list of rules is not sound");
	lazy = calloc(1, sizeof(*lazy));
	if (lazy)
		lazy->rule = calloc(rows->count + 1, sizeof(*lazy->rule));
	if (!lazy || !lazy->rule || pthread_mutex_init(&lazy->lock, NULL) != 0) {
		if (lazy)
			free(lazy->rule);
		free(lazy);
		return err_memory(err);
	}
	lazy->rows = *rows;
	pack->lazy = lazy;
	pack->rulec = rows->count;
	return 0;
}

void lazy_free(struct pack_lazy *lazy)
{
	if (!lazy)
		return;
	pthread_mutex_destroy(&lazy->lock);
	arena_done(&lazy->arena);
	free(lazy->rule);
	free(lazy);
}

/* If it fails, the memory of the rule stays in the arena until the pack is freed. */
static const struct rule *make(struct pack_lazy *lazy, size_t number)
{
	const struct lazy_row *row = &lazy->rows.row[number];
	const uint8_t *tree = lazy->rows.trees + row->at;
	const struct node *root = NULL;
	unsigned line = 0;
	struct err ignored;

	struct rule *rule = arena_alloc(&lazy->arena, sizeof(*rule));
	if (!lazy->arena.failed &&
	    cache_file_verify(lazy->rows.mac_key, CACHE_FILE_TREE, tree, row->len, &row->mac) &&
	    trees_decode(tree, row->len, 1, &lazy->arena, &root, &ignored) == 0 &&
	    rule_parse(root, lazy->rows.names + row->file, &lazy->arena, rule, &line, &ignored) ==
		    0 &&
	    rule->conditionc == row->conditions) {
		rule->order = (unsigned)number;
		return rule;
	}
	atomic_store(&lazy->damaged, true);
	return NULL;
}

const struct rule *lazy_rule(struct pack_lazy *lazy, size_t number)
{
	const struct rule *rule = atomic_load_explicit(&lazy->rule[number], memory_order_acquire);

	if (rule)
		return rule;
	pthread_mutex_lock(&lazy->lock);
	rule = atomic_load_explicit(&lazy->rule[number], memory_order_relaxed);
	if (!rule && (rule = make(lazy, number))) {
		atomic_fetch_add_explicit(&lazy->made, 1, memory_order_relaxed);
		atomic_store_explicit(&lazy->rule[number], rule, memory_order_release);
	}
	pthread_mutex_unlock(&lazy->lock);
	return rule;
}

bool lazy_is_damaged(const struct pack *pack)
{
	return pack->lazy && atomic_load(&pack->lazy->damaged);
}

size_t lazy_made(const struct pack *pack)
{
	return pack->lazy ? atomic_load_explicit(&pack->lazy->made, memory_order_relaxed) : 0;
}

static bool is_left_out(struct text key)
{
	static const char *const names[] = {"test_cases", "evasion_tests", "compliance"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (key.len == strlen(names[i]) && memcmp(key.s, names[i], key.len) == 0)
			return true;
	return false;
}

int lazy_encode(const struct rule *rule, uint8_t **ret, size_t *ret_len, struct err *err)
{
	struct node root = *rule->root;
	const struct node *list[] = {&root};
	AUTO_FREE struct node_pair *pair = calloc(root.map.count + 1, sizeof(*pair));
	size_t count = 0;

	for (size_t i = 0; pair && i < root.map.count; i++)
		if (!is_left_out(root.map.pair[i].key))
			pair[count++] = root.map.pair[i];
	root.map.pair = pair;
	root.map.count = count;
	*ret_len = pair ? trees_encode(list, 1, NULL, PACK_BYTES_MAX) : 0;
	*ret = *ret_len ? malloc(*ret_len) : NULL;
	if (!*ret)
		return err_set(err, ERR_SYSTEM, "rule %s: no memory", rule->id);
	trees_encode(list, 1, *ret, *ret_len);
	return 0;
}
