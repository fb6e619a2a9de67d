# SPDX-License-Identifier: MIT
"""Calls from many threads and from asyncio at once: each gets its own answer, and no process or descriptor is left. In
the short form 24 calls, 12 at a time; with TEST_MORE=1 64, 32 at a time."""
import asyncio
import gc
import os
import threading
from concurrent.futures import ThreadPoolExecutor

from support import Case, children, descriptors

CALLS, AT_ONCE = (64, 32) if os.environ.get("TEST_MORE") else (24, 12)


def code(i):
    return f"read -r word; echo {i} $word; echo e{i} >&2; exit {i % 100}"


class Many(Case):
    def check(self, i, r):
        self.assertEqual((r.stdout, r.stderr, r.exit_code), (b"%d w%d\n" % (i, i), b"e%d\n" % i, i % 100))
        return r.audit_id

    def left(self, before, threads):
        gc.collect()
        self.assertEqual((children(), descriptors(), threading.active_count()), ([], before, threads))

    def log(self, client, ids):
        self.assertEqual(len(set(ids)), CALLS)
        told = client.audit_verify()
        self.assertTrue(told.good, told)
        on_record = {ref for r in client.audit_tail(told.records) for ref in r.refs}
        self.assertEqual(len(set(ids) - on_record), 0, told)

    def test_threads(self):
        """many calls from threads"""
        client, before, threads = self.client(), descriptors(), threading.active_count()
        client.run("true", lang="bash")
        with ThreadPoolExecutor(AT_ONCE) as pool:
            ids = list(pool.map(lambda i: self.check(
                i, client.run(code(i), lang="bash", input=f"w{i}\n")), range(CALLS)))
        self.left(before, threads)
        self.log(client, ids)

    def test_asyncio(self):
        """many calls from asyncio"""
        client, before, threads = self.aclient(), descriptors(), threading.active_count()

        async def one(i, room):
            async with room:
                return self.check(i, await client.run(code(i), lang="bash", input=f"w{i}\n"))

        async def every():
            room = asyncio.Semaphore(AT_ONCE)
            return await asyncio.gather(*(one(i, room) for i in range(CALLS)))
        ids = asyncio.run(every())
        self.left(before, threads)
        self.log(self.client(), ids)
