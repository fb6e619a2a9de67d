# SPDX-License-Identifier: MIT
# A fork bomb with bounds: no process lives longer than 20 seconds, and the depth is limited.
bomb() {
	[ "$1" -gt 12 ] || [ "$SECONDS" -gt 20 ] && return
	bomb $(($1 + 1)) | bomb $(($1 + 1)) &
	while [ "$SECONDS" -lt 20 ]; do :; done
}
bomb 0 2>/dev/null
