#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The commands in README.md are run as they stand there, block by block, each twice, in a directory
# that looks like the checkout. Blocks that build or install (make, sudo, git) are only looked
# at: make and this test would call each other.
load helper

# blocks FILE: writes each ```sh block to $T/block-N.
blocks()
{
	awk -v dir="$T" '
		/^```sh[ \t]*$/ { n++; on = 1; next }
		/^```/ { on = 0 }
		on { sub(/^\$ /, ""); print > (dir "/block-" n) }' "$1"
}

@test "README.md has commands, and they work" {
	[ -e "$TOP/README.md" ] || skip "no README.md yet"
	need_root # what it shows is the default tier
	blocks "$TOP/README.md"
	local n pass
	mkdir "$T/checkout"
	own_programs
	ln -s ../bin "$T/checkout/build"
	cp -R "$TOP/rules" "$T/rules"
	ln -s ../rules "$T/checkout/rules"
	mkdir -p "$T/tools" "$T/src/rule" # by which the program knows its own tree
	touch "$T/tools/layers" "$T/src/rule/rule.h"
	export XDG_DATA_HOME=$T/data
	cd "$T/checkout"
	for n in $(seq 1 50); do
		[ -e "$T/block-$n" ] || break
		! grep -Eq '^(sudo |make|git |apt)' "$T/block-$n" || continue
		for pass in first second; do
			status=0
			timeout 120 bash -euo pipefail "$T/block-$n" </dev/null >"$T/out" 2>"$T/err" || status=$?
			[ "$status" -eq 0 ] || { echo "$pass pass:"; cat "$T/block-$n"; show; }
		done
	done
	[ "$n" -gt 1 ] || { echo "no sh block in README.md"; return 1; }
}

# In the order in which they stand there, each with what was left by those before it.
@test "docs/START.md: every block works, in the shell and in Python" {
	need_root
	local n=0 kind
	mkdir "$T/start" "$T/path"
	ln -s "$CORDON" "$T/path/cordon"
	export PATH="$T/path:$PATH" PYTHONPATH="$TOP/clients/python" PYTHONDONTWRITEBYTECODE=1
	awk -v dir="$T" '
		/^```(sh|python)$/ { n++; on = substr($0, 4); next }
		/^```/ { on = "" }
		on { print > (dir "/start-" n "." on) }' "$TOP/docs/START.md"
	cd "$T/start"
	while :; do
		n=$((n + 1)) status=0
		kind=$(cd "$T" && compgen -G "start-$n.*") || break
		case $kind in
		*.sh) timeout 120 bash -euo pipefail "$T/$kind" </dev/null >"$T/out" 2>"$T/err" || status=$? ;;
		*) timeout 120 /usr/bin/python3 "$T/$kind" </dev/null >"$T/out" 2>"$T/err" || status=$? ;;
		esac
		[ "$status" -eq 0 ] || { cat "$T/$kind"; show; }
		cat "$T/out" >>"$T/all"
	done
	[ "$n" -gt 7 ]
	local line
	for line in 45 "exposed derived ['https://example.org/report']" "[('net', 'withheld')]" "['report.txt']" \
		"['withheld']"; do
		grep -qxF -- "$line" "$T/all" || { echo "no $line"; cat "$T/all"; return 1; }
	done
	diff <(awk '/^```python$/ { on = 1; next } /^```/ { on = 0 } on' "$TOP/README.md") - <<-'END'
		import cordon
		print(cordon.run("print(6 * 7)").text)
	END
	[ "$(awk '/^```python$/ { on = 1; next } /^```/ { on = 0 } on' "$TOP/README.md" | /usr/bin/python3)" = 42 ]
}

@test "make targets that README.md names exist" {
	[ -e "$TOP/README.md" ] || skip "no README.md yet"
	local t
	for t in $(grep -oE '(^|`)(sudo )?make [a-z-]+' "$TOP/README.md" | awk '{print $NF}' | sort -u); do
		make -C "$TOP" -n "$t" >/dev/null 2>"$T/err" || { cat "$T/err"; return 1; }
	done
}

@test "links in the documents lead somewhere" {
	local f link
	for f in "$TOP"/README.md "$TOP"/docs/*.md; do
		[ -e "$f" ] || continue
		for link in $(grep -oE '\]\([^)#]+' "$f" | cut -c3- | grep -v '://'); do
			[ -e "$(dirname "$f")/$link" ] || { echo "$f: $link"; return 1; }
		done
	done
}
