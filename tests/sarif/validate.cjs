// SPDX-License-Identifier: MIT
// validate.cjs MODULES FILE: checks FILE with the schema of SARIF 2.1.0, and checks that every
// ruleIndex is that of the rule with the result's id, which the schema cannot say.
const { createRequire } = require('module')
const { readFileSync } = require('fs')
const [modules, file] = process.argv.slice(2)
const load = createRequire(modules + '/x')
const Ajv = load('ajv').default
const ajv = new Ajv({ allErrors: true, strict: false, unicodeRegExp: false })
load('ajv-formats').default(ajv)
const schema = JSON.parse(readFileSync(modules + '/schemastore/schemas/json/sarif-2.1.0.json'))
const log = JSON.parse(readFileSync(file))
const valid = ajv.compile(schema)
const wrong = valid(log) ? [] : valid.errors.map(e => `${e.instancePath} ${e.message}`)
for (const run of log.runs ?? [])
	for (const r of run.results ?? [])
		if (run.tool.driver.rules[r.ruleIndex]?.id !== r.ruleId) wrong.push(`${r.ruleId}: ruleIndex`)
console.log(wrong.length ? wrong.join('\n') : `valid, ${log.runs[0].results.length} results`)
process.exit(wrong.length ? 1 : 0)
