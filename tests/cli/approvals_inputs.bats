#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# People agree to what runs, and that is more than the code: what it imports from its workspace or
# virtual environment, the programs it starts, what it reads. Each is changed behind an approval's
# back, and must ask again; put back, it is what they agreed to.
load helper
load inputs

show_request()
{
	status=0
	as "${WAY%%:*}" "$CORDON" approvals show "$@" >"$T/out" 2>"$T/err" || status=$?
	exits 0
}

# says_changed TEXT: shown as what changed; a line that is too long goes on behind "..".
says_changed()
{
	sed -z 's/\n *\.\. //g' "$T/out" | grep -F "what changed: " | grep -qF -- "$1" || { echo "not changed: $1"; cat "$T/out"; false; }
}

# bound FILE NAME ARG...: what people agree to with ARG... holds until FILE has another content, and
# the question that follows names NAME.
bound()
{
	local file=$1 name=$2 first
	shift 2
	submit "$@"
	parked
	first=$ID
	approve "$ID" program
	submit "$@"
	exits 0
	holds 'r["stdout"] == "1\n"' "r['approval_id'] == '$first'"
	cp -p "$file" "$T/before"
	printf '# \n' >>"$file"
	submit "$@"
	parked
	[ "$ID" != "$first" ]
	show_request "$ID"
	out_has "what is new against $first"
	out_has "the code is the same"
	says_changed "$name"
	cp -p "$T/before" "$file"
	submit "$@"
	exits 0
	holds "r['approval_id'] == '$first'"
}

@test "an approval covers modules imported from the workspace" {
	need_root
	asks user:no-cgroup
	bound "$W/helper.py" "workspace $W" --workspace "$W:ro"
	show_request "$ID" --json
	holds "r['inputs'][0]['name'] == 'workspace $W'" 'r["inputs"][0]["entries"] == 1' \
		'r["inputs"][0]["bytes"] == 13' 'len(r["inputs"][0]["sha256"]) == 64'
}

@test "an approval names the directories that are written to, and covers what is in them" {
	need_root
	asks user:no-cgroup
	mkdir -p "$T/as-user/more"
	printf 'value = 1\n' >"$T/as-user/more/helper.py"
	chown -R "$TEST_UID:$TEST_UID" "$T/as-user/more"
	printf 'grants:\n  - {directory: %s, write: [.]}\n' "$T/as-user/more" >>"$T/asks.yaml"
	bound "$T/as-user/more/helper.py" "read-write directory $T/as-user/more" --workspace "$W:ro" --rw "$T/as-user/more"
	holds "r['effects'][0]['object'] == '$T/as-user/more' and r['effects'][0]['by'].startswith('policy:')"
	show_request "$ID" --json
	holds "'read-write directory $T/as-user/more' in [i['name'] for i in r['inputs']]" \
		"'change and delete files of $T/as-user/more' in r['could']" 'r["wants"] == ["write"]'
	# Read-only, and a directory with other content in its place, are other questions.
	submit --workspace "$W:ro" --ro "$T/as-user/more"
	parked
	mv "$T/as-user/more" "$T/as-user/old"
	cp -a "$T/as-user/old" "$T/as-user/more"
	printf '#\n' >>"$T/as-user/more/helper.py"
	submit --workspace "$W:ro" --rw "$T/as-user/more"
	parked
}

# bats test_tags=long
@test "an approval covers modules imported from the virtual environment" {
	need_root
	asks user:no-cgroup
	/usr/bin/python3 -m venv --without-pip "$T/v"
	cp "$W/helper.py" "$T"/v/lib/python3*/site-packages/
	bound "$(echo "$T"/v/lib/python3*/site-packages/helper.py)" "virtual environment $T/v" \
		--venv "$T/v"
}

