/* SPDX-License-Identifier: MIT
 *
 * tree_cache DIR...: packs that are loaded from YAML, written to a cache file and loaded from it
 * are the same in every field of every rule. Prints TAP.
 */
#include "rule/tree_cache.h"

#include <stdlib.h>
#include <unistd.h>

#include "../unit/same.h"
#include "../unit/tap.h"

static void check(const char *dir, const char *file)
{
	static const uint8_t key[CACHE_FILE_KEY] = {1};
	struct pack_options options = {0};
	struct pack_record record = {0};
	struct pack pack = {0}, kept = {0};
	struct err err = {0};

	ok(pack_load_recorded(&pack, dir, &options, &record, &err) == 0 && pack.rulec &&
		   tree_cache_write(&pack, 0, &record, file, key, &err) == 0,
	   "%zu rules with %zu values are kept %s", pack.rulec, pack.nodes, err.message);
	ok(tree_cache_load(&kept, dir, file, key, &options, &err, &err) == 0 &&
		   same_pack(&pack, &kept),
	   "and come back the same %s", err.message);
	record_done(&record);
	pack_done(&pack);
	pack_done(&kept);
	unlink(file);
}

int main(int argc, char **argv)
{
	char dir[] = "/tmp/rules-tree-cache.XXXXXX", file[64];

	if (!mkdtemp(dir))
		return 1;
	snprintf(file, sizeof(file), "%s/kept", dir);
	for (int i = 1; i < argc; i++)
		check(argv[i], file);
	rmdir(dir);
	return tap_done();
}
