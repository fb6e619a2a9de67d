// SPDX-License-Identifier: MIT
// events.mjs PACKAGE [EVERY]: the events of the scan benchmark as JSON lines: pieces of documents and
// code that Debian installs, the rules' own test inputs, and texts made to be slow. The random
// sequence is fixed. With EVERY only one in that many.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { readPack } from '../../atr/pack.mjs';
import { print, sequence } from '../../atr/sequence.mjs';

const [root, every = '1'] = process.argv.slice(2);
const random = sequence(77);
const { texts } = readPack(root);
const sizes = [[200, 400], [2000, 120], [20000, 60]];

function files(dir, want, list = [], depth = 0) {
	let entries = [];
	try { entries = fs.readdirSync(dir, { withFileTypes: true }); } catch { return list; }
	for (const e of entries) {
		const name = path.join(dir, e.name);
		if (e.isDirectory() && depth < 7) files(name, want, list, depth + 1);
		else if (e.isFile() && want.test(e.name)) list.push(name);
	}
	return list;
}

function read(name) {
	let data = fs.readFileSync(name);
	if (name.endsWith('.gz')) data = zlib.gunzipSync(data);
	return data.subarray(0, 400000).toString('utf8');
}

const kinds = {
	doc: () => [...files('/usr/share/doc', /^(README|NEWS|changelog|FAQ|HACKING|TODO).*|\.(md|rst|txt)(\.gz)?$/)],
	code: () => [...files('/usr/lib/python3', /\.py$/), ...files('/usr/lib/python3.11', /\.py$/),
		...files('/usr/include', /\.h$/), ...files('/usr/share/nodejs', /\.js$/)],
};

// Disjoint pieces of SIZE from many files.
function pieces(list, size, count) {
	const out = [];
	for (let tries = 0; out.length < count && tries < count * 50; tries++) {
		const text = read(list[random(list.length)]);
		if (text.length < size) continue;
		out.push(text.substr(random(text.length - size + 1), size));
	}
	return out;
}

const say = (set, list) => list.forEach((text, i) => {
	if (i % Number(every) === 0) print({ set, text: text.toWellFormed() });
});

for (const [kind, find] of Object.entries(kinds)) {
	const list = find();
	for (const [size, count] of sizes) say(`${kind} ${size}`, pieces(list, size, count));
}
const joined = (size) => {
	let text = '';
	while (text.length < size) text += texts[random(texts.length)].text + '\n';
	return text.slice(0, size);
};
for (const [size, count] of sizes) say(`tests ${size}`, Array.from({ length: count }, () => joined(size)));
say('inputs', texts.map((t) => t.text));

// 100 KB each: runs, and inputs of rules repeated, cut short or with their gaps stretched.
const large = 100000;
const fill = (unit) => unit.repeat(Math.ceil(large / unit.length)).slice(0, large);
const runs = ['a', '/', ' ', '\n', '\t', 'QUJD', 'a ', '=', '.', '-', '(', '"', "'", '\\', '0', 'A', 'ab',
	'a/', '../', 'http://', 'ignore ', 'ignore all previous ', 'base64 -d ', '{"', '<!--', '[', '\\x41',
	'you are ', 'system ', 'curl ', ';', '|', '$(', '`', '\u00e9', '\u{1f600}', '\u0430', 'the ', 'key=',
	'\r\n', ' \n', 'import os\n', 'eval(', '%20', '&#x41;', 'user: ', 'do not ', '0x', ', '];
say('runs 100000', runs.map(fill));
const some = texts.filter((_, i) => i % 40 === 0).map((t) => t.text);
say('repeated 100000', some.map((t) => fill(t + ' ')));
say('near 100000', some.map((t) => fill(t.slice(0, Math.max(1, Math.floor(t.length * 0.7))) + ' ')));
say('stretched 100000', some.map((t) => {
	const words = t.split(/(\s)/), at = random(words.length);
	words.splice(at, 0, ' '.repeat(50), fill('word '), ' ');
	return words.join('').slice(0, large);
}));
say('glued 100000', some.map((t) => fill(t.replace(/\s+/g, ''))));
