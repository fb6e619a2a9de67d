# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the tests of cordon scan share: a small pack of made-up rules, and `scan STATUS ARG...`.

# rule FILE ID SEVERITY PATTERN [MATURITY]: one that looks for PATTERN in the content.
rule()
{
	mkdir -p "$(dirname "$1")"
	cat >"$1" <<-END
		id: $2
		title: "Title of $2"
		schema_version: "1.0"
		status: stable
		description: what it is about
		author: a
		date: 2026/01/01
		severity: $3
		maturity: ${5:-stable}
		tags: {category: model-abuse, confidence: high, scan_target: both}
		agent_source: {type: llm_io}
		response: {actions: [alert, block_input]}
		detection:
		  condition: any
		  conditions:
		    - {field: content, operator: regex, value: '$4'}
		test_cases:
		  true_positives:
		    - input: "some moonstone word"
		  true_negatives:
		    - input: "a plain word"
	END
}

# The pack: $T/r with three rules.
pack()
{
	rule "$T/r/a.yaml" ATR-2026-90001 critical 'moonstone\s+word'
	rule "$T/r/b.yaml" ATR-2026-90002 medium 'sunstone' test
	rule "$T/r/c.yaml" ATR-2026-90003 low 'pebble' experimental
}

# scan STATUS ARG...: cordon scan with that pack exits with STATUS.
scan()
{
	local expected=$1
	shift
	status=0
	XDG_DATA_HOME=$T/data timeout 120 "$CORDON" scan --rules "$T/r" "$@" <"$IN" >"$T/out" 2>"$T/err" ||
		status=$?
	exits "$expected"
}
