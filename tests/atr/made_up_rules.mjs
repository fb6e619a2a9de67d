// SPDX-License-Identifier: MIT
// Artificial rules for the parts of the format that the public pack hardly uses: all operators,
// named conditions and their expressions, measurements, sequences, signatures, traces, and words
// outside the schema. Each is a row; its id is its place.
const f = (field, operator, value, more) => ({ field, operator, value, ...more });
const p = (field, patterns, more) => ({ field, patterns, ...more });
const m = (metric, operator, threshold, window) => ({ metric, operator, threshold,
	...(window && { window }) });
const s = (steps, more) => ({ steps: steps.map((patterns) => ({ patterns })), ...more });
const list = (conditions, condition = 'any') => ({ condition, conditions });
const content = (value, more) => f('content', 'regex', value, more);
const rows = [];
const add = (detection, { source = 'llm_io', severity = 'high', maturity = 'stable',
	status = 'stable', tags, ...more } = {}) =>
	rows.push({ status, maturity, severity, detection,
		tags: { category: 'prompt-injection', confidence: 'high', ...tags },
		agent_source: { type: source }, response: { actions: ['alert'] }, ...more });

add(list([f('content', 'contains', 'Zebra \u039f\u0394\u039f\u03a3'),
	f('user_input', 'exact', 'the whole text'),
	f('tool_args', 'starts_with', '\u0130stanbul'), f('content', 'matches', 'zebra')]));
add(list([f('content', 'contains', 'zebra'), content('(?i)lion(?=s)')], 'all'),
	{ severity: 'medium', tags: { confidence: 'medium' } });
add(list([f('content', 'contains', 'tiger'), f('user_input', 'regex', 'wolf|fox'),
	f('agent_output', 'regex', 'bear')], 'typo'),
	{ severity: 'low', tags: { confidence: 'low' } });
add(list([content('(?s)cat.dog'), content('(a+)+owl'), content('.*.*.*hen'), content('(ab|ab)+x'),
	content('[')]), { severity: 'critical' });
add(list([content('\\u200b'), content('\\u0435')]), { severity: 'medium' });
add(list([], 'all'), { severity: 'informational', source: 'tool_call' });
add(list([f('content', 'contains', '')]), { severity: 'informational',
	source: 'multi_agent_comm' });
for (const [language, word] of [['en', 'zebra'], ['zh-Hans', 'lion'], ['zh-Hant', 'owl'],
	['ja', 'tiger'], ['ar', 'bear'], [null, 'fox']])
	add(list([content(word, { language })]), { severity: 'strange' });
add(list([f('content', 'contains', 'wolf', { language: 'es' })]));
add(list([f('unheard_of', 'regex', 'zebra'), f('tool_description', 'regex', 'lion'),
	f('metric', 'regex', 'tiger')]), { source: 'mcp_exchange' });
add(list([content('zebra'), content('lion'), content('wolf')], 'all'),
	{ tags: { scan_target: 'mcp', suppress_in_code_blocks: true } });
add(list([content('(?i)^wolf'), content('fox$')], 'or'),
	{ tags: { scan_target: 'skill', suppress_in_code_blocks: true } });
for (const [status, maturity] of [['draft', 'stable'], ['deprecated', 'stable'],
	['stable', 'deprecated'], ['stable', 'odd'], ['stable', ' test '],
	['experimental', 'draft']])
	add(list([content('zebra')]), { status, maturity, severity: 'medium',
		tags: { confidence: 'medium-high' } });
add(list([content('zebra')]), { confirm: 'embedding' });
for (const method of ['semantic', 'behavioral', 'unknown']) add({ method,
	...list([content('zebra')]) });
add({ method: 'semantic', semantic: { fallback_method: 'pattern' }, ...list([content('zebra')]) },
	{ source: 'context_window' });

const named = {
	a: p('content', ['zebra', '(?i)LION']), b: p('content', ['wolf', 'a.b'],
		{ match_type: 'contains' }),
	c: p('user_input', ['Fox'], { case_sensitive: true }),
		d: p('content', ['tiger and bear'], { match_type: 'exact' }),
	e: p('content', ['(zebra', 'owl'], { match_type: 'starts_with' }),
};
for (const condition of ['a', 'NOT a', 'a AND b', 'a OR b AND c', '(a OR b) AND c', 'NOT a OR b',
	'not (a and b)', 'a AND NOT b',
	'a or (b and (c OR d))', 'any', 'nobody OR a', 'a AND', '((a))', '(a) AND (NOT d)',
		'e OR d', ' a  OR  b ', 'NOT NOT a',
	'a AND b AND c AND d', '(a OR', 'a)) OR b', ''])
	add({ condition, conditions: named }, { source: 'mcp_exchange',
		tags: { confidence: 'medium' } });
add({ condition: 'a OR f OR g', conditions: { a: named.a, f: p('content', ['[']),
	g: p('content', ['(x+)+', 'owl']), h: p('content', ['zebra'], { match_type: 'odd' }),
	i: {} } },
	{ tags: { scan_target: 'both' } });
