// SPDX-License-Identifier: MIT
// Asks the reference engine about one event and prints the question with its answer as a JSON line
// for tests/atr/verdicts.c: {lane, event, only, matches: [[id, severity, confidence]], verdict}, or
// {..., throws: true}. ONLY lists the rules that were evaluated (all, if absent): the whole pack
// takes the reference 50 ms and more. It must never print an answer that the reference did not give.
import path from 'node:path';
import { print } from './sequence.mjs';

export async function reference(root) {
	const load = (name) => import(path.resolve(root, 'dist', name));
	const { ATREngine, decodeBase64Blocks } = await load('engine.js');
	const { SessionTracker } = await load('session-tracker.js');
	const { computeVerdict } = await load('verdict.js');
	const engines = new Map();

	console.warn = () => {}; // it warns about every slow expression, each time

	// One engine for each lane, made when it is needed.
	function engine(lane, rules, sessions) {
		const key = lane + sessions;
		if (!engines.has(key)) {
			const config = { lane, ...(sessions && { sessionTracker: new SessionTracker() }) };
			const e = new ATREngine(config);
			rules.forEach((r) => e.addRule(r));
			engines.set(key, e);
		}
		return engines.get(key);
	}

	function ask(rules, event, { lane = 'hunt', only, sessions = false } = {}) {
		const e = engine(lane, rules, sessions);
		const skill = event.scanContext === 'skill';
		const answer = { lane, event, only: only?.map((r) => r.id) };
		const wanted = only && new Set(only);
		e.rules = wanted ? rules.filter((r) => wanted.has(r)) : rules;
		try {
			const found = skill ? e.scanSkill(event.content) : e.evaluate(event);
			answer.matches = found.map((m) => [m.rule.id, m.rule.severity,
				m.confidence]);
			answer.verdict = computeVerdict(found).outcome;
		} catch (error) {
			answer.throws = error.message;
		}
		// After five blocks the reference would begin the next skill where this one ended.
		if (skill) decodeBase64Blocks('');
		print(answer);
		return answer.matches?.length ?? 0;
	}
	return ask;
}

// jansson refuses lone surrogates.
export function wellFormed(value) {
	if (typeof value === 'string') return value.toWellFormed();
	if (Array.isArray(value)) return value.map(wellFormed);
	if (value && typeof value === 'object') {
		return Object.fromEntries(Object.entries(value)
			.map(([k, v]) => [k.toWellFormed(), wellFormed(v)]));
	}
	return value;
}
