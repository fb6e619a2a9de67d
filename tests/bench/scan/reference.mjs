// SPDX-License-Identifier: MIT
// reference.mjs PACKAGE [MAX]: the npm engine on the events that events.mjs prints (standard
// input), each once, in sequence, at most MAX of a set (20): one line a set, in the form of
// scan-bench. All its rules are asked, about the same text in every field; it takes seconds for
// 20 KB. Times are of the processor.
import path from 'node:path';
import readline from 'node:readline';

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
	if (set === undefined) continue;
	if (!sets.has(set)) sets.set(set, []);
	if (sets.get(set).length < Number(max)) sets.get(set).push(text);
}
for (const [set, texts] of sets) {
	const times = [];
	let matches = 0, bytes = 0;
	engine.evaluate(event(texts[0].slice(0, 200))); // compiled once before
	for (const text of texts) {
		const before = process.cpuUsage();
		matches += engine.evaluate(event(text)).length;
		const used = process.cpuUsage(before);
		times.push(used.user + used.system);
		bytes += Buffer.byteLength(text);
	}
	times.sort((a, b) => a - b);
	const sum = times.reduce((a, b) => a + b, 0);
	const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
	console.log(`${set.padEnd(20)} n ${String(texts.length).padStart(5)}  us avg ` +
		`${(sum / times.length).toFixed(1)} p50 ${at(0.5).toFixed(1)} p99 ${at(0.99).toFixed(1)} max ` +
		`${at(1).toFixed(1)}  MB/s ${(bytes / sum).toFixed(3)}  rules ${(matches / texts.length).toFixed(2)}`);
}
