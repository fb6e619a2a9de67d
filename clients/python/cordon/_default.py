# SPDX-License-Identifier: MIT
"""The functions of the package: those of one client with the defaults of the machine."""
from __future__ import annotations

from ._client import Cordon

default = Cordon()
run = default.run
stream = default.stream
scan = default.scan
new_domain = default.new_domain
domain = default.domain
renew_domain = default.renew_domain
ingest = default.ingest
plan = default.plan
approvals = default.approvals
approval = default.approval
approve = default.approve
deny = default.deny
audit_tail = default.audit_tail
audit_verify = default.audit_verify
audit_trace = default.audit_trace
doctor = default.doctor
