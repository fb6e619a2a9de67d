# SPDX-License-Identifier: MIT
"""The functions of the package: methods of one client with the defaults of the machine."""
from __future__ import annotations

from ._client import Cordon

default = Cordon()
run = default.run
stream = default.stream
scan = default.scan
new_conversation = default.new_conversation
conversation = default.conversation
conversations = default.conversations
end_conversation = default.end_conversation
ingest = default.ingest
plan = default.plan
grants = default.grants
diff = default.diff
apply = default.apply
reset = default.reset
approvals = default.approvals
approval = default.approval
approve = default.approve
deny = default.deny
export_approval = default.export_approval
sign_approval = default.sign_approval
add_answer = default.add_answer
wait_approval = default.wait_approval
audit_tail = default.audit_tail
audit_verify = default.audit_verify
audit_trace = default.audit_trace
doctor = default.doctor
