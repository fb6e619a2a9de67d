// SPDX-License-Identifier: MIT
// made_up.mjs PACKAGE DIR [more]: writes the rules of made_up_rules.mjs to DIR, one a file (JSON is YAML),
// and prints the reference's answers about random events for tests/atr/verdicts.c. Texts are words
// of the rules, inside and outside quoted code. Without `more` there are a third
// as many events. It must never print an event twice.
import fs from 'node:fs';
import path from 'node:path';
import { reference, wellFormed } from './ask.mjs';
import { rules as rows } from './made_up_rules.mjs';
import { sequence } from './sequence.mjs';

const [root, dir, amount] = process.argv.slice(2);
const part = amount === 'more' ? 1 : 3;
const ask = await reference(root);
const random = sequence(815);
const pick = (list) => list[random(list.length)];
const some = (n, make) => Array.from({ length: random(n + 1) }, make);

for (const rule of rows) fs.writeFileSync(path.join(dir, `${rule.id}.yaml`),
	JSON.stringify(rule, null, 1));
const rules = fs.readdirSync(dir).sort().map((f) => JSON.parse(fs.readFileSync(path.join(dir, f),
	'utf8')));

const words = ['zebra', 'ZEBRA', 'z\u0435bra', 'ze\u200bbra', 'lion', 'Lions', 'tiger', 'wolf',
	'Wolf', 'fox', 'Fox', 'bear', 'b\u0435ar',
	'owl', 'aaaowl', 'hen', 'ababx', 'cat\ndog', 'cat dog', 'a.b', 'acb',
		'Zebra \u039f\u0394\u039f\u03a3', 'zebra \u03bf\u03b4\u03bf\u03c2',
	'zebra \u03bf\u03b4\u03bf\u03c3', '\u0130STANBUL', 'i\u0307stanbul', '(zebra', 'xx',
		'\u4f60\u597d', '\u56fd', '\u570b', '\u3042', '\u0639', '\u00bfno',
	'shell', 'Shell', 'the whole text', 'tiger and bear', '```', '```\n', '`', '\n', '|', '"',
		'| "zebra" |', '`lion`', '\u{1f600}', '\uff5aebra'];
const joints = [' ', ' ', '\n', '', '\n| ', ' " ', '\r\n'];
const text = () => some(6, () => pick(words) + pick(joints)).join('').trimEnd();
const types = ['llm_input', 'llm_output', 'tool_call', 'tool_response', 'agent_behavior',
	'multi_agent_message', 'mcp_exchange', 'else', undefined];
const fieldNames = ['content', 'user_input', 'agent_output', 'tool_name', 'tool_args',
	'tool_description', 'metric', 'unheard_of', 'file_hash'];
const values = [text, text, () => '', () => pick(words), () => 'abCD01', () => 'Shell',
	() => 'shell'];
const map = () => Object.fromEntries(some(5, () => [pick(fieldNames), pick(values)()]));
const numbers = [0, 1, 3, 3.5, 4, -1, -5, 1e300];

const scalars = [1, 2, 3, 'x', 'write', 'bad', 'good', 'me too', 'me', true, false, null, 'c1',
	'c2', '1'];
const attributeNames = ['tool.level', 'source.trust', 'a', 'a.b', 'n', 'name', 'ok', 'session.id',
	'conversation.id', 'gen_ai.conversation.id', 'agent.delegation_chain'];
const nested = () => pick([{ b: pick(scalars) }, { b: { c: null } }, { 'b.c': pick(scalars) },
	{ name: pick(scalars) }, []]);
function span(_, id) {
	const attributes = Object.fromEntries(some(6,
		() => [pick(attributeNames), random(4) ? pick(scalars) : nested()]));
	if (random(5) === 0) attributes.other = nested();
	if (random(2)) attributes['tool.level'] = pick(['write', 3, true, 'read']);
	if (random(2)) attributes['source.trust'] = pick(['bad', 'good']);
	const of = { id, ...(random(8) && { attributes }) };
	of[pick(['span.kind', 'span.kind', 'kind'])] = pick(['TOOL', 'READ', 'AGENT', null]);
	return of;
}

let clock = Date.parse('2026-03-01T00:00:00Z');
function event() {
	const e = { type: pick(types), content: text() };
	clock += pick([0, 1000, 60000, 400000, 900000, 4000000]);
	if (random(8)) e.timestamp = pick([new Date(clock).toISOString(), clock,
		new Date(clock).toISOString().replace('.000Z', '+00:00'), 'whenever']);
	if (random(2)) e.fields = map();
	if (random(3) === 0) e.metadata = map();
	if (random(3) === 0) e.metrics = Object.fromEntries(some(2,
		() => [pick(['rate', 'event_count', 'call_frequency:shell']), pick(numbers)]));
	if (random(3) === 0) e.trace = { ...(random(2) && { trace_id: 't' }),
		spans: some(7, span) };
	if (random(3)) e.sessionId = pick(['one', 'two', 'three', `n${random(400)}`]);
	return wellFormed(e);
}

for (let i = 0; i < 3500 / part; i++) ask(rules, event(), { sessions: true });
for (let i = 0; i < 500 / part; i++) ask(rules, event(), { sessions: true,
	lane: pick(['alert', 'enforce']) });
for (let i = 0; i < 1000 / part; i++) {
	let content = text();
	const hidden = () => Buffer.from(text() + ' zebra lion wolf, and some more').toString('base64');
	if (random(3) === 0) content += ' ' + hidden();
	ask(rules, wellFormed({ type: 'mcp_exchange', content, fields: {}, scanContext: 'skill' }));
}
// On a value of the wrong type the reference throws, and our engine refuses the event.
for (const fields of [{ user_input: 5 }, { content: ['zebra'] }, { user_input: { a: 1 } }])
	ask(rules, { type: 'llm_input', content: 'zebra', fields });
ask(rules, { type: 'llm_input', content: {} });
