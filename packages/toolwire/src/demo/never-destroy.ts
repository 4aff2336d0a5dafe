/**
 * The demo model chooses tools by their words and understands nothing, while an agent may really run what it calls. So it
 * calls nothing that changes or removes what is there, and what it writes goes into a new file of its own.
 */
import { isObject } from '@toolwire/core/json'
import { wordsOf } from './message-words.ts'
import type { DemoTool } from './read-tools.ts'

const changing: ReadonlySet<string> = new Set(
  `append change clear copy delete destroy discard drop edit erase insert kill modify move mv overwrite prune purge remove
   rename replace reset restart revert revoke rm rollback shutdown terminate truncate uninstall unlink update wipe`.split(
    /\s+/,
  ),
)
const writing: ReadonlySet<string> = new Set(
  'create download dump export generate make new output put save store touch upload write'.split(' '),
)
const places: ReadonlySet<string> = new Set(
  'destination dest file filename filepath folder directory dir path target uri'.split(' '),
)

/** A description begins with what the tool does. */
const firstWords = 3

export function isPlace(name: string): boolean {
  return says(name, places)
}

function says(text: string, words: ReadonlySet<string>, most = 12): boolean {
  return [...wordsOf(text, most)].some(word => words.has(word))
}

function does({ name, description }: DemoTool, words: ReadonlySet<string>): boolean {
  return says(name, words) || says(description.split(/\s+/, firstWords).join(' '), words)
}

/** Patches are not among them: a patch can be written that only adds a file. */
export function changesThings(tool: DemoTool): boolean {
  if (isPatch(tool.name)) return false
  return does(tool, changing) || (tool.kind === 'custom' && does(tool, writing))
}

export function isPatch(name: string): boolean {
  return says(name, new Set(['patch', 'diff']))
}

/**
 * The arguments with a new file wherever they name a place to write to; `undefined` when a word among them, such as the
 * action of a tool that has several, asks for a change.
 */
export function withNewFile(args: unknown, tool: DemoTool, digest: string): unknown {
  const choices = new Set(choicesIn(tool.parameters))
  const chosen = textsIn(args).filter(text => choices.has(text))
  if (chosen.some(text => says(text, changing))) return undefined
  const writes = does(tool, writing) || chosen.some(text => says(text, writing))
  return writes ? replacePlaces(args, newFile(digest)) : args
}

/** By its digest another request has another file, and the same request the same one. */
export function newFile(digest: string): string {
  return `hello-from-the-demo-model-${digest.slice(0, 8)}.txt`
}

/** The texts that a schema names, of which an argument takes one. */
function choicesIn(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(choicesIn)
  if (!isObject(schema)) return []
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'enum' || key === 'const' || key === 'default' ? textsIn(value) : choicesIn(value),
  )
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return isObject(value) ? Object.values(value).flatMap(textsIn) : []
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

const readers: ReadonlySet<string> = new Set(
  'cat date df du echo file grep head hostname id ls nl pwd rg sort stat tail tree true uname uniq wc which whoami'.split(
    ' ',
  ),
)

/** Whether a text that the user put in quotation marks only looks at things, as code of any kind. */
export function onlyReads(text: string): boolean {
  if (/^[\d\s+*/().-]+$/.test(text)) return true
  if (/^select\s[^;]*$/i.test(text) && !/\binto\b/i.test(text)) return true
  const [program = ''] = text.trim().split(/\s+/, 1)
  return readers.has(program) && /^[\w\s./,:=@%+*?"'-]*$/.test(text) && !/\s-(?:o|-output)/.test(text)
}
