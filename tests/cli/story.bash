# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# What the tests of the story share: an agent reads a table whose header holds instructions, and the
# code that it then submits carries parts of them. Each step is one word.
load person

# gate WAY ARG...: cordon, with the way's user and state; its output in $T/out, and $status.
gate()
{
	local who=${1%%:*}
	WAY=$1
	shift
	status=0
	as "$who" timeout 60 "$CORDON" "$@" <"$IN" >"$T/out" 2>"$T/err" || status=$?
}

# submit WAY ARG...: a run in $D.
submit()
{
	local way=$1
	shift
	gate "$way" run --json --tier "${way#*:}" --domain "$D" "$@"
}

said() { /usr/bin/python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$T/out" "$1"; }

# talk WAY: a conversation that has read nothing, as $D.
talk()
{
	gate "$1" domain new
	exits 0
	D=$(cat "$T/out")
}

# begin WAY: a conversation, and a directory with the table in it.
begin()
{
	IN=/dev/null
	W=$T/w-${1%%:*}
	rm -rf "$W"
	mkdir "$W"
	cp "$TOP/tools/demo.d/planted.csv" "$W/"
	cp "$TOP"/tools/demo.d/{obeys,mean}.py "$T/"
	! is_root || [ "${1%%:*}" = root ] || chown -R "$TEST_UID" "$W"
	talk "$1"
}

reads_table()
{
	gate "$1" ingest --domain "$D" --kind file --name planted.csv "$W/planted.csv"
	exits 0
}

is_parked()
{
	exits 75
	holds 'r["status"] == "pending" and r["verdict"] == "ask" and r["origin"] == "derived"' \
		'any(e["name"] == "planted.csv" for e in r["evidence"])' 'r["approval_id"]'
}

# agreed WAY ARG...: a run that is asked about; a person agrees, and it runs.
agreed()
{
	submit "$@"
	exits 75
	approve "$(said approval_id)"
	submit "$@"
	exits 0
}