# An interpreter that is not the system's comes with a library that anybody may write.
own_library()
{
	local first
	asks "$1"
	rm -rf "$T/v" "$T/own"
	mkdir -p "$T/own/bin" "$T/own/lib" "$T/v/bin"
	cp "$(realpath /usr/bin/python3)" "$T/own/bin/python3"
	ln -s "$T/own/bin/python3" "$T/v/bin/python"
	ln -s python "$T/v/bin/python3"
	submit --venv "$T/v"
	parked
	first=$ID
	show_request "$ID" --json
	holds "[i['name'] for i in r['inputs']] == ['virtual environment $T/v', 'library $T/own']"
	echo 'more = 1' >"$T/own/lib/os.py"
	submit --venv "$T/v"
	parked
	[ "$ID" != "$first" ]
}
@test "a library beside another interpreter" {
	every own_library
}

@test "an approval covers the program of --exec" {
	need_root
	asks user:no-cgroup
	printf '#!/bin/sh\necho 1\n' >"$T/program"
	chmod 755 "$T/program"
	bound "$T/program" "program $T/program" --exec "$T/program" --workspace "$W:ro"
}

@test "an approval covers the file of --stdin" {
	need_root
	asks user:no-cgroup
	echo data >"$T/data"
	bound "$T/data" "standard input" --stdin "$T/data" --workspace "$W:ro"
}

# Each of them is another question, and the first is still there.
other_questions()
{
	local first
	rm -rf "$T/work"
	asks "$1"
	submit --workspace "$W:ro"
	parked
	first=$ID
	submit --workspace "$W:ro"
	parked
	[ "$ID" = "$first" ]
	ln -s /etc/passwd "$W/link"
	submit --workspace "$W:ro"
	parked
	[ "$ID" != "$first" ]
	rm "$W/link"
	mkfifo "$W/fifo"
	submit --workspace "$W:ro"
	parked
	[ "$ID" != "$first" ]
	rm "$W/fifo"
	cp -r "$W" "$T/copy"
	submit --workspace "$T/copy:ro"
	parked
	[ "$ID" != "$first" ]
	rm -r "$T/copy"
	submit --workspace "$W:ro"
	parked
	[ "$ID" = "$first" ]
}
@test "a link, a FIFO or another path of the same workspace makes another request" {
	every other_questions
}

# A run with inputs above the limits makes no request. If no person is asked, nothing is hashed.
too_much()
{
	rm -rf "$T/work"
	asks "$1"
	(cd "$W" && seq 9999 | xargs touch)
	submit --workspace "$W:ro"
	parked
	touch "$W/one-more"
	submit --workspace "$W:ro"
	exits 126
	holds 'r["status"] == "refused"' "'workspace cannot be approved: $W' in r['error']['message']" \
		'"more than 10000 files" in r["error"]["cause"]' '"smaller --workspace" in r["error"]["cure"]'
	rm "$W/one-more" "$W/9999"
	truncate -s 256M "$W/9998"
	submit --workspace "$W:ro"
	exits 126
	holds '"more than 268435456 bytes" in r["error"]["cause"]'
	truncate -s 1T "$W/9998"
	box "$1" --json --workspace "$W:ro" "$T/askme.py"
	exits 0
}
# bats test_tags=long
@test "a workspace that is too large cannot be approved, and is not read where no approval is needed" {
	every too_much
}

unreadable()
{
	asks "$1"
	printf 'x' >"$W/closed"
	chmod 000 "$W/closed"
	! is_root || chown 0 "$W/closed"
	submit --workspace "$W:ro"
	exits 126
	holds '"closed in it cannot be read: Permission denied" in r["error"]["cause"]' 'r["error"]["cure"]'
}
@test "a workspace with an unreadable file cannot be approved" {
	unreadable user:no-cgroup
}

