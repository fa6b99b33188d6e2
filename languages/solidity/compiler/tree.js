// Prints the syntax trees of a Solidity file and of what it imports, as one JSON object:
//   {"compiler": "0.5.17", "files": [{"path": …, "text": …, "tree": …}], "messages": [{"file", "start", "text"}]}
// or {"error": "…"} when there is none and it has no place.
//
//   node tree.js FILE COMPILERS CACHE
//
// FILE's folder is all that is read besides the compilers; nothing is fetched. The one thing that is written is the
// answer, in CACHE, under the digest of the sources, of the compiler's version and of this program. A CACHE of "-" keeps
// nothing.
'use strict'
const fs = require('fs')
const path = require('path')
const crypto = require('crypto')

const VERSIONS = { '0.4': '0.4.25', '0.5': '0.5.17', '0.6': '0.6.12', '0.7': '0.7.6', '0.8': '0.8.26' }
const MOST_BYTES = 2000000
const MOST_FILES = 200
const LONGEST_NUMBER = 1000

const [main, compilers, cache] = process.argv.slice(2)

function give(answer) {
  fs.writeSync(1, JSON.stringify(answer))
  process.exit(0)
}

// All of it, to somebody who may have stopped listening.
function put(text) {
  try {
    for (let done = 0; done < text.length;) done += fs.writeSync(1, text, done)
  } catch (e) { process.exit(1) }
  process.exit(0)
}

// `start`: where in `file` (from the main file's folder); without it, nowhere.
function fail(text, file, start) {
  if (start === undefined) give({ error: text })
  // At the beginning it may be a file that is not to be read.
  const before = start === 0 ? '' : fs.readFileSync(path.join(path.dirname(main), file)).toString('latin1').slice(0, start)
  const line = before.split('\n').length
  give({ compiler: '', files: [], messages: [{ file, line, column: start - before.lastIndexOf('\n'), text }] })
}

// Comments, and strings if they are not wanted, become blanks of the same length, so that offsets stay.
function code(text, strings = true) {
  return text.replace(/\/\/[^\n\r]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g,
    found => found[0] === '/' || !strings ? found.replace(/[^\n\r]/g, ' ') : found)
}

