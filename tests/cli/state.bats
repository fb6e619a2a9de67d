#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The state directory, as root and as an ordinary account: a missing, damaged or full one, and
# one of another account, ends with a cause, a cure and nothing released.
load helper
load scan.bash
load gate.bash

# refuses STATUS WORDS: no bytes come out, and there is a sentence.
refuses()
{
	local expected=$1 words=$2
	rm -f "$T/$who/out"
	ingest "$who" "$expected" --kind web --name u --release "$T/$who/out" "$T/x"
	err_has "$words"
	[ ! -s "$T/$who/out" ] || { echo "bytes were released"; return 1; }
}

# The command that the last error names does help.
cured()
{
	local cure
	cure=$(grep -o 'chmod .*' "$T/err") || { show; return 1; }
	as "$who" bash -c "$cure"
	ingest "$who" 0 --kind web --name u "$T/x"
}

damaged() {
	local who=$1 state=$T/$1/cordon
	conversation "$who"
	printf 'x\n' >"$T/x"
	chmod 755 "$state"
	refuses 126 "not a directory that only you may enter"
	cured
	chmod 777 "$T/$who"
	refuses 126 "other users can replace it"
	cured
	cp -a "$state" "$T/$who/copy"
	head -c 20000 /dev/urandom >"$T/noise"
	rm "$state/log.db-"* # all of a young log is in there
	cat "$T/noise" >"$state/log.db"
	refuses 125 "log.db"
	err_has "try: "
	rm -rf "$state"
	cp -a "$T/$who/copy" "$state"
	rm "$state/log.db"*
	refuses 126 "the log is gone"
	rm -rf "$state"
	cp -a "$T/$who/copy" "$state"
	printf 'cordon-key-1 %064d\n' 0 >"$state/log.key"
	refuses 126 "is not the key of this log"
	rm -rf "$state"
	cp -a "$T/$who/copy" "$state"
	sql "$who" "DELETE FROM log WHERE seq = (SELECT max(seq) FROM log)"
	refuses 125 "the log is inconsistent"
	rm -rf "$state"
	ln -s "$T/$who/copy" "$state"
	refuses 126 "a link, or not a directory"
	rm "$state"
	cp -a "$T/$who/copy" "$state"
	ingest "$who" 0 --kind web --name u --release "$T/$who/out" "$T/x"
	cmp "$T/$who/out" "$T/x"
}
@test "a state that is damaged, foreign or open to others" { each damaged; }

@test "a full disk: nothing is released" {
	need_root
	gate_setup
	printf 'x\n' >"$T/x"
	cat >"$T/script" <<-'END'
		mount -t tmpfs -o size=4m,mode=700 none "$T/root"
		C=$("$CORDON" conversation new --state "$T/root/cordon")
		dd if=/dev/zero of="$T/root/fill" bs=4k 2>/dev/null || true
		# words that are all different take twice their room in the store
		seq 1 300000 | sed 's/.*/& and so on/' | tac | head -c 3000000 >"$T/x"
		"$CORDON" ingest --conversation "$C" --rules "$T/r" --kind web --name u --state "$T/root/cordon" \
			--release "$T/released" "$T/x" >"$T/out" 2>"$T/err" && rc=0 || rc=$?
		echo $rc >"$T/rc"
		rm "$T/root/fill"
		"$CORDON" audit verify --state "$T/root/cordon" >"$T/verified" 2>&1
	END
	export T CORDON
	unshare -m bash -eu "$T/script"
	status=$(cat "$T/rc")
	exits 125
	err_has "disk is full"
	err_has "try: "
	[ ! -s "$T/released" ]
	grep -q "the log is intact" "$T/verified"
}

@test "without HOME cordon refuses and names the missing state directory" {
	gate_setup
	status=0
	as user env -u HOME -u XDG_STATE_HOME timeout 60 "$CORDON" conversation new >"$T/out" 2>"$T/err" ||
		status=$?
	exits 125
	err_has "neither HOME nor XDG_STATE_HOME is set"
	err_has "try: set HOME"
}

@test "root leaves no file of its own in the directory of another user" {
	need_root
	gate_setup
	conversation user
	printf 'x\n' >"$T/x"
	chmod 600 "$T/x"
	gate root 0 ingest --conversation "$C" --kind web --name u --rules "$T/r" --state "$T/user/cordon" "$T/x"
	gate root 0 audit checkpoint --state "$T/user/cordon"
	gate root 0 audit verify --state "$T/user/cordon"
	[ -z "$(find "$T/user" ! -user "$TEST_UID")" ]
	gate user 0 conversation show "$C" --json
	holds 'r["sources"] == 1'
}
