# SPDX-License-Identifier: MIT
# What ordinary code costs inside a sandbox. Times itself, so that the sandbox's start is not in it,
# and prints one "name milliseconds" line per workload: the best of a few turns each, because a
# sandbox that slows code slows its best turn too, and noise does not.
# Must never need a file, the network or an argument: it is given on standard input as well.
import json
import os
import time

TURNS = 5


def json_round_trip():
    data = {"rows": [{"id": i, "name": "row %d" % i, "v": [i, i / 3, None]} for i in range(1500)]}
    return json.loads(json.dumps(data))


def python_loop():
    total = 0
    for i in range(300_000):
        total += i % 7
    return total


def best_ms(work):
    best = float("inf")
    for _ in range(TURNS):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best * 1000


def numpy_works():
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # one thread: two of them measure the host's load
    try:
        import numpy
    except ImportError:
        return {}
    a = numpy.arange(160_000, dtype=float).reshape(400, 400) / 1000
    b = numpy.random.default_rng(1).random(300_000)
    return {"numpy-matmul": lambda: a @ a, "numpy-sort": lambda: numpy.sort(b)}


for name, work in {"json": json_round_trip, "loop": python_loop, **numpy_works()}.items():
    print(name, "%.4f" % best_ms(work))
