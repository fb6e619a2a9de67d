// SPDX-License-Identifier: MIT
// verdicts.mjs PACKAGE [part|more|whole] [CORPORA]: the reference's answers about events made from
// the public pack's own tests, for tests/atr/verdicts.c. Every test becomes an event as its rule
// means it, a skill, and variants: other types, other fields, empty ones, other lanes. `part`
// takes a third of the tests, evaluates each event with its own rule and a sample of others, and
// makes fewer events; `whole` with the whole pack, which takes the reference an hour. It must read only PACKAGE and CORPORA.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { reference, wellFormed } from './ask.mjs';
import { inputs, mutate, pick, random, ruleFiles } from './pack.mjs';

const [root, amount = 'part', corpora] = process.argv.slice(2);
const yaml = createRequire(path.resolve(root, 'package.json'))('js-yaml');
const whole = amount === 'whole';
const sample = amount === 'part' ? 4 : 12; // other rules that an event is held against
const textMax = 3000; // UTF-16 units; the reference takes seconds for 20,000
const corpusSample = 12; // texts of each file; the whole pack is asked
const corpusMax = 1500;
const every = amount === 'part' ? 10 : 1; // tests of a rule: the first, and each tenth after it

const ask = await reference(root);
const rules = ruleFiles(path.join(root, 'rules'))
	.map((f) => yaml.load(fs.readFileSync(f, 'utf8')));
const lanes = ['hunt', 'hunt', 'alert', 'enforce'];
const types = ['llm_input', 'llm_output', 'tool_call', 'tool_response', 'agent_behavior',
	'multi_agent_message', 'mcp_exchange', 'something_else', undefined];
const names = ['content', 'user_input', 'agent_output', 'tool_name', 'tool_args', 'tool_response',
	'tool_description', 'tool_input', 'agent_message', 'metric', 'unheard_of'];
const typeOf = {
	llm_io: 'llm_input', tool_call: 'tool_call', mcp_exchange: 'tool_response',
	agent_behavior: 'agent_behavior', multi_agent_comm: 'multi_agent_message',
};

function others(rule) {
	if (whole) return undefined;
	const list = rule ? [rule] : [];
	for (let i = 0; i < sample; i++) list.push(pick(rules));
	return [...new Set(list)];
}

function traceOf(text) {
	try {
		const value = JSON.parse(text);
		return Array.isArray(value?.spans) ? value : undefined;
	} catch {
		return undefined;
	}
}

// As its rule means it: the text is in every place where a test could put it.
function native(rule, text) {
	const type = typeOf[rule.agent_source?.type] ?? 'llm_input';
	const fields = { user_input: text, tool_name: '', tool_args: text, content: text,
		agent_message: text };
	if (random(2)) fields.tool_response = text;
	if (random(3) === 0) fields.tool_description = text;
	return { type, timestamp: '2026-01-02T03:04:05.678Z', content: text, fields,
		trace: traceOf(text) };
}

// Any value in any field.
function dressed(text) {
	const fields = {}, metadata = {};
	const value = () => pick([text, text, '', text.slice(0, random(text.length + 1)),
		'nothing to see', null]);
	for (const name of names) {
		if (random(4) === 0) fields[name] = value();
		if (random(6) === 0) metadata[name] = value();
	}
	const event = { type: pick(types), content: random(5) ? text : value() ?? '' };
	if (random(4)) event.fields = fields;
	if (random(4)) event.metadata = metadata;
	return event;
}

const skill = (content) => ({ type: 'mcp_exchange', content, fields: {}, scanContext: 'skill' });

const change = (text) => mutate(text).slice(0, textMax);

function disguise(text) {
	const hidden = Buffer.from(text.slice(0, 600)).toString('base64');
	return pick([
		`# A skill\n\n${hidden}\n`,
		`see \`${hidden}\` and ${hidden.replaceAll('=', '')} ${'A'.repeat(33)}`,
		`${(hidden + '\n').repeat(7)}`,
		`${text}\n\n\`\`\`sh\n${hidden}\n\`\`\``,
	]);
}

// Some rules ignore quoted code.
function quote(text) {
	return pick([
		`before\n\`\`\`\n${text}\n\`\`\`\nafter`, `\`\`\`\n${text}`,
			`  \`\`\`py\n\`\`\`\n${text}`,
		`say \`${text}\` or`, `| a | "${text}" |\n`, `| a | ${text} |\r| "b" |`,
			`\u{1f600}\`\`\n\`${text}\``,
		`\`\`\`\n\u{1f600}\n\`\`\` ${text}`,
	]);
}

// One event as its rule means it, and others: one of them, or all.
const variations = [
	(rule, text) => dressed(text),
	(rule, text) => native(rule, change(text)),
	(rule, text) => dressed(change(text)),
	(rule, text) => skill(text),
	(rule, text) => skill(pick([disguise, quote])(text)),
];

function askAll(rule, text) {
	const only = others(rule);
	ask(rules, native(rule, text), { only, lane: pick(lanes) });
	for (const make of amount === 'part' ? [pick(variations)] : variations)
		ask(rules, wellFormed(make(rule, text)), { only, lane: pick(lanes) });
	if (rule.tags?.suppress_in_code_blocks)
		for (let i = 0; i < 4; i++) ask(rules, wellFormed(native(rule, quote(text))),
			{ only });
}

// At the reference's limit of length, and one unit below it, in UTF-16 units of both forms.
function blindSpot(rule, text) {
	for (const filler of ['x \n', '\u{1f600}', '\u00e9', '\u200b', '\uff41', '\ufdfa']) {
		for (const length of [100000, 100001]) {
			const room = length - text.length - 1;
			const padded = `${text}\n` + filler.repeat(Math.ceil(room / filler.length)).slice(0, room);
			ask(rules, { type: 'llm_input', content: padded.toWellFormed() },
				{ only: [rule] });
		}
	}
}

let blind = 0;
for (const rule of rules) {
	const texts = [...new Set(inputs(rule))].map((t) => t.slice(0, textMax).toWellFormed());
	for (let i = 0; i < texts.length; i += every) askAll(rule, texts[i]);
	if (rule.agent_source?.type === 'llm_io' && texts.length && random(20) === 0 && blind++ < (amount === 'part' ? 3 : 8))
		blindSpot(rule, texts[0]);
}
ask(rules, skill(''), {});
ask(rules, { type: 'tool_call', content: '', fields: { tool_args: '', tool_name: '' } }, {});

for (const name of corpora && fs.existsSync(corpora) ? fs.readdirSync(corpora).sort() : []) {
	if (!name.endsWith('.jsonl')) continue;
	const texts = fs.readFileSync(path.join(corpora, name), 'utf8').split('\n').filter(Boolean)
		.map((line) => JSON.parse(line)).map((o) => (o.text ?? o.code).slice(0,
			corpusMax).toWellFormed());
	for (let i = 0; i < (whole ? texts.length : corpusSample); i++) {
		const content = whole ? texts[i] : pick(texts);
		ask(rules, { type: pick(types), content, fields: { tool_args: content } }, {});
		if (random(4) === 0) ask(rules, skill(content), {});
	}
}
