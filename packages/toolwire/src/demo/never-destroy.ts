/**
 * The demo model chooses tools by their words and understands nothing, while an agent may really run what it calls. A list
 * of harmful words is never complete, so it calls only what says that it reads, asks or computes, runs only harmless code,
 * and writes only into a new file of its own. Everything else it declines.
 */
import { isObject, own } from '@toolwire/core/json'
import { ownObject } from './json.ts'
import { nameWords } from './message-words.ts'
import type { DemoTool } from './read-tools.ts'
import {
  arithmetic,
  askingVerbs,
  changingVerbs,
  codeWords,
  destinations,
  fileWords,
  identities,
  joiningWords,
  neutralWords,
  places,
  readingVerbs,
  writingVerbs,
} from './tool-words.ts'

/** How a tool may be used, or the reason why it is not called. */
export type Verdict =
  | { readonly use: 'read' | 'run' | 'patch' | 'write' | 'add' }
  | { readonly use: 'none'; readonly reason: string }

export function judge(tool: DemoTool): Verdict {
  const words = nameWords(tool.name)
  // Without the name of the server or namespace before it.
  const ownWords = nameWords(tool.name.split(/__|[.:/]/).findLast(part => part !== '') ?? '')
  if (isPatchName(ownWords)) return takesOne(tool, patchInputs) ? { use: 'patch' } : unclear
  const changing = [...words, ...firstWords(tool.description)].find(word => changingVerbs.has(word))
  if (changing !== undefined)
    return { use: 'none', reason: `says “${changing}”, and may change or remove something that is there` }
  if (ownWords.length > 0 && ownWords.every(word => codeWords.has(word)))
    return takesOne(tool, codeInputs) ? { use: 'run' } : unclear
  if (ownWords.some(word => writingVerbs.has(word))) return judgeWriting(tool, ownWords)
  return onlyReadsOrComputes(tool, ownWords) ? { use: 'read' } : unclear
}

const unclear: Verdict = { use: 'none', reason: 'does not say by its name that it only reads or computes' }

/** A description begins with what the tool does. */
function firstWords(description: string): string[] {
  return nameWords(description.split(/\s+/, 3).join(' '))
}

function onlyReadsOrComputes(tool: DemoTool, words: readonly string[]): boolean {
  if (firstWords(tool.description).some(word => writingVerbs.has(word))) return false
  const [first = '', second = ''] = words
  if (arithmetic.has(first)) return takesOnlyNumbers(tool)
  // "Check out" and "get rid" are other verbs than "check" and "get".
  if (['in', 'out', 'off', 'rid'].includes(second)) return false
  const isHarmless = (word: string): boolean => readingVerbs.has(word) || neutralWords.has(word)
  // What is converted in its place is gone.
  if (['convert', 'translate'].includes(first) && takesOne(tool, places)) return false
  // What "and" joins to a harmless verb may be another one.
  if (words.some((word, i) => joiningWords.has(word) && !isHarmless(words[i + 1] ?? ''))) return false
  return (
    readingVerbs.has(first) ||
    // Behind the name of a service: `github_get_issue`, `brave_web_search`.
    askingVerbs.has(second) ||
    askingVerbs.has(words.at(-1) ?? '') ||
    (words.length > 0 && words.every(isHarmless))
  )
}

/** A note without a name or a place is added to the others; anything else needs a file that can be named. */
function judgeWriting(tool: DemoTool, words: readonly string[]): Verdict {
  const keys = Object.keys(ownObject(tool.parameters ?? {}, 'properties') ?? {})
  const rest = words.filter(word => !writingVerbs.has(word))
  const isNote = rest.length > 0 && rest.every(word => ['a', 'note', 'memo'].includes(word))
  if (isNote && keys.every(key => ['text', 'content', 'body', 'note'].includes(key))) return { use: 'add' }
  const takesFile = keys.some(isPlace) && !keys.some(key => !isPlace(key) && says(key, identities))
  return takesFile && rest.every(word => fileWords.has(word))
    ? { use: 'write' }
    : { use: 'none', reason: 'writes, and I cannot name a new file for it' }
}

const patchInputs: ReadonlySet<string> = new Set(['patch', 'diff', 'input'])
const codeInputs: ReadonlySet<string> = new Set([...codeWords, 'input', 'query'])

export function isPatchName(words: readonly string[]): boolean {
  return words.includes('patch') && words.every(word => ['apply', 'patch', 'tool', 'file'].includes(word))
}

/** Whether the text that the tool gets is known to be of a kind. */
function takesOne({ kind, parameters }: DemoTool, words: ReadonlySet<string>): boolean {
  if (kind === 'custom') return true
  return Object.keys(ownObject(parameters ?? {}, 'properties') ?? {}).some(key => says(key, words))
}

function takesOnlyNumbers({ parameters }: DemoTool): boolean {
  const properties = Object.values(ownObject(parameters ?? {}, 'properties') ?? {})
  const isNumber = (schema: unknown): boolean =>
    isObject(schema) &&
    (['number', 'integer'].includes(String(own(schema, 'type'))) || isNumber(own(schema, 'items')))
  return properties.length > 0 && properties.every(isNumber)
}

