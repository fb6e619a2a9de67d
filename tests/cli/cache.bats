#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The compiled database and the rules' trees on disk: a second scan finds them and says the same;
# whatever is wrong with them, scanning works.
load helper
load scan

needs() { own_cache; }

# Enough expressions to be worth a file.
large_pack()
{
	/usr/bin/python3 -I - "$T/r/large.yaml" "${1:-x}" <<-'PY'
		import os, sys
		path, word = sys.argv[1:]
		os.makedirs(os.path.dirname(path), exist_ok=True)
		for n in range(2):
		    open(path.replace("large", f"large{n}"), "w").write(
		        f"id: ATR-2026-8000{n}\ntitle: t\nseverity: low\ndetection:\n  condition: any\n  conditions:\n" +
		        "".join(f"    - {{field: content, operator: regex, value: '{word}{n}stone{i}\\s+word'}}\n" for i in range(250)))
	PY
	printf 'an x1stone77 word' >"$T/x.txt"
}

# files SUFFIX: how many of a kind there are.
files() { find "$T/cache/cordon" -name "*.$1" 2>/dev/null | wc -l; }
# What is there, each with its time and number: changes when something is written.
stamps() { stat -c '%n %Y %i' "$T"/cache/cordon/*; }

@test "the second scan finds both files and says the same" {
	large_pack
	scan 1 --json "$T/x.txt"
	sed 's/"ms":[0-9]*//' "$T/out" >"$T/first"
	[ "$(files db)" -eq 1 ]
	[ "$(files rl)" -eq 1 ]
	[ "$(stat -c %a "$T/cache/cordon")" = 700 ]
	local before
	before=$(stamps)
	scan 1 --json "$T/x.txt"
	sed 's/"ms":[0-9]*//' "$T/out" | cmp - "$T/first"
	[ "$(stamps)" = "$before" ]
}

@test "small packs leave no file, other rules another database, and old ones go" {
	pack
	printf 'a moonstone word' >"$T/x.txt"
	scan 1 "$T/x.txt"
	[ "$(files db)" -eq 0 ]
	[ "$(files rl)" -eq 0 ]
	local i
	for i in 1 2 3 4 5 6; do
		large_pack "word$i"
		scan 0 "$T/x.txt"
		[ "$(files rl)" -eq 1 ] # goes by the pack's place
	done
	[ "$(files db)" -eq 4 ]
	local place
	for place in a b c d e f; do
		cp -r "$T/r" "$T/$place"
		run -0 "$CORDON" scan --rules "$T/$place" "$T/x.txt"
	done
	[ "$(files rl)" -eq 4 ]
}

