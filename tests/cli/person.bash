# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A person beside the ordinary user who asks: anna, with an account and a key of her own.

# The state of the ordinary user, which the person answers in.
USER_STATE=

# enrol: she is asked from now on.
enrol()
{
	local anna=$((TEST_UID + 1)) state=${USER_STATE:-$T/as-user/state}/cordon
	[ ! -d "$T/anna" ] || return 0
	mkdir -m 700 "$T/anna"
	chown "$anna" "$T/anna"
	setpriv --reuid $anna --regid $anna --clear-groups "$CORDON" approvals key new "$T/anna/key" \
		--plain >"$T/anna.pub"
	"$CORDON" approvals key add anna "$(cat "$T/anna.pub")" --uid $anna --state "$state"
}

# approve ID [SCOPE]: she says yes to what the ordinary user asked for; once, if nothing else is said.
approve()
{
	local anna=$((TEST_UID + 1)) state=${USER_STATE:-$T/as-user/state}/cordon
	enrol
	as user "$CORDON" approvals export "$1" --state "$state" >"$T/request"
	setpriv --reuid $anna --regid $anna --clear-groups "$CORDON" approvals sign "$1" "$T/request" \
		--key "$T/anna/key" --name anna --scope "${2:-once}" >"$T/vote"
	as user "$CORDON" approvals add "$1" "$(cat "$T/vote")" --state "$state"
}
