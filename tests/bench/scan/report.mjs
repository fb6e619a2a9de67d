// SPDX-License-Identifier: MIT
// report.mjs DIR JSON: prints the table of the scan benchmark from the files of `run` in DIR, and
// writes it as JSON. A set in which the engines found different rules is marked: its ratio is void.
import fs from 'node:fs';
import path from 'node:path';

const [dir, json] = process.argv.slice(2);
const read = (name) => fs.readFileSync(path.join(dir, name), 'utf8').trim().split('\n').map((l) => JSON.parse(l));
const bySet = (rows) => new Map(rows.filter((r) => r.set).map((r) => [r.set, r]));
const reference = bySet(read('reference')), same = bySet(read('same'));
const all = bySet(read('all')), strict = bySet(read('strict'));
const start = read('all').find((r) => r.start).start;
const cell = (value, digits = 1) => (value === undefined ? '-' : value.toFixed(digits)).padStart(11);

console.log('\nscanning, the same events in sequence, each once; microseconds of the processor, mean');
console.log(`${''.padEnd(18)}${['events', 'reference', 'cordon', 'ratio', 'rules'].map((t) => t.padStart(11)).join('')}`);
const ratios = {};
for (const [set, r] of reference) {
	const c = same.get(set), equal = Math.abs(r.rules - c.rules) < 0.001 && !c.undecided;
	ratios[set] = r.avg / c.avg;
	console.log(`${set.padEnd(18)}${String(r.n).padStart(11)}${cell(r.avg)}${cell(c.avg)}${cell(ratios[set], 0)}` +
		`${cell(c.rules, 2)}${equal ? '' : `  NOT EQUAL: the reference finds ${r.rules.toFixed(2)}`}`);
}
console.log('\nCordon alone, all events; microseconds of the processor');
console.log(`${''.padEnd(18)}${['events', 'mean', 'median', 'p99', 'max', 'MB/s', 'undecided', 'strict MB/s'].map((t) => t.padStart(12)).join('')}`);
for (const [set, c] of all)
	console.log(`${set.padEnd(18)}${String(c.n).padStart(12)} ${[c.avg, c.p50, c.p99, c.max, c.mbs].map((v) => cell(v)).join(' ')}` +
		` ${String(c.undecided).padStart(11)} ${cell(strict.get(set)?.mbs)}`);
console.log(`\nstart, milliseconds: rules from YAML ${start.rules_ms}, compiling ${start.compile_ms}, ` +
	`from the cache ${start.read_ms}, engine ${start.engine_ms}`);
fs.writeFileSync(json, JSON.stringify({ start, ratios, reference: [...reference.values()], same: [...same.values()],
	all: [...all.values()], strict: [...strict.values()] }, null, 1) + '\n');
