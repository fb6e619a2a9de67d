# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154
# What the tests of plans have in common: to ask for a token, for one program or for many.

# plan WAY ARG...: a token in $token, if there is one.
plan()
{
	local way=$1
	shift
	gate "$way" plan --domain "$D" "$@"
	token=$(cat "$T/out")
}

# is_no_plan WORDS: it was decided on as if there were no token, and says why.
is_no_plan()
{
	holds "r['origin'] != 'plan' and any(x.startswith('no plan: ') and '$1' in x for x in r['reasons'])"
}

# rows STATUS SUFFIX: each line of standard input is a program ("\n" ends its lines).
rows()
{
	local line
	while IFS= read -r line; do
		printf '%b' "$line" >"$T/row.$2"
		plan "$WAY" --ask read,write "row.$2"
		[ "$status" -eq "$1" ] || { echo "not $1: $line"; show; }
		[ "$1" -eq 0 ] || err_has 'code that may make code of its inputs is no plan'
	done
}
