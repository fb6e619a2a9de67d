// SPDX-License-Identifier: MIT
// The public rule pack for tests: its expressions, the texts of its own tests, and mutations of
// texts from a fixed random sequence. It must read only the package.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { sequence } from './sequence.mjs';

export const random = sequence(20260);
export const pick = (list) => list[random(list.length)];

export function ruleFiles(dir) {
	return fs.readdirSync(dir, { withFileTypes: true }).flatMap((e) => {
		const name = path.join(dir, e.name);
		if (e.isDirectory()) return ruleFiles(name);
		return /\.ya?ml$/.test(name) ? [name] : [];
	});
}

// Every string of a test, under any key.
function strings(value) {
	if (typeof value === 'string') return [value];
	if (value && typeof value === 'object') return Object.values(value).flatMap(strings);
	return [];
}

const prose = new Set(['description', 'expected', 'reason', 'notes', 'bypass_technique']);
export function inputs(rule) {
	const tests = [...Object.values(rule.test_cases ?? {}), rule.evasion_tests ?? []]
		.filter(Array.isArray).flat();
	return tests.flatMap((t) => Object.entries(t).flatMap(([k, v]) => (prose.has(k) ? [] : strings(v))));
}

// Each makes another text from a text.
const spaces = ['\n', '\t', '\v', '\u00a0', '\u3000', '\u2028', '\ufeff', '\u0085', '\r\n', '\u180e'];
const odd = ['\u{1f600}', '\u{e0041}', '\u0430', '\u0131', '\u200b', 'e\u0301', '\uff41', '\u0000',
	'\u00e9', '\u4e2d', '\u0345', '\u1e9e', '\u{10400}', '\ud55c', '\u212b', '\u{1ccd6}', '\u01c0'];
const at = (s) => random(s.length + 1);
const insert = (s, what) => { const i = at(s); return s.slice(0, i) + what + s.slice(i); };
const mutations = [
	(s) => s.replace(/\s/g, (c) => (random(3) ? c : pick(spaces))),
	(s) => s.replace(/[a-z]/gi, (c) => (random(3) ? c : c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())),
	(s) => s.replace(/[sk]/gi, (c) => (random(2) ? c : /s/i.test(c) ? '\u017f' : '\u212a')),
	(s) => s.replace(/[aeopc]/g, (c) => (random(4) ? c : String.fromCharCode({ a: 0x430, e: 0x435, o: 0x43e, p: 0x440, c: 0x441 }[c]))),
	(s) => s.replace(/[A-Za-z0-9]/g, (c) => (random(4) ? c : String.fromCodePoint(c.codePointAt(0) + 0xfee0))),
	(s) => s.replace(/ /g, (c) => (random(4) ? c : ' '.repeat(1 + random(60)))),
	(s) => s.replace(/\s/g, (c) => (random(5) ? c : c + pick(odd).repeat(1 + random(40)) + c)),
	(s) => insert(s, pick(odd)),
	(s) => insert(s, '\u{1f468}\u200d\u{1f469}'.repeat(1 + random(60))),
	(s) => s.slice(at(s)),
	(s) => s.slice(0, at(s)),
	(s) => { const i = at(s); return s.slice(i) + s.slice(0, i); },
	(s) => { const i = at(s); return s.slice(0, i) + s.slice(i + 1 + random(4)); },
	(s) => insert(s, s.slice(0, 80)),
	(s) => 'mcpServers' + ' x'.repeat(random(260)) + s,
	(s) => pick(['for example ', 'users ', 'curl ', 'send  a webfetch ', '"', 'note\u2003that ']) + s,
];

export function mutate(text) {
	const changed = pick(mutations)(text);
	return random(2) ? pick(mutations)(changed) : changed;
}

// Expressions {id, source, flags}, and texts {text, own}: OWN are its rule's expressions.
export function readPack(root) {
	const yaml = createRequire(path.resolve(root, 'package.json'))('js-yaml');
	const expressions = [], texts = [];

	for (const file of ruleFiles(path.join(root, 'rules'))) {
		const rule = yaml.load(fs.readFileSync(file, 'utf8'));
		const own = [];
		(rule.detection?.conditions ?? []).forEach?.((c, i) => {
			if (c.operator !== 'regex' || typeof c.value !== 'string') return;
			const source = c.value.replace(/^\(\?[imsx]+\)/, '');
			const flags = /\\[up]\{/.test(source) ? 'iu' : 'i';
			own.push(expressions.length);
			expressions.push({ id: `${rule.id.replace(/^ATR-2026-/, '')}#${i}`, source, flags });
		});
		for (const text of new Set(inputs(rule))) texts.push({ text, own });
	}
	return { expressions, texts };
}