export function isPlace(name: string): boolean {
  return says(name, places)
}

function says(text: string, words: ReadonlySet<string>): boolean {
  return nameWords(text).some(word => words.has(word))
}

/**
 * The arguments with a new file wherever a writing tool names a place; `undefined` when one of them, such as the action of
 * a tool that has several, asks for a change.
 */
export function safeArguments(args: unknown, tool: DemoTool, digest: string): unknown {
  const { use } = judge(tool)
  if (use === 'patch') return args
  if (use === 'run') {
    const choices = new Set(choicesIn(tool.parameters))
    const chosen = membersOf(args).filter(([, value]) => typeof value === 'string' && choices.has(value))
    return chosen.every(([, value]) => onlyReads(String(value))) ? args : undefined
  }
  if (use === 'write') {
    const written = replacePlaces(args, newFile(digest))
    return JSON.stringify(written) === JSON.stringify(args) || asksForChange(args, tool) ? undefined : written
  }
  return asksForChange(args, tool) || (use === 'read' && namesDestination(args)) ? undefined : args
}

const actions: ReadonlySet<string> = new Set(['action', 'operation', 'op', 'verb'])
const modes: ReadonlySet<string> = new Set(['method', 'mode'])
const sendingMethods: ReadonlySet<string> = new Set(['patch', 'post', 'put'])

function asksForChange(args: unknown, tool: DemoTool): boolean {
  const choices = new Set(choicesIn(tool.parameters))
  return membersOf(args).some(([key, value]) => {
    if (typeof value === 'boolean') return value && says(key, changingVerbs)
    if (typeof value !== 'string') return false
    const words = nameWords(value)
    if (says(key, actions)) return !words.every(word => readingVerbs.has(word) || arithmetic.has(word))
    if (!choices.has(value) && !says(key, modes)) return false
    return words.some(word => changingVerbs.has(word) || sendingMethods.has(word))
  })
}

function namesDestination(args: unknown): boolean {
  return membersOf(args).some(([key, value]) => typeof value === 'string' && says(key, destinations))
}

/** Each value that is not an object or array, with the nearest key above it. */
function membersOf(value: unknown, key = ''): [key: string, value: unknown][] {
  if (Array.isArray(value)) return value.flatMap(item => membersOf(item, key))
  if (!isObject(value)) return [[key, value]]
  return Object.entries(value).flatMap(([name, member]) => membersOf(member, name))
}

/** By its digest another request has another file, and the same request the same one. */
export function newFile(digest: string): string {
  return `hello-from-the-demo-model-${digest.slice(0, 8)}.txt`
}

/** The texts that a schema names, of which an argument takes one. */
function choicesIn(schema: unknown): unknown[] {
  if (Array.isArray(schema)) return schema.flatMap(choicesIn)
  if (!isObject(schema)) return []
  return Object.entries(schema).flatMap(([key, value]) =>
    ['enum', 'const', 'default'].includes(key) ? membersOf(value).map(([, text]) => text) : choicesIn(value),
  )
}

function replacePlaces(value: unknown, file: string): unknown {
  if (Array.isArray(value)) return value.map(item => replacePlaces(item, file))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (!isPlace(key)) return [key, replacePlaces(member, file)]
      if (typeof member === 'string') return [key, file]
      return [
        key,
        Array.isArray(member) && member.every(isText) ? member.map(() => file) : replacePlaces(member, file),
      ]
    }),
  )
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** These write nothing, whatever they are given. `sort`, `uniq`, `tree` and others name files to write in their own ways. */
const readers: ReadonlySet<string> = new Set(
  'cat df du echo grep head id ls nl pwd stat tail true uname wc which whoami'.split(' '),
)

/** These only by themselves: what follows may set what they show, or name a file to write. */
const lonelyReaders: ReadonlySet<string> = new Set(['date', 'hostname', 'tree'])

/** Other functions of a database may change it. */
const readingFunctions: ReadonlySet<string> = new Set([
  'avg',
  'coalesce',
  'count',
  'length',
  'lower',
  'max',
  'min',
  'round',
  'sum',
  'upper',
])

/** Whether a text that the user put in quotation marks only looks at things, as code of any kind. */
export function onlyReads(text: string): boolean {
  const code = text.trim()
  if (/^[\d\s+*/().-]+$/.test(code)) return true
  if (/^select\s[^;]*$/i.test(code)) {
    const others = code.replaceAll(/\b(\w+)\s*\(/g, (call, name: string) =>
      readingFunctions.has(name.toLowerCase()) ? '<' : call,
    )
    return !/\binto\b/i.test(code) && !/[\w"`\]]\s*\(/.test(others)
  }
  if (lonelyReaders.has(code)) return true
  const [program = ''] = code.split(/\s+/, 1)
  // One line without anything that a shell takes for more than words: the next line would be another command.
  return readers.has(program) && /^[\w\t ./,:=@%+*?"'-]*$/.test(code)
}
