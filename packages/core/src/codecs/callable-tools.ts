/**
 * Reads function and custom tools in any of the shapes clients write them: nested as on Chat, flat as on
 * Responses, with `input_schema` as on Messages. Real clients mix these up, so every codec accepts all of
 * them and reports a shape that is not its own.
 */
import type { Path, Report } from '../model/diagnostic.ts'
import type { JsonObject } from '../model/json.ts'
import { compact, isObject, own } from '../model/json.ts'
import type { Residue, ResidueEntry } from '../model/residue.ts'
import type { CustomFormat, CustomTool, FunctionTool, OpaqueTool } from '../model/tool.ts'
import type { Wire } from '../model/wire.ts'
import type { FieldReader } from './field-reader.ts'
import { createFieldReader } from './field-reader.ts'

export interface ToolShape {
  readonly wire: Wire
  /** The wire's name in messages. */
  readonly title: string
  /** The wire's own place for a tool's fields: inside `function` or `custom`, or beside `type`. */
  readonly holder: 'nested' | 'flat'
  readonly parametersKey: 'parameters' | 'input_schema'
  /** What silence about `strict` means on this wire, when it does not mean non-strict. */
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
  readonly outer: FieldReader
  readonly path: Path
  /** From the tool to the holder. */
  readonly inside: Path
  readonly moved?: Residue['moved']
}

/** Opens the object that holds the tool's fields and reports when it is not where this wire has it. */
function openHolder(tool: JsonObject, path: Path, key: HolderKey, shape: ToolShape, report: Report): Holder {
  const outer = createFieldReader(tool)
  // Messages may say `type: null`, which comes back through the residue like every null.
  outer.string('type')
  const inner = own(tool, key)
  if (!isObject(inner)) {
    if (shape.holder === 'flat') return { fields: outer, outer, path, inside: [] }
    report(
      'mixed_shape',
      [...path, 'type'],
      `The tool's fields stand beside "type"; on ${shape.title} they belong inside "${key}".`,
    )
    return { fields: outer, outer, path, inside: [], moved: { from: [], to: [key] } }
  }
  outer.skip(key)
  const opened = { fields: createFieldReader(inner), outer, path: [...path, key], inside: [key] }
  if (shape.holder === 'nested') return opened
  report(
    'mixed_shape',
    [...path, 'type'],
    `The tool's fields stand inside "${key}"; on ${shape.title} they belong beside "type".`,
  )
  return { ...opened, moved: { from: [key], to: [] } }
}

function residueOf(
  holder: Holder,
  shape: ToolShape,
  at: Path,
  more: { entries?: ResidueEntry[]; quiet?: ResidueEntry[] } = {},
): { residue?: Residue } {
  const rest = [...holder.fields.rest(holder.inside), ...(more.entries ?? [])]
  if (holder.outer !== holder.fields) rest.push(...holder.outer.rest())
  const entries = rest.filter(entry => !saysDefault(entry, shape))
  const quiet = [...rest.filter(entry => saysDefault(entry, shape)), ...(more.quiet ?? [])]
  if (entries.length === 0 && quiet.length === 0) return {}
  return { residue: { wire: shape.wire, at, entries, quiet, ...(holder.moved && { moved: holder.moved }) } }
}

function saysDefault([path, value]: ResidueEntry, { defaults = {} }: ToolShape): boolean {
  const key = String(path.at(-1))
  return Object.hasOwn(defaults, key) && isDeepEqual(defaults[key], value)
}

/** Defaults are flags and short lists of words. */
function isDeepEqual(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b
  return a.length === b.length && a.every((item, i) => item === b[i])
}

function readName(holder: Holder, what: string, report: Report): string | undefined {
  const name = holder.fields.string('name')
  if (name !== undefined && name !== '') return name
  report(
    'missing_name',
    [...holder.path, 'name'],
    `The ${what} tool has no name; give it a non-empty string.`,
  )
  return undefined
}

