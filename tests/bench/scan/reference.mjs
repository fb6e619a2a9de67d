// SPDX-License-Identifier: MIT
// reference.mjs PACKAGE [MAX]: runs the npm engine on the events from events.mjs (standard input), as
// scan-engine runs ours. Of each set every other event warms up (WARM events in all are enough,
// because V8 has then compiled its code); the others are scanned once, in sequence, at most MAX (20).
// The sets of 100 KB are left out: one event would take minutes. All rules are evaluated, with the
// same text in every field. One JSON line a set, in processor time.
import path from 'node:path';
import readline from 'node:readline';

const WARM = 60;
const [root, max = '20'] = process.argv.slice(2);
const { ATREngine } = await import(path.resolve(root, 'dist/engine.js'));
const engine = new ATREngine({ rulesDir: path.resolve(root, 'rules') });
await engine.loadRules();

const names = ['user_input', 'agent_output', 'tool_response', 'tool_name', 'tool_args', 'content',
	'agent_message', 'tool_description', 'tool_input'];
const event = (text) => ({
	type: 'any', // no type of the engine's: no rule is left out because of where it looks
	timestamp: '2026-01-01T00:00:00Z',
	content: text,
	fields: Object.fromEntries(names.map((n) => [n, text])),
});

const sets = new Map();
for await (const line of readline.createInterface({ input: process.stdin })) {
	const { set, text } = JSON.parse(line);
	if (set.endsWith('100000')) continue;
	if (!sets.has(set)) sets.set(set, { warm: [], seen: 0, texts: [] });
	const s = sets.get(set);
	if (s.seen++ % 2 === 0) s.warm.push(text);
	else if (s.texts.length < Number(max)) s.texts.push(text);
}
const warm = sets.get('inputs').warm;
for (let i = 0; i < WARM; i++) engine.evaluate(event(warm[Math.floor(i * warm.length / WARM)]));
for (const [set, { texts }] of sets) {
	if (!texts.length) continue;
	const times = [];
	let matches = 0, bytes = 0;
	for (const text of texts) {
		const before = process.cpuUsage();
		matches += engine.evaluate(event(text)).length;
		const used = process.cpuUsage(before);
		times.push(used.user + used.system);
		bytes += Buffer.byteLength(text);
	}
	times.sort((a, b) => a - b);
	const sum = times.reduce((a, b) => a + b, 0), n = times.length;
	console.log(JSON.stringify({ set, n, avg: sum / n, p50: times[Math.floor(n / 2)],
		p99: times[Math.floor(n * 0.99)], max: times[n - 1], mbs: bytes / sum, rules: matches / n }));
}
