# SPDX-License-Identifier: MIT
"""client.py HOST QUIET PORT: what a connection costs, and what one carries. Prints one JSON object:
microseconds of socket and connect (median, 99th of a hundred), megabytes a second (median of 7)."""

import json
import socket
import sys
import time

host, quiet, port = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
times = []
for _ in range(1100):
    begin = time.perf_counter_ns()
    s = socket.socket()
    s.connect((host, quiet))
    times.append(time.perf_counter_ns() - begin)
    s.close()
times = sorted(times[100:])
rates, room = [], bytearray(1 << 18)
for _ in range(7):
    with socket.create_connection((host, port)) as s:
        got, begin = 0, time.perf_counter()
        while n := s.recv_into(room):
            got += n
        rates.append(got / (time.perf_counter() - begin) / 1e6)
print(json.dumps({"connect_us": times[500] / 1e3, "connect_p99_us": times[990] / 1e3, "mb_s": sorted(rates)[3]}))
