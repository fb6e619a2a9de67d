# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# What the tests of cordon rules share: where the public pack is, and `rules STATUS ARG...`.

MODULES=${CORDON_NPM:-${CORDON_TOP:-$BATS_TEST_DIRNAME/../..}/build/npm}/node_modules
PACK=$MODULES/agent-threat-rules/rules
need_pack() { [ -d "$PACK" ] || skip "no public pack; tools/packages brings it"; }

# rules STATUS ARG...: cordon rules ARG... exits with STATUS.
rules()
{
	local expected=$1
	shift
	status=0
	timeout 500 "$CORDON" rules "$@" </dev/null >"$T/out" 2>"$T/err" || status=$?
	exits "$expected"
}
