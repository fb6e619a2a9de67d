#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The compiled database on disk: a second scan finds it and says the same; whatever is wrong with it,
# scanning works.
load helper
load scan

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

files() { find "$T/cache/cordon" -name '*.db' 2>/dev/null | wc -l; }

@test "the second scan finds the database and says the same" {
	large_pack
	scan 1 --json "$T/x.txt"
	sed 's/"ms":[0-9]*//' "$T/out" >"$T/first"
	[ "$(files)" -eq 1 ]
	[ "$(stat -c %a "$T/cache/cordon")" = 700 ]
	local before
	before=$(stat -c %Y.%i "$T"/cache/cordon/*.db)
	scan 1 --json "$T/x.txt"
	sed 's/"ms":[0-9]*//' "$T/out" | cmp - "$T/first"
	[ "$(stat -c %Y.%i "$T"/cache/cordon/*.db)" = "$before" ]
}

@test "small packs leave no file, other rules another one, and old ones go" {
	pack
	printf 'a moonstone word' >"$T/x.txt"
	scan 1 "$T/x.txt"
	[ "$(files)" -eq 0 ]
	local i
	for i in 1 2 3 4 5 6; do
		large_pack "word$i"
		scan 0 "$T/x.txt"
	done
	[ "$(files)" -eq 4 ]
}

@test "a broken file, a closed directory, no home: the scan is the same" {
	large_pack
	scan 1 "$T/x.txt"
	local f
	f=$(echo "$T"/cache/cordon/*.db)
	printf 'garbage' | dd of="$f" bs=1 seek=1000 conv=notrunc 2>/dev/null
	scan 1 "$T/x.txt"
	: >"$f"
	scan 1 "$T/x.txt"
	rm -r "$T/cache"
	printf x >"$T/cache" # no directory
	scan 1 "$T/x.txt"
	run -1 env -u HOME -u XDG_CACHE_HOME "$CORDON" scan --rules "$T/r" "$T/x.txt"
	run -1 env HOME="$T/home" XDG_CACHE_HOME=relative "$CORDON" scan --rules "$T/r" "$T/x.txt"
	[ ! -e relative ]
}

@test "a pack with a bad expression is told each time" {
	large_pack
	rule "$T/r/bad.yaml" ATR-2026-90001 high 'a(b'
	scan 1 "$T/x.txt"
	err_has 'are no regular expressions'
	scan 1 "$T/x.txt"
	err_has 'are no regular expressions'
}
