# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# A program that everything asks about, for the tests of what it is given beside its code.
load person

# asks WAY: code that was read in an untrusted page asks.
asks()
{
	WAY=$1
	W=$T/work
	mkdir -p "$W"
	printf 'value = 1\n' >"$W/helper.py"
	printf 'import helper\nprint(helper.value)\n' >"$T/askme.py"
	printf 'version: 2\nprofile: strict\nexposed: {tier: no-cgroup}\n' >"$T/asks.yaml"
	C=$(as "${WAY%%:*}" "$CORDON" conversation new)
	rm -f "$T/read"
}

# reads: askme.py as it is now stands in a page that the conversation has read.
reads()
{
	cmp -s "$T/askme.py" "$T/read" ||
		as "${WAY%%:*}" "$CORDON" ingest --conversation "$C" --kind web --name page --rules "$HARMLESS" "$T/askme.py"
	cp "$T/askme.py" "$T/read"
}

# submit ARG...: askme.py, with the policy that asks.
submit()
{
	status=0
	reads
	as "${WAY%%:*}" timeout 60 "$CORDON" run --json --conversation "$C" --tier "${WAY#*:}" --policy "$T/asks.yaml" "$@" \
		"$T/askme.py" <"$IN" >"$T/out" 2>"$T/err" || status=$?
}

# parked: it waits as $ID.
parked()
{
	exits 75
	ID=$(member 'r["approval_id"]')
}
