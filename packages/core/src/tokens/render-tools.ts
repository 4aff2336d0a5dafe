/**
 * Function tools as OpenAI's models see them: types in a namespace, much like TypeScript. That this is so, and
 * how it looks, is known from what models repeat and from the open template of gpt-oss; that it fits the bill
 * was checked against published token counts. Nothing but counts is made of these texts.
 */
import { isObject, type JsonObject, own } from '../json/object.ts'
import type { Tool } from '../model/tool.ts'

/** Deeper than any schema a server takes; what lies below is written as `any`. */
const maxDepth = 32

/** The text between two tools, and after the last. Tokenizers begin a new piece before it, so that counts add up. */
export const toolEnd = ';\n\n'

/** One tool's lines without their end, or `undefined` for a tool that is not shown to the model in this form. */
export function renderTool(tool: Tool): string | undefined {
  switch (tool.kind) {
    case 'function': {
      const { name, description, parameters } = tool
      return `${comment(description, '')}type ${name} = ${signature(parameters)}${definitions(parameters)}`
    }
    case 'custom': {
      const grammar = tool.format?.type === 'grammar' ? comment(tool.format.definition, '') : ''
      return `${comment(tool.description, '')}${grammar}type ${tool.name} = (FREEFORM) => any`
    }
    default:
      return undefined
  }
}

/** The text around the tools of a namespace. */
export function renderNamespace(
  name: string,
  description?: string,
): { head: string; open: string; close: string } {
  return {
    head: `${comment(description, '')}namespace ${name}`,
    open: ' {\n\n',
    close: `${toolEnd}} // namespace ${name}`,
  }
}

function signature(parameters: unknown): string {
  const properties = isObject(parameters) ? own(parameters, 'properties') : undefined
  if (!isObject(parameters) || !isObject(properties) || Object.keys(properties).length === 0)
    return '() => any'
  return `(_: {\n${renderProperties(parameters, properties, 0, 0)}}) => any`
}

function renderProperties(schema: JsonObject, properties: JsonObject, indent: number, depth: number): string {
  const listed = own(schema, 'required')
  const required = new Set<unknown>(Array.isArray(listed) ? listed : [])
  const margin = ' '.repeat(indent)
  return Object.entries(properties)
    .map(([name, property]) => {
      const described = isObject(property) ? own(property, 'description') : undefined
      const mark = required.has(name) ? '' : '?'
      const type = renderType(property, indent, depth + 1)
      return `${comment(described, margin)}${margin}${name}${mark}: ${type},${defaultOf(property)}\n`
    })
    .join('')
}

function defaultOf(property: unknown): string {
  const value = isObject(property) ? own(property, 'default') : undefined
  return value === undefined || value === null ? '' : ` // default: ${JSON.stringify(value)}`
}

function renderType(schema: unknown, indent: number, depth: number): string {
  if (!isObject(schema) || depth > maxDepth) return 'any'
  const ref = own(schema, '$ref')
  if (typeof ref === 'string') return ref.slice(ref.lastIndexOf('/') + 1)
  const literals = own(schema, 'enum')
  if (Array.isArray(literals)) return literals.map(value => JSON.stringify(value)).join(' | ')
  if (Object.hasOwn(schema, 'const')) return JSON.stringify(own(schema, 'const'))
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const members = own(schema, key)
    if (!Array.isArray(members)) continue
    return members.map(member => renderType(member, indent, depth + 1)).join(key === 'allOf' ? ' & ' : ' | ')
  }
  const type = own(schema, 'type')
  if (Array.isArray(type)) return type.map(name => renderNamed(schema, name, indent, depth)).join(' | ')
  return renderNamed(schema, type, indent, depth)
}

function renderNamed(schema: JsonObject, type: unknown, indent: number, depth: number): string {
  switch (type) {
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
    case 'boolean':
    case 'null':
      return type
    case 'array':
      return `${renderType(own(schema, 'items'), indent, depth + 1)}[]`
    case 'object': {
      const properties = own(schema, 'properties')
      if (!isObject(properties)) return 'object'
      return `{\n${renderProperties(schema, properties, indent + 2, depth)}${' '.repeat(indent)}}`
    }
    default:
      return 'any'
  }
}

/** Shared definitions, each once, under its name. */
function definitions(parameters: unknown): string {
  if (!isObject(parameters)) return ''
  return ['$defs', 'definitions']
    .flatMap(key => Object.entries(asObject(own(parameters, key))))
    .map(([name, schema]) => `${toolEnd}type ${name} = ${renderType(schema, 0, 1)}`)
    .join('')
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

function comment(text: unknown, margin: string): string {
  if (typeof text !== 'string' || text === '') return ''
  return `${margin}// ${text.replaceAll('\n', `\n${margin}// `)}\n`
}
