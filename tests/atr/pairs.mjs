// SPDX-License-Identifier: MIT
// pairs.mjs PACKAGE [whole|part]: what JavaScript itself says about every expression of the public
// rule pack, as JSON lines for tests/atr/replay.c. Texts are the inputs of the rules' own tests and
// mutations of them from a fixed random sequence. `part`, for every run of the tests, tries each
// text on the expressions of its own rule and a sample of the others; `whole` tries all on all,
// which takes Node.js minutes. It must never read anything but PACKAGE.
import path from 'node:path';
import { mutate, random, readPack } from './pack.mjs';
import { print } from './sequence.mjs';

const [root, amount = 'part'] = process.argv.slice(2);
const { normalizeUnicode, foldConfusables } = await import(path.resolve(root, 'dist/engine.js'));
const sample = 40; // other expressions tried on each text
const textMax = 4000; // longer ones make JavaScript's engine, not ours, take minutes

const { expressions, texts } = readPack(root);
expressions.forEach(print);
const compiled = expressions.map((e) => new RegExp(e.source, e.flags));

function say(text, own) {
	text = text.slice(0, textMax).toWellFormed();
	const only = amount === 'whole' ? undefined : [...own];
	for (let i = 0; only && i < sample; i++) only.push(random(compiled.length));
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
