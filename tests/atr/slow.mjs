// SPDX-License-Identifier: MIT
// slow.mjs PACKAGE DIR: which sources the reference refuses as too slow. For many sources (random
// ones, and each character in each place) it writes a rule to DIR, and prints the reference's
// findings in one short text for tests/atr/verdicts.c. Each source can also match the empty text, so
// a rule without a match was refused. It must never write a rule that fails to match for another
// reason, so invalid expressions are left out.
import fs from 'node:fs';
import path from 'node:path';
import { reference } from './ask.mjs';
import { sequence } from './sequence.mjs';

const [root, dir] = process.argv.slice(2);
const RANDOM = 2000;
const TEXT = 'zebra';
const random = sequence(4711);
const pick = (list) => list[random(list.length)];

const atoms = ['a', 'Z', '0', '_', '-', '.', '\\d', '\\W', '\\s', '\\b', '\\x', '\\.', '\\\\', '\\[', '\\(',
	'\\)', '\\|', '[a]', '[^]', '[]', '[^]]', '[a\\]b]', '[(]', '[)|(?:]', '[[]', '\u00e9', '\u{1f600}', '.*',
	'.*.*', '.*', '\n', 'ab', '', '(a)', '\\/', ' '];
const simple = ['a', 'Z', '0', '.', '\\d', '\\W', '\\s', '[a]', '[^]', '[]', '[a\\]', '[(]', '[(?:[]'];
const opens = ['(', '(', '(', '(?:', '(?:', '(?:', '(?=', '((', '\\(', '(?<n>', '[(', '(?!'];
const repeats = ['*', '*', '+', '+', '+', '+', '?', '{2}', '{1,}', '', '*?', '+?', '\\*', '\\+'];
const closes = [')', ')', ')', ')', ')', ')', '))', '\\)', '])', ''];

const times = (n, make) => Array.from({ length: random(n) + 1 }, make).join('');
const shapes = [
	() => pick(opens) + pick(random(3) ? simple : atoms) + pick(repeats) + pick(closes) + pick(repeats),
	() => {
		const half = times(3, () => pick(atoms));
		return pick(opens) + half + '|' + (random(4) ? half : times(2, () => pick(atoms))) +
			(random(5) ? '' : '|' + half) + pick(closes) + pick(repeats);
	},
	() => times(4, () => pick(['.*', '.*', '.*', '.+', '.', '*', 'a', '\\.*', '?'])),
	() => pick(atoms) + pick(repeats),
	() => times(9, () => pick([...'(([[))]]|\\++**?:.aAé'])),
];

// An invalid expression, or one not in the text, has no match anyway.
function isFound(source) {
	try {
		return new RegExp(source, 'i').test(TEXT);
	} catch {
		return false;
	}
}

// Every character, plain and escaped, in each place that may matter.
const characters = ['\n', '\t', ...Array.from({ length: 0x5f }, (_, i) => String.fromCharCode(0x20 + i))];
const places = [(x) => `(${x}+)+`, (x) => `(?:${x}*)*`, (x) => `(a${x})+`, (x) => `(a${x}+)+`, (x) => `(a+${x})+`,
	(x) => `(a+)${x}`, (x) => `(a+)+${x}`, (x) => `${x}a+)+`, (x) => `(?${x}a+)+`, (x) => `([a${x}]+)+`,
	(x) => `(${x}|${x})+`, (x) => `(a${x}b|a${x}b)*`, (x) => `(a|a${x})+`, (x) => `(a|${x}a)+`,
	(x) => `(a|a)${x}`, (x) => `.*${x}.*.*`, (x) => `.*.*.${x}`];

const sources = new Set();
// Leading flags would be removed, and \u{ sets the flag u.
const add = (source) => {
	if (!/^\(\?[imsx]+\)|\\[up]\{/.test(source) && isFound(source)) sources.add(source);
};
for (const c of characters) for (const x of [c, '\\' + c]) for (const place of places) add(place(x) + '|');
const COUNT = sources.size + RANDOM;
while (sources.size < COUNT) add(times(6, () => pick(shapes)()) + '|');
const conditions = [
	(value) => ({ condition: 'any', conditions: [{ field: 'content', operator: 'regex', value }] }),
	(value) => ({ condition: 'one', conditions: { one: { field: 'content', patterns: [value],
		match_type: 'regex' } } }),
];
const rules = [...sources].map((source, i) => ({ id: `ATR-2026-${10000 + i}`, title: source,
	status: 'stable', maturity: 'stable', severity: 'high', detection: conditions[i % 2](source),
	tags: { category: 'prompt-injection', confidence: 'high' }, agent_source: { type: 'llm_io' },
	response: { actions: ['alert'] } }));

for (const rule of rules) fs.writeFileSync(path.join(dir, `${rule.id}.yaml`), JSON.stringify(rule));
const ask = await reference(root);
const found = ask(rules, { type: 'llm_input', content: TEXT });
if (found < COUNT / 10 || found > COUNT * 9 / 10) {
	console.error(`slow: ${found} of ${COUNT} are accepted, which compares too little`);
	process.exit(1);
}