for (const [category, subcategory] of [['privilege-escalation'],
	['skill-compromise', 'dangerous-script'], ['context-exfiltration', 'x'],
	['tool-poisoning']]) {
	const conditions = { a: named.a, b: named.b };
	for (const scan_target of ['both', 'skill', 'mcp']) {
		add({ condition: 'a OR b', conditions },
			{ tags: { category, subcategory, scan_target } });
		add({ condition: 'a AND b', conditions },
			{ tags: { category, subcategory, scan_target } });
	}
}

for (const [operator, threshold] of [['gt', 3], ['lt', 3], ['eq', 3], ['gte', 3.5], ['lte', -1],
	['deviation_from_baseline', 2], ['near', 3]])
	add(list([m('rate', operator, threshold)]), { source: 'agent_behavior' });
add(list([m('call_frequency:shell', 'gte', 2, '1h'), m('pattern_frequency:zebra', 'gte', 2, '90 m'),
	m('event_count', 'gt', 5, '2h')]), { source: 'tool_call', severity: 'medium' });
add(list([m('pattern_frequency:(?i)zebra', 'gte', 1), content('(?i)zebra')]),
	{ source: 'tool_call', severity: 'low' });
add(list([m('call_frequency:shell', 'lt', 2), m('event_count', 'lte', 1)], 'all'),
	{ source: 'mcp_exchange', severity: 'low' });
add({ condition: 'n AND NOT a', conditions: { n: m('rate', 'gt', 1), a: named.a } },
	{ source: 'agent_behavior' });

add(list([s([['zebra'], ['lion', 'tiger']])]));
add(list([s([['zebra'], ['lion'], ['wolf']], { within: '10m' })]), { severity: 'critical' });
add(list([s([['wolf'], ['fox']], { ordered: false, within: '1h' })]), { severity: 'medium' });
add(list([s([['(?i)zebra'], ['fox'], ['owl']], { within: '0s' })]), { severity: 'low' });
add(list([s([['bear'], ['b\u0435ar']], { within: 'nonsense' }), s([])]), { source: 'tool_call' });
add(list([{ steps: [{ name: 'x' }, { patterns: ['zebra'] }, { patterns: ['lion'] }] }]),
	{ severity: 'low' });
add({ condition: 's AND a', conditions: { s: s([['zebra'], ['wolf']]), a: named.a } });

const indicators = [{ type: 'sha256', target_field: 'file_hash', value: 'ABcd01' },
	{ type: 'package_name', target_field: 'tool_name', value: 'Shell' }];
for (const match_logic of ['any', 'all', 'odd', undefined])
	add({ method: 'signature', ...list([]), signature: { match_logic, indicators } },
		{ source: 'tool_call', severity: 'medium' });
add({ method: 'signature', ...list([]), signature: { indicators: [] } });
add({ method: 'signature', ...list([]) });

const kind = (name, attributes) => ({ 'span.kind': name, ...(attributes && { attributes }) });
const traces = [
	{ forbid: [{ shape: kind('TOOL', { 'tool.level': { in: ['write', 3, true] } }),
		preceded_by: kind('READ', { 'source.trust': 'bad' }) }] },
	{ forbid: [{ shape: { attributes: { name: { regex: '^me',
		not_equals: '${span.attributes.other.name}' } } } }] },
	{ forbid: [{ shape: kind('TOOL', { 'a.b': { exists: true, not_in: [1, 'x'] },
		'tool.level': { equals: 'write' } }) },
		{ shape: { attributes: { 'a.b.c': null } } }] },
	{ forbid: [{ shape: { attributes: { n: { exists: false }, a: {} } },
		preceded_by: { one_of_shapes: [kind('READ'), { attributes: { n: 1 } }] } }] },
	{ forbid: [{ shape: { attributes: { 'a.b': { odd: 1 } } } },
		{ shape: { attributes: { 'a.b': { regex: 5 } } } },
		{ shape: { attributes: { 'a.b': [] , n: 2 } } }] },
	{ require: [{ target_shape: kind('TOOL'), must_be_preceded_by: { one_of_shapes: [
		kind('READ', { 'source.trust': 'good' }), { attributes: { ok: true } }] } }] },
	{ require: [{ target_shape: { attributes: { n: '${span.attributes.a.b}' } },
		must_be_preceded_by: kind('READ') }] },
	...['trace', 'agent.delegation_chain', 'session', 'conversation',
		'nobody'].map((across) => ({ invariant: [{ attribute: 'a.b', across }] })),
];
traces.push({ ...traces[0], ...traces[5], ...traces[8] });
for (const trace of traces) add({ method: 'trace', ...list([]), trace },
	{ source: 'agent_trace', tags: { confidence: 'medium' } });
add({ method: 'trace', ...list([]) }, { source: 'agent_trace' });

export const rules = rows.map((r, i) => {
	const id = `ATR-2026-9${String(i).padStart(4, '0')}`;
	return { id, title: `made up ${i}`, ...r };
});
