/** The configuration as it may be shown: settings that the table calls secret are masked, and so is what looks like a key. */
import type { Path } from '@toolwire/core'
import { isObject } from '@toolwire/core/json'
import { type JSONVisitor, visit } from 'jsonc-parser'
import { createMasker } from '../telemetry/mask-secrets.ts'
import { configRule } from './config-table.ts'
import type { Rule } from './rule.ts'

/** Names that people give to settings with keys. */
const secretName = /key|token|secret|password|authorization|credential/i
const masker = createMasker()
const mask = '***'

export function maskConfig(config: object): unknown {
  return masked(config, configRule, false)
}

function masked(value: unknown, rule: Rule | undefined, secret: boolean): unknown {
  if (typeof value === 'string') return secret ? mask : masker.text(value)
  if (rule?.kind === 'code') return names(value)
  if (Array.isArray(value)) {
    const item = rule?.kind === 'list' ? rule.item : undefined
    return value.map(entry => masked(entry, item, secret))
  }
  if (!isObject(value)) return value
  const chosen = rule?.kind === 'either' ? rule.choose(value) : rule
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => {
      if (chosen?.kind === 'map') return [key, masked(entry, chosen.value, secret)]
      const field =
        chosen?.kind === 'object' && Object.hasOwn(chosen.fields, key) ? chosen.fields[key] : undefined
      return [key, masked(entry, field?.rule, secret || field?.secret === true)]
    }),
  )
}

/** Tools and wires are code; only their names are shown. */
function names(value: unknown): unknown {
  const nameOf = (tool: unknown): unknown => (isObject(tool) ? tool.name : undefined)
  if (isObject(value) && !(Symbol.iterator in value)) {
    return Object.fromEntries(Object.entries(value).map(([type, tool]) => [type, nameOf(tool)]))
  }
  return [...(value as Iterable<unknown>)].map(nameOf)
}

/** JSON of JSON with comments and trailing commas: blanks stand in their place, so that all offsets stay the same. */
export function jsonOf(text: string): string {
  const extras: [offset: number, length: number][] = []
  /** Whether a value was the last thing, and then the comma behind it. */
  let isBehindValue = false
  let comma: number | undefined
  const begin = (): void => {
    isBehindValue = false
    comma = undefined
  }
  const end = (): void => {
    if (comma !== undefined) extras.push([comma, 1])
    isBehindValue = true
    comma = undefined
  }
  const visitor: JSONVisitor = {
    onComment: (offset, length) => void extras.push([offset, length]),
    onObjectBegin: begin,
    onArrayBegin: begin,
    onObjectProperty: begin,
    onObjectEnd: end,
    onArrayEnd: end,
    onLiteralValue() {
      isBehindValue = true
      comma = undefined
    },
    onSeparator(character, offset) {
      comma = character === ',' && isBehindValue ? offset : undefined
      isBehindValue = false
    },
  }
  if (!visitAll(text, visitor)) return text
  const rewrite = createRewrite(text)
  for (const [offset, length] of extras.sort(([a], [b]) => a - b)) rewrite.put(offset, length, ' ')
  return rewrite.text()
}

/** Replaces keys by stars of the same length; also in a text that is not valid JSON. */
export function maskText(text: string): string {
  const rewrite = createRewrite(text)
  const isVisited = visitAll(text, {
    onLiteralValue(_value, offset, length, _line, _column, pathOf) {
      if (isSecret(pathOf())) rewrite.put(offset, length, '*')
    },
    onComment(offset, length) {
      const comment = text.slice(offset, offset + length)
      if (masker.text(comment) !== comment) rewrite.put(offset, length, '*')
    },
  })
  return isVisited ? rewrite.text() : text.replace(/[^\r\n]/g, '*')
}

/** False when the text is nested too deeply to be visited; such a text is refused elsewhere. */
function visitAll(text: string, visitor: JSONVisitor): boolean {
  try {
    visit(text, visitor, { allowTrailingComma: true })
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

interface Rewrite {
  /** Offsets must be rising. Line breaks and quotes stay. */
  put(offset: number, length: number, char: string): void
  text(): string
}

function createRewrite(text: string): Rewrite {
  const pieces: string[] = []
  let done = 0
  return {
    put(offset, length, char) {
      const changed = char === ' ' ? /[^\r\n]/g : /[^"\r\n]/g
      pieces.push(text.slice(done, offset), text.slice(offset, offset + length).replace(changed, char))
      done = offset + length
    },
    text: () => pieces.join('') + text.slice(done),
  }
}

/** Whether the table calls this setting secret or, for settings that are not in the table, its name suggests it. */
function isSecret(path: Path): boolean {
  let rules: readonly Rule[] = [configRule]
  for (const part of path) {
    const next: Rule[] = []
    for (const rule of rules.flatMap(rule => (rule.kind === 'either' ? rule.of : [rule]))) {
      if (rule.kind === 'list') next.push(rule.item)
      else if (rule.kind === 'map') next.push(rule.value)
      else if (rule.kind === 'object' && Object.hasOwn(rule.fields, part)) {
        const field = rule.fields[part]
        if (field?.secret === true) return true
        if (field !== undefined) next.push(field.rule)
      }
    }
    if (next.length === 0) return path.some(name => typeof name === 'string' && secretName.test(name))
    rules = next
  }
  return false
}
