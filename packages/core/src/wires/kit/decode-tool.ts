/**
 * Decodes function and custom tools in any of the shapes clients write them: nested as on Chat, flat as on Responses,
 * with `input_schema` as on Messages, with `inputSchema` as MCP servers list them. Clients mix these up, so every codec
 * accepts all of them and reports a shape that is not its own.
 */

import type { Draft, JsonObject } from '../../json/object.ts'
import { append, compact, isObject, isSame, own } from '../../json/object.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import { into } from '../../model/diagnostic.ts'
import type { Residue, ResidueEntry } from '../../model/residue.ts'
import type { CustomFormat, CustomTool, FunctionTool, OpaqueTool } from '../../model/tool.ts'
import { FieldReader } from './field-reader.ts'

type ParametersKey = 'parameters' | 'input_schema' | 'inputSchema'

export interface ToolShape {
  readonly wire: string
  /** The wire's name in messages. */
  readonly title: string
  /** Where the wire has a tool's fields: inside `function` or `custom`, or beside `type`. */
  readonly holder: 'nested' | 'flat'
  readonly parametersKey: ParametersKey
  /** The wire's functions state their type. One that does not is understood, and stays without on its own wire. */
  readonly typed?: boolean
  /** What an absent `strict` means on this wire, if it does not mean non-strict. */
  readonly unstatedStrict?: 'auto'
  /** Whether the wire has `output_schema` and `defer_loading`. */
  readonly outputSchema?: boolean
  readonly deferLoading?: boolean
  /** Fields whose stated value is what leaving them out means. */
  readonly defaults?: { readonly [key: string]: unknown }
}

type HolderKey = 'function' | 'custom'

interface Holder {
  readonly fields: FieldReader
  /** The tool itself, if its fields are nested in an object. */
  readonly outer: FieldReader | undefined
  readonly path: Path
  /** From the tool to the holder. */
  readonly inside: Path
  readonly moved: Residue['moved']
  /** The object that the fields are read from. */
  readonly read: JsonObject
}

/** Opens the object that holds the tool's fields and reports when it is not where this wire has it. */
function openHolder(tool: JsonObject, path: Path, key: HolderKey, shape: ToolShape, report: Report): Holder {
  const outer = new FieldReader(tool)
  // On Messages `type` may be `null`, which stays in the residue.
  outer.string('type')
  const isFlat = typeof own(tool, 'name') === 'string'
  const isBoth = isFlat && isObject(own(tool, key))
  // A tool in both shapes is read in the wire's own; the other one stays unread.
  const inner = isBoth && shape.holder === 'flat' ? undefined : outer.object(key)
  const inside = inner === undefined ? [] : [key]
  const belongs = shape.holder === 'nested' ? [key] : []
  const isMoved = inside.length !== belongs.length
  const places = ['beside "type"', `inside "${key}"`]
  if (isMoved) {
    const message = `The tool's fields stand ${places[inside.length]}; on ${shape.title} they belong ${places[belongs.length]}.`
    report('mixed_shape', into(path, 'type'), message)
  } else if (isBoth) {
    const message = `The tool's fields stand ${places.join(' and ')}; on ${shape.title} those ${places[belongs.length]} count.`
    report('mixed_shape', into(path, 'type'), message)
  }
  return {
    fields: inner === undefined ? outer : new FieldReader(inner),
    outer: inner && outer,
    path: inner === undefined ? path : into(path, key),
    inside,
    moved: isMoved ? { from: inside, to: belongs } : undefined,
    read: inner ?? tool,
  }
}

/** The residue of the tool, with the entries that its decoder found. */
function residueOf(
  holder: Holder,
  shape: ToolShape,
  at: Path,
  found: { readonly entries?: readonly ResidueEntry[]; readonly defaults?: readonly ResidueEntry[] },
): Residue | undefined {
  const rest = holder.fields.unread(holder.inside)
  if (found.entries !== undefined) append(rest, found.entries)
  if (holder.outer !== undefined) append(rest, holder.outer.unread())
  const { defaults: recorded = [] } = found
  if (rest.length === 0 && recorded.length === 0) return undefined
  const isKnown = (entry: ResidueEntry): boolean => isDefault(entry, shape) || isRepeated(entry, holder)
  const entries = rest.filter(entry => !isKnown(entry))
  const defaults = rest.filter(isKnown)
  append(defaults, recorded)
  const residue = { wire: shape.wire, at, entries, defaults }
  return holder.moved === undefined ? residue : { ...residue, moved: holder.moved }
}

