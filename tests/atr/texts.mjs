// SPDX-License-Identifier: MIT
// texts.mjs PACKAGE [MUTATIONS [EVERY]]: the expressions and texts of the public rule pack as JSON
// lines, for tests/atr/compare.c: one in EVERY texts (1), and MUTATIONS of each (1).
import { mutate, readPack } from './pack.mjs';
import { print } from './sequence.mjs';

const [root, mutations = '1', every = '1'] = process.argv.slice(2);
const { expressions, texts } = readPack(root);

expressions.forEach(print);
for (const { text, own } of texts.filter((_, i) => i % Number(every) === 0)) {
	print({ text: text.toWellFormed(), own });
	for (let i = 0; i < Number(mutations); i++) print({ text: mutate(text).toWellFormed(), own });
}
