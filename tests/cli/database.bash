# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A database server of the test's own, see tests/store/run.

need_server()
{
	local at has=
	for at in /usr/lib/postgresql/*/bin; do [ ! -x "$at/initdb" ] || has=1; done
	[ -n "$has" ] || skip "there is no PostgreSQL server (tools/deps test)"
	[ -x "$BUILD/cordon-postgres" ] || skip "cordon-postgres is not built (libpq-dev)"
	own_programs
	cp "$BUILD/cordon-postgres" "$T/bin/"
}

# on BACKEND SCRIPT ARG...: a script of tests/store, with a directory and rules of its own.
on()
{
	local backend=$1 script=$2
	shift 2
	gate_setup
	mkdir -p "$T/bin"
	mkdir -m 755 "$T/$script"
	printf '#!/bin/sh\nexec "%s" "$@"\n' "$TOP/tests/store/$script.py" >"$T/bin/$script"
	chmod +x "$T/bin/$script"
	"$TOP/tests/store/run" "$backend" "$T/bin/$script" "$CORDON" "$T/r" "$T/$script" "$@"
}