/** Whether an entry only repeats what was read: it belongs to another shape of the same tool. */
function isRepeated([path, value]: ResidueEntry, { read, outer }: Holder): boolean {
  const key = String(path.at(-1))
  if (outer !== undefined && path.length === 1) return repeats(key, value, read)
  if (isParametersKey(key))
    return parametersKeys.some(other => other !== key && isSame(own(read, other), value))
  if (!isObject(value) || (key !== 'function' && key !== 'custom')) return false
  return Object.entries(value).every(([inner, repeated]) => repeats(inner, repeated, read))
}

function repeats(key: string, value: unknown, read: JsonObject): boolean {
  const keys = isParametersKey(key) ? parametersKeys : [key]
  return keys.some(other => isSame(own(read, other), value))
}

function isDefault([path, value]: ResidueEntry, { defaults = {} }: ToolShape): boolean {
  const key = String(path.at(-1))
  return Object.hasOwn(defaults, key) && isDeepEqual(defaults[key], value)
}

/** Defaults are flags and short lists of strings. */
function isDeepEqual(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b
  return a.length === b.length && a.every((item, i) => item === b[i])
}

function decodeName(holder: Holder, what: string, report: Report): string | undefined {
  const name = holder.fields.string('name')
  if (name !== undefined && name !== '') return name
  report(
    'missing_name',
    into(holder.path, 'name'),
    `The ${what} tool has no name; give it a non-empty string.`,
  )
  return undefined
}

export function decodeFunctionTool(
  tool: JsonObject,
  path: Path,
  shape: ToolShape,
  report: Report,
): FunctionTool | OpaqueTool {
  const holder = openHolder(tool, path, 'function', shape, report)
  const { fields } = holder
  const name = decodeName(holder, 'function', report)
  if (name === undefined) return { kind: 'opaque', wire: shape.wire, root: path, value: tool }
  const parametersKey = keyOfParameters(fields, holder.path, shape, report)
  const parameters = fields.value(parametersKey)
  const beside = decodeStrictBeside(holder, path, report)
  const inSchema = decodeStrictInSchema(parameters, holder.path, parametersKey, report)
  const read: Draft<FunctionTool> = {
    kind: 'function',
    root: path,
    path: holder.path,
    name,
    parametersPath: into(holder.path, parametersKey),
  }
  const description = fields.string('description')
  if (description !== undefined) read.description = description
  if (parameters !== undefined) read.parameters = parameters
  const isMcp = parametersKey === 'inputSchema'
  const outputKey = isMcp ? 'outputSchema' : 'output_schema'
  const outputSchema = isMcp || shape.outputSchema ? fields.value(outputKey) : undefined
  if (outputSchema !== undefined) {
    read.outputSchema = outputSchema
    read.outputSchemaPath = into(holder.path, outputKey)
  }
  if (isMcp) reportHostFields(fields, holder.path, report)
  const deferLoading = shape.deferLoading ? fields.boolean('defer_loading') : undefined
  if (deferLoading !== undefined) read.deferLoading = deferLoading
  // Nested on a flat wire, the tool was written for Chat, where an absent `strict` means non-strict. MCP has no `strict`.
  const isForeign = isMcp || (shape.holder === 'flat' && holder.moved !== undefined)
  const unstated = isForeign ? undefined : shape.unstatedStrict
  const strict = fields.boolean('strict') ?? unstated
  if (strict !== undefined) read.strict = strict
  const misplaced = beside ?? inSchema
  if (misplaced !== undefined) read.misplacedStrict = misplaced
  const defaults: ResidueEntry[] = []
  if (beside !== undefined) defaults.push([['strict'], beside])
  // In another wire's shape the tool is written anew, with its type.
  const isOwnShape = holder.moved === undefined && parametersKey === shape.parametersKey
  if (shape.typed && isOwnShape && own(tool, 'type') === undefined) defaults.push([['type'], undefined])
  const residue = residueOf(holder, shape, path, { defaults })
  if (residue !== undefined) read.residue = residue
  return read
}

