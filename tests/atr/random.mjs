// SPDX-License-Identifier: MIT
// random.mjs [COUNT]: the answers of JavaScript for random expressions, case and normalisation, as
// JSON lines for tests/atr/replay.c. Expressions are random words of the grammar, including invalid
// ones, each tried on a few short texts. For case: the equals of every character under i and iu. For
// normalisation: every character, and random runs of marks and letters. The random sequence is
// fixed. It needs only Node.js.
import { print, sequence } from './sequence.mjs';

const count = Number(process.argv[2] ?? 20000);
const random = sequence(42);
const pick = (list) => list[random(list.length)];
const hexes = (n, width) => n.toString(16).padStart(width, '0');

const chars = [...'aAbBsSkKzZ019_ -,:=!<>"/', '\n', '\r', '\t', '\u00e9', '\u00c9', '\u017f', '\u212a',
	'\u03c3', '\u03c2', '\u03a3', '\u00b5', '\u2028', '\u00a0', '\ufeff', '\u4e2d', '\u{1f600}',
	'\u{1f601}', '\u0130', '\u0131', '\u00df', '\u1e9e', '\u1f80', '\u1f88', '\u{10400}', '\u{10428}'];
const escapes = ['\\d', '\\D', '\\s', '\\S', '\\w', '\\W', '\\b', '\\B', '\\n', '\\r', '\\t', '\\v', '\\f',
	'\\0', '\\00', '\\012', '\\1', '\\2', '\\8', '\\9', '\\10', '\\377', '\\400', '\\x41', '\\x4', '\\x',
	'\\u0061', '\\u00e9', '\\u006', '\\u', '\\u{61}', '\\u{1f600}', '\\u{110000}', '\\u{}', '\\ud83d',
	'\\ude00', '\\ud83d\\ude00', '\\cA', '\\cj', '\\c', '\\c1', '\\c_', '\\k', '\\k<n>', '\\k<', '\\-',
	'\\a', '\\z', '\\/', '\\.', '\\]', '\\[', '\\{', '\\}', '\\^', '\\$', '\\\\', '\\_', '\\ ', '\\p{Lu}',
	'\\P{Ll}', '\\p{L}', '\\p', '\\p{Nd}', '\\e', '\\Q', '\\E', '\\h', '\\R', '\\K', '\\G', '\\A', '\\Z'];
const quantifiers = ['*', '+', '?', '*?', '+?', '??', '{2}', '{0,2}', '{1,}', '{1,3}?', '{0}', '{,2}', '{2,1}',
	'{', '}', '{a}', '{1', '{1,', '**', '+*', '{0,0}', '{00001}', '{1,2}{3}'];
const opens = ['(', '(?:', '(?=', '(?!', '(?<=', '(?<!', '(?<n>', '(?<m>', '(?', '(?i:', '(?<', '(?>', '(*'];

function classBody() {
	let s = random(3) ? '' : '^';
	for (let i = random(5); i >= 0; i--) {
		s += random(3) ? pick(chars) : pick(escapes);
		if (!random(3)) s += '-' + (random(3) ? pick(chars) : pick(escapes));
	}
	return random(12) ? s.replace(/(?<!\\)[\]]/g, '') : '';
}
function atom(depth) {
	const r = random(20);
	if (r < 9) return pick(chars).replace(/[*+?]/g, '\\$&');
	if (r < 12) return pick(escapes);
	if (r < 14) return '[' + classBody() + (random(40) ? ']' : '');
	if (r === 14) return '.';
	if (r === 15) return pick(['^', '$', '\\b', '']);
	if (r === 16) return pick(['[^]', '[]', '[\\s\\S]', '[\\w-z]', '[a-\\d]', '[-a]', '[a-]', ']', '}', '{', '(?=a)*', '[\\b]', '[\\B]']);
	if (depth > 3) return 'x';
	return pick(opens.slice(0, random(8) ? 7 : opens.length)) + alternatives(depth + 1) + (random(60) ? ')' : '');
}
function alternatives(depth = 0) {
	let s = '';
	for (let i = random(4); i >= 0; i--) {
		s += atom(depth);
		if (!random(3)) s += pick(quantifiers.slice(0, random(6) ? 11 : quantifiers.length));
		if (!random(7)) s += '|';
	}
	return s;
}

