/**
 * Converts a schema to a strict subset without changing its meaning, or reports why that is impossible. Optional
 * properties become nullable; `undo` removes those nulls from the arguments.
 */

import { refuseUnknownOptions } from '../../json/known-options.ts'
import { append, isObject, type JsonObject, setOwn } from '../../json/object.ts'
import { createReport } from '../../model/diagnostic.ts'
import { normalizeMeasured } from '../dialects/normalize.ts'
import { type SchemaPass, sameArgs } from '../pass.ts'
import { createRefIndex } from '../refs/refs.ts'
import { definitionKeywords, isWithinLimits } from '../walk.ts'
import { findViolations, isStrict, type StrictOptions, strictOptionNames } from './check-strict.ts'
import { type Conversion, createConversion, definitionsOf } from './conversion.ts'
import { convert } from './convert.ts'
import { strictMessages } from './messages.ts'
import { openaiStrictRules } from './rules.ts'
import { createUndo } from './undo.ts'

/** A schema for strict mode, if it could be made one. */
export interface StrictPass extends SchemaPass {
  /** Whether `schema` may be sent as strict. If not, it is the original schema. */
  readonly strict: boolean
}

/**
 * Rewrites a schema for strict mode, with an undo that removes the nulls it had to add.
 *
 * @example
 * ```js
 * import { strictify } from '@toolwire/core/schema'
 *
 * const { schema, undo } = strictify({ type: 'object', properties: { unit: { type: 'string' } } })
 * console.log(schema, undo({ unit: null })) // what was optional may be null, and is left out again
 * ```
 */
export function strictify(schema: unknown, options: StrictOptions = {}): StrictPass {
  refuseUnknownOptions('strictify', options, strictOptionNames)
  const { path = [], rules = openaiStrictRules } = options
  const { report, diagnostics } = createReport()
  const unchanged: StrictPass = { schema, strict: false, undo: sameArgs, diagnostics }
  if (!isWithinLimits(schema, path, report)) return unchanged
  if (!isObject(schema)) {
    report('strict_root_not_object', path, strictMessages.root)
    return unchanged
  }
  if (isStrict(schema, rules)) return { ...unchanged, strict: true }
  const normalization = createReport()
  const normal = normalizeMeasured(schema, path, normalization.report)
  const state = createConversion(isObject(normal) ? normal : schema, path, rules)
  const out = assemble(convert(state.root, path, state, true), state)
  if (state.refusals.length === 0) {
    // The result must pass the strict check, or it is not returned as strict.
    for (const { at, message, limit } of findViolations(out, rules)) {
      state.refuse(limit ? 'strict_limit_exceeded' : 'strict_unsupported_keyword', [...path, ...at], message)
    }
  }
  if (state.refusals.length > 0) {
    for (const note of state.refusals) report(note.code, note.path, note.message)
    return unchanged
  }
  append(diagnostics, normalization.diagnostics)
  for (const note of state.changes) report(note.code, note.path, note.message)
  const refs = createRefIndex(out)
  const undo = [...state.synthetic.values()].some(names => names.size > 0)
    ? createUndo(out, state.synthetic, ref => refs.resolve(ref, out)?.schema)
    : sameArgs
  return { schema: out, strict: true, undo, diagnostics }
}

/** Converts the referenced definitions and adds them in the root's order. The others are removed. */
function assemble(root: JsonObject, state: Conversion): JsonObject {
  const converted = new Map<string, Map<string, JsonObject>>()
  for (let next = state.pendingDefinitions.pop(); next !== undefined; next = state.pendingDefinitions.pop()) {
    const inside = converted.get(next.container) ?? new Map<string, JsonObject>()
    converted.set(next.container, inside)
    inside.set(next.name, convert(next.target, next.path, state))
  }
  const out: Record<string, unknown> = { ...root }
  for (const container of definitionKeywords) {
    const inside = converted.get(container) ?? new Map<string, JsonObject>()
    const original = Object.keys(definitionsOf(state.root, container))
    const order = [...new Set([...original, ...inside.keys()])].filter(name => inside.has(name))
    if (order.length > 0)
      setOwn(out, container, Object.fromEntries(order.map(name => [name, inside.get(name)])))
    else delete out[container]
    for (const name of original) {
      if (inside.has(name)) continue
      const message = `Nothing in the strict schema refers to the definition ${JSON.stringify(name)}; it was removed.`
      state.recordChange('schema_definition_removed', [...state.path, container, name], message)
    }
  }
  return out
}
