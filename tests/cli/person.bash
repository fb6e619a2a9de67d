# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A person beside the ordinary user who asks: anna, with an account and a key of her own.

# approve ID [SCOPE]: she says yes to what the ordinary user asked for; once, if nothing else is said.
approve()
{
	local anna=$((TEST_UID + 1)) state=$T/as-user/state/cordon
	if [ ! -d "$T/anna" ]; then
		mkdir -m 700 "$T/anna"
		chown "$anna" "$T/anna"
		setpriv --reuid $anna --regid $anna --clear-groups "$CORDON" approvals key new "$T/anna/key" \
			--plain >"$T/anna.pub"
		"$CORDON" approvals key add anna "$(cat "$T/anna.pub")" --uid $anna --state "$state"
	fi
	as user "$CORDON" approvals export "$1" >"$T/request"
	setpriv --reuid $anna --regid $anna --clear-groups "$CORDON" approvals sign "$1" "$T/request" \
		--key "$T/anna/key" --name anna --scope "${2:-once}" >"$T/vote"
	as user "$CORDON" approvals add "$1" "$(cat "$T/vote")"
}
