# SPDX-License-Identifier: MIT
# The classic, with a bound: nobody of it lives longer than 20 seconds, and depth ends it.
bomb() {
	[ "$1" -gt 12 ] || [ "$SECONDS" -gt 20 ] && return
	bomb $(($1 + 1)) | bomb $(($1 + 1)) &
	while [ "$SECONDS" -lt 20 ]; do :; done
}
bomb 0 2>/dev/null
