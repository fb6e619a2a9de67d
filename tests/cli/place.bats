#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Code that is a file of the workspace runs in place: it finds what lies beside it, and what runs is
# byte for byte what was scanned.
load helper
load workspace

placed() {
	mkdir "$W/pkg" "$W/lib"
	printf 'exports.word = "module"\n' >"$W/lib/index.js"
	printf 'console.log(require("./lib").word, __dirname)\n' >"$W/main.js"
	printf 'word = "helper"\n' >"$W/pkg/helper.py"
	printf 'import helper\nprint(helper.word, __file__)\n' >"$W/pkg/main.py"
	# shellcheck disable=SC2016
	printf 'cd "$(dirname "$0")" && pwd && cat helper.py\n' >"$W/pkg/main.sh"
	printf '#!/usr/bin/env -S python3 -u\nprint(__file__)\n' >"$W/tool"
	cd "$W" || return 1
	box "$1" --workspace . main.js
	out_is "module $W"
	box "$1" --workspace "$W:ro" pkg/main.py
	out_is "helper $W/pkg/main.py"
	box "$1" --workspace . "$W/pkg/main.sh"
	out_is "$W/pkg"$'\nword = "helper"'
	box "$1" --workspace . tool
	out_is "$W/tool"
	cd "$T" || return 1
	ln -s "$W/main.js" entry.js
	box "$1" --workspace "$W" entry.js
	out_is "module $W"
	rm entry.js
}
@test "modules, __file__, __dirname, dirname \$0, a shebang" { every_owner placed; }

sealed() {
	# shellcheck disable=SC2016
	printf 'echo mine >>"$0" || echo sealed\n' >"$W/x.sh"
	box "$1" --json --diff --workspace "$W" "$W/x.sh"
	exits 0
	holds 'r["stdout"] == "sealed\n"' 'r["changes"] == []'
	box "$1" --workspace "$W:ro" "$W/x.sh"
	out_is sealed
	rm "$W/x.sh"
	untouched
}
@test "the program cannot change what it runs" { every_owner sealed; }

@test "the bytes that were read run, whatever the file is by then" {
	dir user
	mkfifo "$W/in"
	# shellcheck disable=SC2016
	printf 'echo begun; cat; cat "$0"\n' >"$W/x.sh"
	chown -R "$(stat -c %u "$W")" "$W/x.sh" "$W/in" 2>/dev/null || true
	as user timeout 60 "$CORDON" run --user --tier no-cgroup --stdin - --workspace "$W:ro" "$W/x.sh" \
		<"$W/in" >"$T/out" 2>"$T/err" &
	exec 9>"$W/in"
	local i
	for i in $(seq 400); do
		[ ! -s "$T/out" ] || break
		sleep 0.05
	done
	printf 'echo other; cat; cat "$0"\n' >"$W/x.sh"
	exec 9>&-
	wait $! || true
	# shellcheck disable=SC2016
	out_is $'begun\necho begun; cat; cat "$0"'
}

@test "a file that pending changes have removed is not run" {
	dir user
	local c
	c=$(as user "$CORDON" conversation new)
	printf 'rm sub/kept x.sh\n' >"$W/rm.sh"
	printf 'echo ran\n' >"$W/x.sh"
	box user:no-cgroup --conversation "$c" --workspace "$W" "$W/rm.sh"
	exits 0
	box user:no-cgroup --conversation "$c" --workspace "$W" "$W/x.sh"
	exits 125
	out_is ''
	err_has 'removed or replaced'
}

@test "a file without a suffix and without a first line is not guessed" {
	printf 'print(1)\n' >"$T/x"
	box user:no-cgroup "$T/x"
	exits 125
	err_has 'cannot tell the language'
}
