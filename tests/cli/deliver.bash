# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A server of webhooks for tests: see tests/deliver/server.py. HOOK is its directory, URL its address.

start_server()
{
	HOOK=$T/hook
	mkdir "$HOOK"
	(umask 077; echo "whsec_$(head -c 32 /dev/urandom | base64)" >"$HOOK/secret")
	/usr/bin/python3 "$TOP/tests/deliver/server.py" "$HOOK" 3>&- >/dev/null 2>"$HOOK/errors" &
	server=$!
	for _ in $(seq 100); do
		[ ! -e "$HOOK/port" ] || break
		sleep 0.05
	done
	# shellcheck disable=SC2034
	URL=http://127.0.0.1:$(cat "$HOOK/port")
}

end_server()
{
	[ -z "${server:-}" ] || kill "$server" 2>/dev/null || true
	[ -z "${server:-}" ] || wait "$server" 2>/dev/null || true
}