function imports(text) {
  const found = []
  const pattern = /\bimport\s+(?:[^"';]*?\bfrom\s*)?["']([^"'\n]+)["']/g
  for (let match; (match = pattern.exec(code(text))) !== null;) found.push({ name: match[1], start: match.index })
  return found
}

// The file and what it imports, by their paths from the file's folder.
function collect() {
  const folder = fs.realpathSync(path.dirname(main))
  const sources = new Map()
  let bytes = 0
  const visit = (name, from, start) => { // `start` of the import, in `from`
    if (sources.has(name)) return
    const file = path.join(folder, name)
    let real
    try { real = fs.realpathSync(file) } catch (e) { fail('the import "' + name + '" is not there', from, start) }
    if (real !== folder && !real.startsWith(folder + path.sep))
      fail('the import "' + name + '" is outside the folder of the file, which alone is read', from, start)
    if (sources.size >= MOST_FILES) fail('found more than ' + MOST_FILES + ' imported files', from, start)
    const status = fs.statSync(real)
    if (!status.isFile()) fail('"' + name + '" is no file', from, start)
    bytes += status.size
    if (bytes > MOST_BYTES) fail('found more than ' + MOST_BYTES + ' bytes of source text', from, start)
    const text = fs.readFileSync(real)
    if (text.includes(0)) fail('found a NUL in the source text', name, text.indexOf(0))
    const long = new RegExp('[0-9a-fA-F_]{' + LONGEST_NUMBER + ',}').exec(code(text.toString('latin1'), false))
    if (long) fail('found a number of more than ' + LONGEST_NUMBER + ' digits', name, long.index)
    sources.set(name, text.toString('latin1')) // a character a byte: offsets are those of the compiler
    for (const i of imports(sources.get(name))) {
      if (/^[a-z]+:/i.test(i.name)) fail('the import "' + i.name + '" would have to be fetched', name, i.start)
      const target = i.name.startsWith('.') ? path.posix.join(path.posix.dirname(name), i.name) : path.posix.normalize(i.name)
      if (target.startsWith('..') || path.isAbsolute(target))
        fail('the import "' + i.name + '" is outside the folder of the file, which alone is read', name, i.start)
      visit(target, name, i.start)
    }
  }
  visit(path.basename(main), path.basename(main), 0)
  return sources
}

// Versions as the compiler's own "pragma solidity" has them.
const parse = text => text.split('.').map(part => part === '' || /[x*]/i.test(part) ? NaN : Number(part))
const compare = (a, b) => { for (let i = 0; i < 3; i++) if (a[i] !== b[i]) return a[i] - b[i]; return 0 }
const fill = v => [v[0] || 0, v[1] || 0, v[2] || 0]

function comparator(operator, version) {
  const v = fill(version)
  const given = version.filter(n => !Number.isNaN(n)).length
  const next = v.slice()
  if (operator === '^') {
    if (v[0] > 0) next.splice(0, 3, v[0] + 1, 0, 0)
    else if (v[1] > 0 || given < 3) next.splice(0, 3, 0, v[1] + 1, 0)
    else next[2]++
    return w => compare(w, v) >= 0 && compare(w, next) < 0
  }
  if (operator === '~' || ((operator === '=' || operator === '') && given < 3)) {
    if (given < 2) next.splice(0, 3, v[0] + 1, 0, 0)
    else next.splice(0, 3, v[0], v[1] + 1, 0)
    return w => compare(w, v) >= 0 && compare(w, next) < 0
  }
  if (operator === '>=') return w => compare(w, v) >= 0
  if (operator === '>') return w => compare(w, v) > 0
  if (operator === '<=') return w => compare(w, v) <= 0
  if (operator === '<') return w => compare(w, v) < 0
  return w => compare(w, v) === 0
}

function range(text) {
  const clean = text.replace(/["']/g, '').replace(/(\S+)\s+-\s+(\S+)/g, '>=$1 <=$2')
  const versions = []
  const choices = clean.split('||').map(part => {
    const all = []
    const pattern = /(\^|~|>=|<=|>|<|=|)\s*v?(\d+(?:\.(?:\d+|x|\*)){0,2})/g
    for (let match; (match = pattern.exec(part)) !== null;) {
      versions.push(parse(match[2]))
      all.push(comparator(match[1], parse(match[2])))
    }
    return w => all.every(c => c(w))
  })
  return { matches: w => choices.some(c => c(w)), versions }
}

function choose(sources) {
  const ranges = []
  for (const text of sources.values()) {
    const match = /\bpragma\s+solidity\s+([^;]*);/.exec(code(text))
    if (match) ranges.push(range(match[1]))
  }
  const there = Object.keys(VERSIONS).filter(minor => fs.existsSync(path.join(compilers, 'node_modules', 'solc-' + minor, 'soljson.js')))
  if (there.length === 0) fail('found no Solidity compiler in ' + compilers + '; `scripts/setup solidity` installs them')
  there.sort().reverse()
  const fits = there.find(minor => ranges.every(r => r.matches(parse(VERSIONS[minor]))))
  if (fits) return fits
  // None exactly: the same series. What a version changed inside its series is the compiler's own business.
  const wanted = ranges.flatMap(r => r.versions).map(v => fill(v)).map(v => v[0] + '.' + v[1])
  const near = there.find(minor => wanted.includes(minor))
  if (!near) fail('found no compiler for this "pragma solidity", there are ' + there.map(m => VERSIONS[m]).join(', '))
  return near
}

// The pragma is blanked: which compiler reads the file is decided here.
function blank(text) {
  const match = /\bpragma\s+solidity\s+[^;]*;/.exec(code(text))
  return match ? text.slice(0, match.index) + ' '.repeat(match[0].length) + text.slice(match.index + match[0].length) : text
}

function compile(minor, sources) {
  const compiler = require(path.join(path.resolve(compilers), 'node_modules', 'solc-' + minor, 'soljson.js'))
  const run = compiler._solidity_compile
    ? compiler.cwrap('solidity_compile', 'string', ['string', 'number', 'number'])
    : compiler.cwrap('compileStandard', 'string', ['string', 'number'])
  const input = { language: 'Solidity', sources: {}, settings: { outputSelection: { '*': { '': ['ast'] } } } }
  for (const [name, text] of sources) input.sources[name] = { content: blank(text).replace(/[\x80-\xff]/g, '?') }
  return JSON.parse(run(JSON.stringify(input), 0, 0))
}

function answer(minor, sources) {
  const output = compile(minor, sources)
  const files = []
  const messages = []
  for (const m of output.errors || []) {
    if (m.severity !== 'error') continue
    const where = m.sourceLocation || {}
    const old = /^([^:\n]+):(\d+):(\d+):/.exec(m.formattedMessage || '')
    const file = where.file || (old ? old[1] : main)
    const text = sources.get(file)
    let line = old ? Number(old[2]) : 0
    let column = old ? Number(old[3]) : 0
    if (text !== undefined && where.start >= 0) { // the compiler's own count leaves out columns now and then
      const before = text.slice(0, where.start)
      line = before.split('\n').length
      column = where.start - before.lastIndexOf('\n')
    }
    messages.push({ file, line, column, text: m.message })
  }
  for (const name of sources.keys()) {
    const unit = (output.sources || {})[name]
    if (unit && unit.ast) files[unit.id !== undefined ? unit.id : files.length] = { path: name, text: sources.get(name).replace(/[\x80-\xff]/g, '?'), tree: unit.ast }
  }
  return { compiler: VERSIONS[minor], files: files.map(f => f || null), messages }
}

const sources = collect()
const minor = choose(sources)
const hash = crypto.createHash('sha256').update(fs.readFileSync(__filename)).update(VERSIONS[minor])
for (const [name, text] of sources) hash.update('\0' + name + '\0' + text.length + '\0').update(text)
const kept = cache === '-' ? null : path.join(cache, hash.digest('hex') + '.json')
if (kept !== null && fs.existsSync(kept)) {
  const text = fs.readFileSync(kept)
  put(text)
}
let answered
try {
  answered = JSON.stringify(answer(minor, sources))
} catch (e) { // the stack, or a fault of its own
  fail('the compiler gave up: ' + String(e.message || e).split('\n')[0].slice(0, 200))
}
const text = Buffer.from(answered)
if (kept !== null) {
  try {
    fs.mkdirSync(cache, { recursive: true })
    fs.writeFileSync(kept + '.' + process.pid, text)
    fs.renameSync(kept + '.' + process.pid, kept)
  } catch (e) { /* without a cache it only takes longer */ }
}
put(text)
