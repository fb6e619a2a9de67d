// SPDX-License-Identifier: MIT
// compare.cjs MODULES READER DIR: reads every YAML file below DIR with js-yaml and with Cordon's
// reader, and prints each file of which they do not make the same, then the sum. Both walk in the
// same order. It must never write anything.
'use strict'
const fs = require('fs')
const path = require('path')
const assert = require('assert')
const { execFileSync } = require('child_process')

const [modules, reader, dir] = process.argv.slice(2)
const yaml = require(path.join(modules, 'js-yaml'))

const walk = (d) => fs.readdirSync(d).flatMap((name) => {
  const file = path.join(d, name)
  if (fs.statSync(file).isDirectory()) return walk(file)
  return /\.ya?ml$/.test(name) ? [file] : []
})

const files = walk(dir)
const lines = execFileSync(reader, files, { maxBuffer: 1 << 30 }).toString().split('\n')
let differ = 0
files.forEach((file, i) => {
  const theirs = JSON.parse(JSON.stringify(yaml.load(fs.readFileSync(file, 'utf8'))))
  try {
    assert.deepStrictEqual(JSON.parse(lines[i]), theirs)
  } catch (e) {
    differ++
    console.log(`${file}: ${e.message.slice(0, 500)}`)
  }
})
console.log(`${files.length} files, ${differ} differ`)
process.exit(differ ? 1 : 0)
