#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the host says of one run (--exposed, --user, a plan), and what follows for its conversation.
load helper

person() { script -qec "$CORDON $*" /dev/null <<<yes >"$T/tty"; }
run_in() { "$CORDON" run --tier no-cgroup --conversation "$C" "$@" "$T/job.py" 2>"$T/err"; }

begin()
{
	C=$("$CORDON" conversation new)
	mkdir "$T/app"
	echo 'open("out.txt", "w").write("changed\n")' >"$T/job.py"
	person trust "$T/app"
}

@test "--exposed exposes the conversation for good" {
	begin
	run_in --exposed
	"$CORDON" conversation show "$C" >"$T/out"
	grep -q 'exposed since .* by the host says so' "$T/out" || { cat "$T/out"; return 1; }
	run_in --workspace "$T/app" --apply
	[ ! -e "$T/app/out.txt" ]
	grep -q 'waits: write out.txt' "$T/err"
}

@test "--exposed holds for code that is typed at a terminal, too" {
	begin
	script -qec "$CORDON run --exposed --json --tier no-cgroup --conversation $C $T/job.py" /dev/null </dev/null >"$T/out"
	grep -q '"origin":"exposed"' "$T/out" || { cat "$T/out"; return 1; }
}

@test "--user does not apply the changes of exposed code" {
	begin
	run_in --exposed --workspace "$T/app"
	run_in --user --workspace "$T/app" --apply
	[ ! -e "$T/app/out.txt" ]
	grep -q 'waits: write out.txt' "$T/err"
}

# The module that it imports may be the one that exposed code has written.
@test "--user sees pending changes of exposed code as exposed code" {
	begin
	printf 'version: 2\nnet: {allow: ["listed.test:443"]}\n' >"$T/p.yaml"
	user_state()
	{
		run_in --user --json --policy "$T/p.yaml" --net listed.test:443 --workspace "$T/app" >"$T/out"
		grep -q "\"state\":\"$1\"" "$T/out" && grep -q "\"outcome\":\"$2\"" "$T/out" || { cat "$T/out"; return 1; }
	}
	echo 'print(1)' >"$T/job.py"
	run_in --exposed
	user_state clean policy
	echo 'open("module.py", "w").write("changed\n")' >"$T/job.py"
	run_in --workspace "$T/app"
	user_state exposed waits
	grep -q '"cause":"pending changes of exposed code"' "$T/out"
	"$CORDON" reset --conversation "$C" "$T/app"
	user_state clean policy
}

@test "a plan gives what clean code may have, and no more" {
	begin
	printf 'version: 2\nnet: {allow: ["listed.test:443"]}\n' >"$T/listed.yaml"
	printf 'version: 2\nprofile: strict\n' >"$T/strict.yaml"
	plan() { "$CORDON" plan --conversation "$C" --json "$@" "$T/job.py" >"$T/out" 2>"$T/err"; }
	plan --policy "$T/listed.yaml" --net listed.test:443
	grep -q '"net":\["listed.test:443"\]' "$T/out"
	run ! plan --policy "$T/listed.yaml" --net other.test:443
	run ! plan --policy "$T/strict.yaml" --workspace "$T/app:rw"
	plan --workspace "$T/app:rw"
	grep -q '"write":\["."\]' "$T/out"
	# Also where the directory is root's, and is written when the program has ended; not with pending changes.
	local ticket
	ticket=$(sed 's/.*"ticket":"\([0-9a-f]*\).*/\1/' "$T/out")
	run_in --exposed --workspace "$T/app"
	run_in --plan "$ticket" --workspace "$T/app:rw"
	[ ! -e "$T/app/out.txt" ]
	"$CORDON" reset --conversation "$C" "$T/app"
	run_in --plan "$ticket" --workspace "$T/app:rw"
	[ "$(cat "$T/app/out.txt")" = changed ]
}

@test "apply writes nothing where the directory has changed since" {
	begin
	run_in --workspace "$T/app"
	echo mine >"$T/app/out.txt"
	run ! "$CORDON" apply --conversation "$C" "$T/app"
	[ "$(cat "$T/app/out.txt")" = mine ]
	"$CORDON" reset --conversation "$C" "$T/app"
	run_in --workspace "$T/app" --apply
	[ "$(cat "$T/app/out.txt")" = changed ]
}

@test "a grant bounds what a run may send" {
	begin
	person grant --conversation "$C" --net listed.test:443 --sent 4096
	run_in --net listed.test:443
	"$CORDON" audit export >"$T/out"
	grep '"kind":"start"' "$T/out" | tail -n 1 | grep -q '"name":"net-out","value":4096}' || { cat "$T/out"; return 1; }
}

@test "a network that net.deny names is withheld from a grant of an address in it" {
	begin
	printf 'version: 2\nnet: {deny: ["127.0.0.0/8"]}\n' >"$T/p.yaml"
	person grant --conversation "$C" --net 127.0.0.1:18443
	"$CORDON" run --tier no-cgroup --policy "$T/p.yaml" --conversation "$C" --net 127.0.0.1:18443 --json \
		"$T/job.py" >"$T/out"
	grep -q '"object":"127.0.0.1:18443","outcome":"withheld"' "$T/out"
}

# bats test_tags=long
@test "no grant names the unspecified address, which is this host" {
	begin
	run -2 person grant --conversation "$C" --net 0.0.0.0:443
	run -2 person grant --conversation "$C" --net "[::]:443"
}

@test "exposed: {net: deny} withholds what a grant gives, and names no command" {
	begin
	printf 'version: 2\nexposed: {net: deny}\n' >"$T/p.yaml"
	"$CORDON" ingest --conversation "$C" --kind web --name https://page.example/ - <<<"a page"
	person grant --conversation "$C" --net listed.test:443
	"$CORDON" run --tier no-cgroup --policy "$T/p.yaml" --conversation "$C" --net listed.test:443 --json "$T/job.py" >"$T/out"
	grep -q '"object":"listed.test:443","outcome":"withheld"' "$T/out"
	grep -q 'the policy denies it' "$T/out"
	if grep -q 'cordon grant' "$T/out"; then return 1; fi
}

@test "a grant that was only confirmed ends where the policy wants signatures" {
	begin
	"$CORDON" ingest --conversation "$C" --kind web --name https://page.example/ - <<<"a page"
	person grant --conversation "$C" --net listed.test:443
	run_in --net listed.test:443 --json >"$T/out"
	grep -q '"outcome":"ticket"' "$T/out"
	printf 'version: 2\nconfirmation: {write: no, net: no, secret: no}\n' >"$T/p.yaml"
	"$CORDON" run --tier no-cgroup --policy "$T/p.yaml" --conversation "$C" --net listed.test:443 --json "$T/job.py" >"$T/out"
	grep -q '"object":"listed.test:443","outcome":"withheld"' "$T/out"
}

@test "net.deny wins over net.allow and over a grant" {
	begin
	printf 'version: 2\nnet: {allow: ["*.listed.test:443"], deny: [bad.listed.test]}\n' >"$T/p.yaml"
	person grant --conversation "$C" --net bad.listed.test:443
	"$CORDON" run --tier no-cgroup --policy "$T/p.yaml" --conversation "$C" --net bad.listed.test:443 --json \
		"$T/job.py" >"$T/out"
	grep -q '"object":"bad.listed.test:443","outcome":"withheld"' "$T/out"
	"$CORDON" conversation show "$C" | grep -q clean
}
