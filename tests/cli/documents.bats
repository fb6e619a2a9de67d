#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Every command in every document works, and prints what the document shows. tests/cli/document says which blocks
# are commands. Each document has a home, a state and a directory of its own.
load helper

needs() { need_etc; }

# run_document FILE: in $T/NAME.
run_document()
{
	local name
	name=$(basename "$1" .md)
	(
		export HOME=$T/$name BLOCK=$T/$name.block PATH="$T/path:/usr/bin:$PATH"
		export PYTHONPATH="$TOP/clients/python" PYTHONDONTWRITEBYTECODE=1 XDG_STATE_HOME=$HOME/state
		export CPATH="$TOP/include" LIBRARY_PATH="$T/path" LD_LIBRARY_PATH="$T/path" CORDON_BINARY="$T/path/cordon"
		unset XDG_CONFIG_HOME XDG_DATA_HOME
		[ -z "${OWN_ETC:-}" ] || find /etc/cordon -mindepth 1 -delete
		seed_state "$(id -u)" "$XDG_STATE_HOME"
		mkdir -p "$HOME"
		cd "$HOME" && timeout 300 "$TOP/tests/cli/document" "$1"
	)
}

# run_documents GLOB: all of them, also if one fails.
run_documents()
{
	local file failed=0
	mkdir -p "$T/path"
	ln -sf "$CORDON" "$T/path/cordon"
	for file in libcordon.so libcordon.so.0; do ln -sf "$BUILD"/libcordon.so.0.* "$T/path/$file"; done
	for file in $1; do
		run_document "$file" || failed=1
	done
	[ $failed -eq 0 ]
}

@test "the README" { run_documents "$TOP/README.md"; }
# bats test_tags=long
@test "the tutorial" { run_documents "$TOP/docs/tutorial/*.md"; }
# bats test_tags=long
@test "the how-tos" { run_documents "$TOP/docs/how-to/*.md"; }
# bats test_tags=long
@test "the reference" { run_documents "$TOP/docs/reference/*.md"; }
# bats test_tags=long
@test "the explanation, the index and the client's page" {
	run_documents "$TOP/docs/explanation/*.md $TOP/docs/*.md $TOP/clients/python/README.md"
}

# bats test_tags=long
@test "make targets in the README exist" {
	local targets
	mapfile -t targets < <(grep -oE '(^|`)(sudo )?make [a-z-]+' "$TOP/README.md" | awk '{print $NF}' | sort -u)
	[ ${#targets[@]} -gt 3 ]
	make -C "$TOP" -n "${targets[@]}" >/dev/null 2>"$T/err" || { cat "$T/err"; return 1; }
}
