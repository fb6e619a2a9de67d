# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# A program that everything asks about, for the tests of what it is given beside its code.
load person

# asks WAY: everything asks, and a yes is good for more than one run.
asks()
{
	WAY=$1
	W=$T/work
	mkdir -p "$W"
	printf 'value = 1\n' >"$W/helper.py"
	printf 'import helper\nprint(helper.value)\n' >"$T/askme.py"
	printf 'version: 1\nrules: [{id: all, when: {caps: compute}, then: ask}]\napproval: {scope: hash}\n' \
		>"$T/asks.yaml"
}

# submit ARG...: askme.py, with the policy that asks.
submit()
{
	status=0
	as "${WAY%%:*}" timeout 60 "$CORDON" run --json --tier "${WAY#*:}" --policy "$T/asks.yaml" "$@" \
		"$T/askme.py" <"$IN" >"$T/out" 2>"$T/err" || status=$?
}

said() { /usr/bin/python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$T/out" "$1"; }

# parked: it waits as $ID.
parked()
{
	exits 75
	ID=$(said approval_id)
}