@test "broken files, a closed directory, no home: the scan is the same" {
	large_pack
	scan 1 "$T/x.txt"
	local f
	for f in "$T"/cache/cordon/*; do
		printf 'garbage' | dd of="$f" bs=1 seek=1000 conv=notrunc 2>/dev/null
		scan 1 "$T/x.txt"
		: >"$f"
		scan 1 "$T/x.txt"
		chmod 666 "$f"
		scan 1 "$T/x.txt"
		[ "$(stat -c %a "$f")" = 644 ]
		ln -sf /etc/passwd "$f"
		scan 1 "$T/x.txt"
		[ ! -L "$f" ]
		rm "$f" && mkfifo "$f"
		scan 1 "$T/x.txt"
		[ -f "$f" ]
	done
	rm -r "$T/cache"
	printf x >"$T/cache" # no directory
	scan 1 "$T/x.txt"
	run -1 env -u HOME -u XDG_CACHE_HOME "$CORDON" scan --rules "$T/r" "$T/x.txt"
	run -1 env HOME="$T/home" XDG_CACHE_HOME=relative "$CORDON" scan --rules "$T/r" "$T/x.txt"
	[ ! -e relative ]
}

@test "a rule that changes is another rule at once" {
	large_pack
	scan 1 "$T/x.txt"
	sed -i 's/x1stone77/y1stone77/' "$T/r/large1.yaml"
	scan 0 "$T/x.txt"
	sed -i 's/y1stone77/x1stone77/' "$T/r/large1.yaml"
	scan 1 "$T/x.txt"
	rm "$T/r/large1.yaml"
	scan 0 "$T/x.txt"
}

@test "a pack with a bad expression is reported each time" {
	large_pack
	rule "$T/r/bad.yaml" ATR-2026-90001 high 'a(b'
	scan 1 "$T/x.txt"
	err_has 'are not valid regular expressions'
	scan 1 "$T/x.txt"
	err_has 'are not valid regular expressions'
	scan 125 --strict "$T/x.txt"
}

@test "a file that is left out, and a rule that cannot work, are reported each time" {
	large_pack
	printf 'a: [' >"$T/r/bad.yaml"
	scan 1 "$T/x.txt"
	err_has 'bad.yaml'
	[ "$(files rl)" -eq 0 ]
	scan 1 "$T/x.txt"
	err_has 'bad.yaml'
	printf 'id: D\ntitle: T\ndetection: {condition: any, conditions: [{field: x}]}\n' >"$T/r/bad.yaml"
	scan 1 "$T/x.txt"
	err_has 'condition 0 is never true'
	[ "$(files rl)" -eq 1 ]
	scan 1 "$T/x.txt"
	err_has 'condition 0 is never true'
	run -125 env XDG_DATA_HOME="$T/data" "$CORDON" scan --strict --rules "$T/r" "$T/x.txt"
}

@test "rules list and show may use what is kept, rules check reads the files" {
	large_pack
	run -0 "$CORDON" rules list --rules "$T/r"
	local before=$output
	[ "$(files rl)" -eq 1 ]
	run -0 "$CORDON" rules list --rules "$T/r"
	[ "$output" = "$before" ]
	rm -r "$T/cache"
	run "$CORDON" rules check "$T/r"
	[ "$(files rl)" -eq 0 ]
}

# build_id: of the copy of the sources in $T/top.
build_id()
{
	make -s -C "$T/top" BUILD="$T/b" GEN="$T/b" "$T/b/build_id.h"
	cat "$T/b/build_id.h"
}

@test "the keys have an id of the build in them, which every source of what is kept changes" {
	command -v make >/dev/null || skip "no make"
	mkdir "$T/top"
	cp -R "$TOP/Makefile" "$TOP/src" "$TOP/tests" "$TOP/tools" "$TOP/runtime" "$T/top/"
	local id first f
	first=$(build_id)
	[ "$(build_id)" = "$first" ]
	# Both places in which it is asked for have this one.
	id=$(sed 's/.*"\(.*\)"/\1/' <<<"$first")
	[ ${#id} -eq 32 ]
	grep -qaF "$id" "$CORDON" || { echo "$id is not in the program"; return 1; }
	grep -q 'CORDON_BUILD_ID' "$T/top/src/scan/find/pattern_db_cache.c"
	grep -q 'CORDON_BUILD_ID' "$T/top/src/rule/tree_cache.c"
	for f in src/scan/find/literal_plan.c src/scan/find/rate.def src/yaml/yaml.c src/base/cache_file.c; do
		echo >>"$T/top/$f"
		[ "$(build_id)" != "$first" ] || { echo "$f"; return 1; }
		first=$(build_id)
	done
	rm "$T/top/src/scan/find/literal_plan.h"
	[ "$(build_id)" != "$first" ]
	first=$(build_id)
	echo >>"$T/top/src/door/cli/main.c"
	[ "$(build_id)" = "$first" ]
}

@test "a cache that is a link or open to others is not used, and the note has a hint" {
	large_pack
	mkdir -p "$T/cache" "$T/other"
	ln -s "$T/other" "$T/cache/cordon"
	scan 1 --json "$T/x.txt"
	holds '"a link, or not a directory" in r["notes"][0]["message"] and "move it away" in r["notes"][0]["message"]'
	[ -z "$(ls "$T/other")" ]
	run -0 --separate-stderr "$CORDON" rules stats --rules "$T/r"
	[[ $stderr == *'the cache is not used'*'move it away'* ]]
	[ -z "$(ls "$T/other")" ]
	rm "$T/cache/cordon"
	mkdir "$T/cache/cordon"
	chmod 777 "$T/cache/cordon"
	scan 1 --json "$T/x.txt"
	holds '"chmod 700" in r["notes"][0]["message"]'
	[ "$(files db)" -eq 0 ]
	chmod 755 "$T/cache/cordon"
	scan 1 --json "$T/x.txt"
	holds 'not any("cache" in n["message"] for n in r["notes"])'
	[ "$(files db)" -eq 1 ]
}

@test "a cache that belongs to another account is not used" {
	need_root
	large_pack
	mkdir -p "$T/cache/cordon"
	chown "$TEST_UID" "$T/cache/cordon"
	scan 1 --json "$T/x.txt"
	holds "'its owner is $TEST_UID' in r['notes'][0]['message']"
}

# forge FROM TO: the database FROM under the name and the key of TO, as a program that can write the cache
# could make it. The key comes after a mark of 8 and a code of 24 bytes.
forge()
{
	/usr/bin/python3 -I - "$1" "$2" <<-'PY'
		import os, sys
		source, target = sys.argv[1:]
		data, there = bytearray(open(source, "rb").read()), open(target, "rb").read()
		assert data[:8] == there[:8] and data[32:64] != there[32:64]
		data[32:64] = there[32:64]
		os.unlink(target)
		open(target, "wb").write(data)
	PY
}

@test "a database of other rules under the name of these, or of another account, changes no verdict" {
	local state good blind
	large_pack
	scan 1 "$T/x.txt"
	good=$(echo "$T"/cache/cordon/*.db)
	for state in "$T/state" "$T/other"; do
		large_pack blind
		XDG_STATE_HOME=$state scan 0 "$T/x.txt"
		blind=$(find "$T/cache/cordon" -name '*.db' ! -path "$good")
		forge "$blind" "$good"
		rm -f "$blind" "$T"/cache/cordon/*.wm
		large_pack
		scan 1 "$T/x.txt"
	done
	[ "$(stat -c %a "$T/state/cordon/cache.key")" = 600 ]
}

@test "without a state directory for its key the cache is not used, and a note says so" {
	large_pack
	mkdir "$T/open"
	chmod 777 "$T/open"
	XDG_STATE_HOME=$T/open scan 1 --json "$T/x.txt"
	holds 'any("cache is not used" in n["message"] for n in r["notes"])'
	[ "$(files db)" -eq 0 ]
}
