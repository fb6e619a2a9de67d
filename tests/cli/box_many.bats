#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Many programs in one live box, many boxes, and many commands at once: none is lost, and nothing is left of them.
load helper
load workspace
load live_box

# held PID: descriptors of the keeper and its boxes, and their processes by name.
held()
{
	local pid
	for pid in "$1" $(below "$1"); do
		echo "$(cat "/proc/$pid/comm") $(find "/proc/$pid/fd" -mindepth 1 | wc -l)"
	done
}

many_starts()
{
	local keeper before count=150 state=$T/state/cordon
	[[ -z ${TEST_MORE:-} || $1 != user:* ]] || count=5000 # and as many that are not recorded
	[ "${1%%:*}" = root ] || state=$T/as-user/state/cordon
	made "$1"
	as "${1%%:*}" "$(dirname "$CORDON")/live-starts" "$state" work "$W" 10 >"$T/out"
	keeper=$(keeper_of "${1%%:*}")
	before=$(held "$keeper")
	as "${1%%:*}" "$(dirname "$CORDON")/live-starts" "$state" work "$W" $count >"$T/out"
	diff <(echo "$before") <(held "$keeper")
	live "$1" list --json
	holds "r['boxes'][0]['running'] == 0"
	all=$(below "$keeper")
	live "$1" stop work
	exits 0
	gone $all
}
# bats test_tags=long
@test "the programs of one box leave no process and no descriptor" { every_owner many_starts; }

many_boxes()
{
	local keeper before i count=12
	[ -z "${TEST_MORE:-}" ] || count=334
	made "$1"
	keeper=$(keeper_of "${1%%:*}")
	before=$(held "$keeper")
	for ((i = 0; i < count; i++)); do
		live "$1" create "n$i" --workspace "$W:ro"
		exits 0
		live "$1" exec "n$i" -- echo "$i"
		out_is "$i"
		live "$1" stop "n$i"
		exits 0
	done
	for ((i = 0; i < 50; i++)); do # what has ended is noticed a little later
		[ "$(held "$keeper")" != "$before" ] || break
		sleep 0.1
	done
	diff <(echo "$before") <(held "$keeper")
	live "$1" stop work
}
# bats test_tags=long
@test "boxes that ended leave no process and no descriptor" { every_owner many_boxes; }

# Each command gets its answer, or is told that it has to wait.
burst()
{
	local i status count=500 served=0 told=0
	made "$1" --pids 2000
	mkdir "$T/burst"
	chmod 777 "$T/burst"
	for ((i = 0; i < count; i++)); do
		(
			cd "$W" || exit
			status=0
			as "${1%%:*}" timeout 120 "$CORDON" box exec work --user -- echo "$i" </dev/null >"$T/burst/$i.out" 2>"$T/burst/$i.err" || status=$?
			echo $status >"$T/burst/$i"
		) &
	done
	wait
	for ((i = 0; i < count; i++)); do
		status=$(cat "$T/burst/$i")
		if [ "$status" -eq 0 ] && [ "$(cat "$T/burst/$i.out")" = "$i" ]; then
			served=$((served + 1))
		elif [ "$status" -eq 125 ] && grep -q 'try again when' "$T/burst/$i.err" && [ ! -s "$T/burst/$i.out" ]; then
			told=$((told + 1))
		else
			echo "$i: status $status"
			cat "$T/burst/$i.err"
			return 1
		fi
	done
	echo "# $served served, $told told to wait" >&3
	[ $served -gt 0 ]
	live "$1" exec work -- echo after
	out_is after
	live "$1" stop work
	rm -r "$T/burst"
}
# bats test_tags=long
@test "500 commands at once: each is served or told to wait" { every_owner burst; }