export function readFunctionTool(
  tool: JsonObject,
  path: Path,
  shape: ToolShape,
  report: Report,
): FunctionTool | OpaqueTool {
  const holder = openHolder(tool, path, 'function', shape, report)
  const { fields } = holder
  const name = readName(holder, 'function', report)
  if (name === undefined) return { kind: 'opaque', wire: shape.wire, root: path, value: tool }
  const { parameters, parametersKey } = readParameters(fields, holder.path, shape, report)
  const { misplacedStrict, quiet } = readMisplacedStrict(holder, path, report)
  const strictInSchema = isObject(parameters) ? own(parameters, 'strict') : undefined
  if (typeof strictInSchema === 'boolean') {
    report(
      'misplaced_strict',
      [...holder.path, parametersKey, 'strict'],
      '"strict" stands inside the schema, where it means nothing. Move it out.',
    )
  }
  // A nested tool on a flat wire was written by someone thinking of Chat, where silence means non-strict.
  const unstated = shape.holder === 'flat' && holder.moved !== undefined ? undefined : shape.unstatedStrict
  return {
    kind: 'function',
    root: path,
    path: holder.path,
    name,
    parametersPath: [...holder.path, parametersKey],
    ...compact({
      description: fields.string('description'),
      parameters,
      outputSchema: shape.outputSchema ? fields.value('output_schema') : undefined,
      deferLoading: shape.deferLoading ? fields.boolean('defer_loading') : undefined,
      strict: fields.boolean('strict') ?? unstated,
      misplacedStrict: misplacedStrict ?? (typeof strictInSchema === 'boolean' ? strictInSchema : undefined),
    }),
    ...residueOf(holder, shape, path, { quiet }),
  }
}

function readParameters(
  fields: FieldReader,
  path: Path,
  shape: ToolShape,
  report: Report,
): { parameters: unknown; parametersKey: string } {
  const ownKey = shape.parametersKey
  const foreignKey = ownKey === 'parameters' ? 'input_schema' : 'parameters'
  const parameters = fields.value(ownKey)
  if (parameters !== undefined) return { parameters, parametersKey: ownKey }
  const foreign = fields.value(foreignKey)
  if (foreign === undefined) return { parameters: undefined, parametersKey: ownKey }
  report(
    'mixed_shape',
    [...path, foreignKey],
    `The schema stands under "${foreignKey}"; on ${shape.title} it belongs under "${ownKey}".`,
  )
  return { parameters: foreign, parametersKey: foreignKey }
}

function readMisplacedStrict(
  holder: Holder,
  path: Path,
  report: Report,
): { misplacedStrict: boolean | undefined; quiet: ResidueEntry[] } {
  const beside = holder.outer === holder.fields ? undefined : holder.outer.boolean('strict')
  if (beside === undefined) return { misplacedStrict: undefined, quiet: [] }
  report(
    'misplaced_strict',
    [...path, 'strict'],
    '"strict" stands beside the function object, where servers ignore it. Move it inside.',
  )
  return { misplacedStrict: beside, quiet: [[['strict'], beside]] }
}

export function readCustomTool(
  tool: JsonObject,
  path: Path,
  shape: ToolShape,
  report: Report,
): CustomTool | OpaqueTool {
  const holder = openHolder(tool, path, 'custom', shape, report)
  const { fields } = holder
  const name = readName(holder, 'custom', report)
  if (name === undefined) return { kind: 'opaque', wire: shape.wire, root: path, value: tool }
  const { format, entries } = readFormat(fields, [...holder.inside, 'format'], holder.path, shape, report)
  return {
    kind: 'custom',
    root: path,
    path: holder.path,
    name,
    ...compact({
      description: fields.string('description'),
      deferLoading: shape.deferLoading ? fields.boolean('defer_loading') : undefined,
      format,
    }),
    ...residueOf(holder, shape, path, { entries }),
  }
}

/** A grammar is flat on Responses and nested under `grammar` on Chat; both are read everywhere. */
function readFormat(
  fields: FieldReader,
  at: Path,
  path: Path,
  shape: ToolShape,
  report: Report,
): { format?: CustomFormat; entries: ResidueEntry[] } {
  const format = fields.object('format')
  if (format === undefined) return { entries: [] }
  const reader = createFieldReader(format)
  const type = reader.string('type')
  if (type === 'text') return { format: { type }, entries: reader.rest(at) }
  const nested = reader.object('grammar')
  const grammar = nested === undefined ? reader : createFieldReader(nested)
  const syntax = grammar.string('syntax')
  const definition = grammar.string('definition')
  if (type !== 'grammar' || syntax === undefined || definition === undefined)
    return { entries: [[at, format]] }
  const inner = nested === undefined ? [] : grammar.rest([...at, 'grammar'])
  if ((nested === undefined) !== (shape.holder === 'flat')) {
    const where = shape.holder === 'flat' ? 'beside its "type"' : 'inside "grammar"'
    report('mixed_shape', [...path, 'format', 'type'], `On ${shape.title} the grammar stands ${where}.`)
  }
  return { format: { type, syntax, definition }, entries: [...reader.rest(at), ...inner] }
}
