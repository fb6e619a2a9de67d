# SPDX-License-Identifier: MIT
"""forge_accept.py BACKUP FORGED TRANSACTIONS: the backup with one more record, by which a person accepted the
loss of all transactions up to that number. Every hash and the checksum fit; no key is needed for that."""

import hashlib
import json
import sys


def sha256(data):
    return hashlib.sha256(data).digest()


def frames(data):
    at = data.index(b"\n") + 1
    while at < len(data):
        size = int.from_bytes(data[at + 1 : at + 5], "big")
        yield chr(data[at]), data[at + 5 : at + 5 + size]
        at += 5 + size


def accept_record(rows, transactions):
    last = json.loads(rows[-1][40:])
    record = {
        "body": {"by": "anna (signed)", "from": 0, "records": 0, "to": transactions - 1},
        "boot": last["boot"],
        "kind": "accept",
        "mono": last["mono"] + 1,
        "prev": rows[-1][8:40].hex(),
        "refs": ["log:accepted"],
        "seq": len(rows),
        "time": last["time"] + 1,
    }
    data = json.dumps(record, separators=(",", ":"), sort_keys=True).encode()
    return len(rows).to_bytes(8, "big") + sha256(data) + data


def tree_edges(rows):
    edge = []
    for size, row in enumerate(rows):
        node = sha256(b"\0" + row[40:])
        while size & 1:
            node = sha256(b"\1" + edge.pop() + node)
            size >>= 1
        edge.append(node)
    return b"".join(edge)


def forge(data, transactions):
    rows = [body for kind, body in frames(data) if kind == "R"]
    rows.append(accept_record(rows, transactions))
    size = len(rows).to_bytes(8, "big")
    out = data[: data.index(b"\n") + 1]

    def put(kind, body):
        nonlocal out
        out += kind.encode() + len(body).to_bytes(4, "big") + body

    for kind, body in frames(data):
        if kind == "H":
            put(kind, body[:8] + size + body[16:])
        elif kind == "I" and body.startswith(b"head\0log\0"):
            for row in rows:
                put("R", row)
            head = body[17:]
            head = head[:8] + size + transactions.to_bytes(8, "big") + head[24:32] + bytes(8) + head[40:88]
            put(kind, body[:17] + head + rows[-1][8:40] + tree_edges(rows))
        elif kind == "I":
            put(kind, body)
    put("E", sha256(out))
    return out


with open(sys.argv[1], "rb") as backup:
    forged = forge(backup.read(), int(sys.argv[3]))
with open(sys.argv[2], "wb") as file:
    file.write(forged)
