#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# SIGKILL between any two writes of the commands that write the log: see tests/store/killed_commands.py. In the
# short form two commands on SQLite and two on a database server; with TEST_MORE=1 every command on SQLite and a
# part of them on a server; with KILL_ALL=1 all commands and all moments.
load helper
load scan.bash
load gate.bash
load database

killed() { on "$1" killed_commands "${@:2}"; }
part()
{
	need_root
	need_server
	if [ -n "${KILL_ALL:-}" ]; then killed postgres "$1"; else killed postgres "$@"; fi
}

# bats test_tags=long
@test "a command that is killed between any two of its writes has recorded its effect or had none" {
	need_root
	if [ -n "${TEST_MORE:-}" ]; then killed sqlite cordon; else killed sqlite cordon run apply; fi
}
@test "the same on a database server" {
	if [ -n "${TEST_MORE:-}" ]; then part cordon apply accept; else part cordon accept; fi
}
# bats test_tags=long
@test "and when cordon-postgres is killed between any two of its messages" {
	if [ -n "${TEST_MORE:-}" ]; then part helper run accept; else part helper accept; fi
}
# bats test_tags=long
@test "the same when the database server is killed" { part server run; }
