// SPDX-License-Identifier: MIT
// pairs.mjs PACKAGE [few|more|whole]: the answers of JavaScript for every expression of the public
// rule pack, as JSON lines for tests/atr/replay.c. Texts are the inputs of the rules' own tests and
// mutations of them from a fixed random sequence. Each text is tried on the expressions of its own
// rule and on a sample of the others: `few`, with a sixth of the texts, for every run of the tests,
// `more` for continuous integration; `whole` tries all on all, which takes Node.js minutes. It must read only PACKAGE.
import path from 'node:path';
import { mutate, random, readPack } from './pack.mjs';
import { print } from './sequence.mjs';

const [root, amount = 'few'] = process.argv.slice(2);
const { normalizeUnicode, foldConfusables } = await import(path.resolve(root, 'dist/engine.js'));
const drawn = 40; // other expressions for each text: as many in every amount, or the texts would differ
const sample = { few: 4, more: drawn }[amount]; // and how many of them are tried
const textMax = 4000; // longer ones make JavaScript's engine, not ours, take minutes

const { expressions, texts } = readPack(root);
expressions.forEach(print);
const compiled = expressions.map((e) => new RegExp(e.source, e.flags));

let said = 0;

function say(text, own) {
	text = text.slice(0, textMax).toWellFormed();
	const only = sample ? [...own] : undefined;
	for (let i = 0; i < drawn; i++) {
		const other = random(compiled.length);
		if (only && i < sample) only.push(other);
	}
	if (amount === 'few' && said++ % 6) return;
	const hits = [];
	for (const i of new Set(only ?? compiled.keys())) {
		const place = text.search(compiled[i]);
		if (place >= 0) hits.push([i, place]);
	}
	print({ text, normal: foldConfusables(normalizeUnicode(text)), utf16: text.length, only, hits });
}

for (const { text, own } of texts) {
	say(text, own);
	const changed = mutate(text);
	say(changed, own);
	const normal = foldConfusables(normalizeUnicode(changed));
	if (normal !== changed) say(normal, own);
}