// A text with parts of the expression.
function subject(source) {
	let s = '';
	for (let i = random(14); i >= 0; i--)
		s += random(3) ? pick(chars) : source.slice(random(source.length)).slice(0, 1 + random(3));
	return s.toWellFormed();
}

// V8 with the flag u also finds matches between the halves of a pair, which should not be.
function splits(text, place) {
	return place > 0 && /[\ud800-\udbff]/.test(text[place - 1]) && /[\udc00-\udfff]/.test(text[place]);
}

function tryOne(i) {
	const source = alternatives().toWellFormed();
	const flags = pick(['i', 'i', 'iu', '', 'im', 'is', 'u', 'imu']);
	let re;
	try {
		re = new RegExp(source, flags);
	} catch {
		print({ try: `random ${i}`, source, flags, valid: false });
		return;
	}
	const texts = [];
	for (let k = 0; k < 6; k++) {
		const text = subject(source), place = text.search(re);
		if (!splits(text, place)) texts.push([text, place]);
	}
	print({ try: `random ${i}`, source, flags, valid: true, texts });
}

function printCase() {
	const units = new Map();
	for (let c = 0; c < 0x10000; c++) {
		const u = String.fromCharCode(c).toUpperCase(), k = u.charCodeAt(0);
		const key = u.length !== 1 || (c >= 128 && k < 128) ? c : k;
		units.set(key, [...(units.get(key) ?? []), c]);
	}
	print({ case: [...units.values()].filter((v) => v.length > 1), unicode: false });
	const cased = [];
	for (let c = 0; c < 0x110000; c++)
		if ((c < 0xd800 || c > 0xdfff) && /\p{Changes_When_Casemapped}/u.test(String.fromCodePoint(c)))
			cased.push(c);
	const all = cased.map((c) => String.fromCodePoint(c)).join('');
	const sets = [];
	const seen = new Set();
	for (const c of cased) {
		if (seen.has(c)) continue;
		const same = [...all.matchAll(new RegExp(`\\u{${hexes(c, 1)}}`, 'giu'))].map((m) => m[0].codePointAt(0));
		same.forEach((d) => seen.add(d));
		if (same.length > 1) sets.push(same);
	}
	print({ case: sets, unicode: true });
}

const sayNormal = (text) => print({ text, normal: text.normalize('NFKC')
	.replace(/[\u200B-\u200F\uFEFF\u2060\u180E\u202A-\u202E\u2066-\u2069]/g, ''), utf16: text.length, only: [], hits: [] });

// Without letters that look like Latin ones: replacing them is not part of JavaScript.
// Marks of Unicode 16 and 17 have no class yet in Debian 12's utf8proc (15): their order differs.
const young = (c) => c === 0x897 || (c >= 0x1acf && c <= 0x1aff);
const script = /[\u0370-\u04ff\u0131\u01c0\u0578]/;
function printNormal() {
	const marks = [], letters = [];
	for (let from = 0; from < 0x110000; from += 256) {
		let text = '';
		for (let c = from; c < from + 256; c++) {
			if (c >= 0xd800 && c <= 0xdfff) continue;
			const s = String.fromCodePoint(c);
			if (script.test(s.normalize('NFKC'))) continue;
			text += s + ' ';
			if (c < 0x3100 && !young(c) && /\p{M}/u.test(s)) marks.push(s);
			else if ((c < 0x3400 || (c >= 0xac00 && c < 0xd7a4)) && /\p{L}/u.test(s)) letters.push(s);
		}
		sayNormal(text);
	}
	for (let i = 0; i < 4000; i++) {
		let text = '';
		for (let k = random(12); k >= 0; k--) {
			text += random(2) ? pick(letters) : pick([...'aeiouAEIOU \u200d']);
			for (let m = random(random(9) ? 4 : 60); m > 0; m--) text += pick(marks);
		}
		sayNormal(text);
	}
}

printCase();
printNormal();
for (let i = 0; i < count; i++) tryOne(i);