const parametersKeys: readonly ParametersKey[] = ['parameters', 'input_schema', 'inputSchema']

function isParametersKey(key: string): boolean {
  return (parametersKeys as readonly string[]).includes(key)
}

/** The key of the schema: the wire's own, unless only another format's is present. */
function keyOfParameters(fields: FieldReader, path: Path, shape: ToolShape, report: Report): ParametersKey {
  const ownKey = shape.parametersKey
  if (fields.value(ownKey) !== undefined) return ownKey
  const foreignKey = parametersKeys.find(key => key !== ownKey && fields.value(key) !== undefined)
  if (foreignKey === undefined) return ownKey
  report(
    'mixed_shape',
    into(path, foreignKey),
    `The schema stands under "${foreignKey}"; on ${shape.title} it belongs under "${ownKey}".`,
  )
  return foreignKey
}

/** What an MCP server says to the program that runs its tools, and not to the model. */
const hostFields = ['title', 'annotations', 'icons', '_meta', 'execution']

function reportHostFields(fields: FieldReader, path: Path, report: Report): void {
  for (const key of hostFields) {
    if (fields.value(key) === undefined) continue
    fields.ignore(key)
    const message = `"${key}" is for the program that runs the tool, and no request has a place for it.`
    report('hint_dropped', into(path, key), message)
  }
}

function decodeStrictBeside(holder: Holder, path: Path, report: Report): boolean | undefined {
  const beside = holder.outer?.boolean('strict')
  if (beside === undefined) return undefined
  report(
    'misplaced_strict',
    into(path, 'strict'),
    '"strict" stands beside the function object, where servers ignore it. Move it inside.',
  )
  return beside
}

function decodeStrictInSchema(
  parameters: unknown,
  path: Path,
  parametersKey: string,
  report: Report,
): boolean | undefined {
  const strict = isObject(parameters) ? own(parameters, 'strict') : undefined
  if (typeof strict !== 'boolean') return undefined
  report(
    'misplaced_strict',
    [...path, parametersKey, 'strict'],
    '"strict" stands inside the schema, where it means nothing. Move it out.',
  )
  return strict
}

export function decodeCustomTool(
  tool: JsonObject,
  path: Path,
  shape: ToolShape,
  report: Report,
): CustomTool | OpaqueTool {
  const holder = openHolder(tool, path, 'custom', shape, report)
  const { fields } = holder
  const name = decodeName(holder, 'custom', report)
  if (name === undefined) return { kind: 'opaque', wire: shape.wire, root: path, value: tool }
  const { format, entries } = decodeFormat(fields, into(holder.inside, 'format'), holder.path, shape, report)
  const description = fields.string('description')
  const deferLoading = shape.deferLoading ? fields.boolean('defer_loading') : undefined
  const residue = residueOf(holder, shape, path, { entries })
  const read = compact({ description, deferLoading, format, residue })
  return { kind: 'custom', root: path, path: holder.path, name, ...read }
}

/** A grammar is flat on Responses and nested under `grammar` on Chat; both are read everywhere. */
function decodeFormat(
  fields: FieldReader,
  at: Path,
  path: Path,
  shape: ToolShape,
  report: Report,
): { format?: CustomFormat; entries: ResidueEntry[] } {
  const format = fields.object('format')
  if (format === undefined) return { entries: [] }
  const reader = new FieldReader(format)
  const type = reader.string('type')
  if (type === 'text') return { format: { type }, entries: reader.unread(at) }
  const nested = reader.object('grammar')
  const grammar = nested === undefined ? reader : new FieldReader(nested)
  const syntax = grammar.string('syntax')
  const definition = grammar.string('definition')
  if (type !== 'grammar' || syntax === undefined || definition === undefined)
    return { entries: [[at, format]] }
  const inner = nested === undefined ? [] : grammar.unread([...at, 'grammar'])
  if ((nested === undefined) !== (shape.holder === 'flat')) {
    const where = shape.holder === 'flat' ? 'beside its "type"' : 'inside "grammar"'
    report('mixed_shape', [...path, 'format', 'type'], `On ${shape.title} the grammar stands ${where}.`)
  }
  return { format: { type, syntax, definition }, entries: [...reader.unread(at), ...inner] }
}
