# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A person beside the ordinary user who asks: anna, with an account and an SSH key of her own.

# The state of the ordinary user, which the person answers in.
USER_STATE=

# enrol: she is asked from now on.
enrol()
{
	local anna=$((TEST_UID + 1))
	need_etc
	[ ! -d "$T/anna" ] || return 0
	mkdir -m 700 "$T/anna"
	ssh-keygen -q -t ed25519 -N '' -C '' -f "$T/anna/key"
	chown -R "$anna" "$T/anna"
	"$CORDON" approvals key add anna "$T/anna/key.pub"
}

# approve ID [SCOPE]: she says yes to what the ordinary user asked for; once, if nothing else is said.
approve()
{
	local anna=$((TEST_UID + 1)) state=${USER_STATE:-$T/as-user/state}/cordon
	enrol
	as user "$CORDON" approvals export "$1" --state "$state" >"$T/request"
	setpriv --reuid $anna --regid $anna --clear-groups "$CORDON" approvals sign "$T/request" --id "$1" \
		--key "$T/anna/key" --as anna --scope "${2:-once}" |
		as user "$CORDON" approvals add - --state "$state"
}

# exposed_changes WHO CODE: an exposed conversation $C whose run of CODE left changes of $W.
exposed_changes()
{
	exposed "$1"
	printf '%s\n' "$2" >"$T/job.py"
	submit "$1" 0 --workspace "$W" "$T/job.py"
}

# waiting WHO: the one request that waits, as $ID.
waiting()
{
	gate "$1" 0 approvals list --json
	ID=$(member 'r[-1]["approval_id"]')
}

# says TEXT...: each stands in the output.
says()
{
	local text
	for text; do
		grep -qF -- "$text" "$T/out" || { echo "not said: $text"; cat "$T/out"; return 1; }
	done
}
