/* SPDX-License-Identifier: MIT
 *
 * Small rules of every shape: both forms of conditions, every method, anchors and merges, strings
 * in every style.
 */
#include "base/scope.h"
#include "seeds.h"

const int seed_rounds = 100000;

static const struct seed seeds[] = {
	SEED("id: ATR-2026-00001\ntitle: 'A rule'\nstatus: stable\nmaturity: test\nseverity: high\n"
	     "tags: {category: model-abuse, confidence: high, scan_target: both}\n"
	     "agent_source: {type: llm_io}\ndetection:\n  condition: any\n  conditions:\n"
	     "    - field: content\n      operator: regex\n      value: "
	     "\"(?i)ignore\\\\s+all\\u00e9\"\n"
	     "    - {field: tool_args, operator: contains, value: rm -rf}\n"
	     "response:\n  actions: [alert, block_input]\n"),
	SEED("id: N\ntitle: >\n  folded\n  text\ndetection:\n  condition: (a OR b) AND NOT c\n"
	     "  conditions:\n    a: {field: content, patterns: [x, 'y'], match_type: exact}\n"
	     "    b: {metric: event_count, operator: gt, threshold: 1.5e3, window: 5m}\n"
	     "    c:\n      ordered: false\n      within: 2h\n      steps:\n"
	     "        - patterns: [p]\n        - {patterns: [q, r]}\n"),
	SEED("id: S\ntitle: T\ndetection:\n  method: signature\n  condition: any\n  conditions: "
	     "[]\n"
	     "  signature:\n    match_logic: all\n    indicators:\n"
	     "      - {type: sha256, value: 00ff, target_field: h}\n"),
	SEED("base: &b {x: 1, y: [~, true, 0x1F, -.inf]}\nmore:\n  <<: *b\n  y: |\n    literal\n"
	     "    text\n  z: [*b, *b]\nlist: &l\n- - - deep\n? key\n: !!str 12\n'q''q': "
	     "\"\\x41\\n\"\n"),
	SEED("id: T\ntitle: T\ntest_cases:\n  true_positives:\n    - input: {tool_name: a, "
	     "tool_args: "
	     "b}\n"
	     "  true_negatives: [{input: x, expected: not_triggered}]\ndetection:\n  method: "
	     "trace\n"
	     "  condition: all\n  conditions: [{field: trace.x, operator: regex, value: '.'}]\n"
	     "  trace: {forbid: [{shape: {span.kind: TOOL, attributes: {a: {in: [1, 2]}}}}]}\n"),
};

uint8_t *seed_make(unsigned i, size_t *ret_len)
{
	return seed_copy(seeds, ARRAY_SIZE(seeds), i, ret_len);
}