# People see what it is given, and what is new in that.
is_shown()
{
	local first
	rm -rf "$T/work"
	asks "$1"
	/usr/bin/python3 -m venv --without-pip "$T/v"
	submit --workspace "$W:ro"
	parked
	show_request "$ID"
	out_has "it cannot   start any program"
	out_has "limits      time 30s, cpu-time without limit,"
	first=$ID
	submit --workspace "$W:ro" --exec /usr/bin/env --venv "$T/v" --env WHERE=here --memory 300M
	parked
	[ "$ID" != "$first" ]
	show_request "$ID"
	out_has "it could    start the program /usr/bin/env"
	out_has "load code of the virtual environment $T/v"
	out_has "environment WHERE=here"
	out_has "programs    /usr/bin/env"
	out_has "virtualenv  $T/v"
	out_has "tier        ${1#*:}: "
	grep -qF 'memory 300M' "$T/out"
	run ! grep -qF 'start any program' "$T/out"
	show_request "$ID" --json
	holds 'r["exec"] == ["/usr/bin/env"]' "r['venv'] == '$T/v'" '"memory 300M" in r["limits"]' \
		'"cpu without limit" in r["limits"]' "r['tier'] == '${1#*:}'" 'r["workspace_mode"] == "ro"' \
		'"start the program /usr/bin/env" in r["could"]' 'r["env"] == ["WHERE=here"]'
}
@test "programs, virtual environment, variables and limits are shown" {
	every is_shown
}

@test "approvals show prints the difference in the inputs" {
	need_root
	asks user:no-cgroup
	submit --workspace "$W:ro" --env A=1
	parked
	approve "$ID" program
	submit --workspace "$W:ro" --env A=2 --exec /usr/bin/env --memory 300M
	parked
	show_request "$ID"
	says_changed "the environment; the input files (program /usr/bin/env)"
}

# waiting: the one question that waits is $ID, and is not $1.
waiting()
{
	for _ in $(seq 400); do
		ID=$(as "${WAY%%:*}" "$CORDON" approvals list | grep -oE '^[0-9a-f]{32}  pending' || true)
		ID=${ID%% *}
		[ -z "$ID" ] || [ "$ID" = "$1" ] || return 0
		sleep 0.05
	done
	false
}

@test "--wait: if another run uses the approval, the run waits for a new one" {
	need_root
	asks user:no-cgroup
	local one two first
	reads
	for n in one two; do
		as user timeout 60 "$CORDON" run --json --conversation "$C" --wait --tier no-cgroup --policy "$T/asks.yaml" \
			--workspace "$W:ro" "$T/askme.py" >"$T/$n" 2>"$T/err" </dev/null &
		printf -v "$n" %s $!
	done
	waiting ''
	first=$ID
	approve "$ID" once
	waiting "$first"
	as user "$CORDON" approvals deny "$ID" --reason 'once was enough'
	status=0
	wait "$one" || status=$?
	local other=0
	wait "$two" || other=$?
	[ $((status + other)) -eq 126 ] || { echo "$status $other"; cat "$T/one" "$T/two"; false; }
	grep -qF 'once was enough' "$T/one" "$T/two"
}

# questions: how many there are.
questions() { as user "$CORDON" approvals list --json | /usr/bin/python3 -c 'import json, sys; print(len(json.load(sys.stdin)))'; }

@test "a run that cannot start makes no request and uses up no approval" {
	need_root
	asks user:no-cgroup
	submit --exec "$T/nothing"
	exits 125
	submit --venv "$W"
	exits 125
	holds '"not a virtualenv" in r["error"]["message"]'
	submit --disk 600M
	exits 125
	[ "$(questions)" -eq 0 ]
	submit --workspace "$W:ro"
	parked
	approve "$ID" once
	mv "$W" "$W.away"
	submit --workspace "$W:ro"
	exits 125
	mv "$W.away" "$W"
	submit --workspace "$W:ro"
	exits 0
	holds "r['approval_id'] == '$ID'"
}

@test "a run that gets no box uses up its approval, and its error says so" {
	need_root
	asks user:full # an ordinary user has no cgroup
	submit --workspace "$W:ro"
	parked
	local first=$ID
	approve "$ID" once
	submit --workspace "$W:ro"
	exits 125
	holds 'r["error"]["layer"]' "'the approval $first was for one run and is used up' in r['error']['cure']"
	submit --workspace "$W:ro"
	parked
	[ "$ID" != "$first" ]
}
