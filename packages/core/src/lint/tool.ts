/** Rules for one tool of any kind. */
import { isObject, own } from '../json/object.ts'
import type { CustomTool, FunctionTool, HostedTool, NamespaceTool, Tool } from '../model/tool.ts'
import { type LintContext, objectAt, quote } from './context.ts'
import { lintParameters } from './parameters.ts'

export function lintTool(tool: Tool, context: LintContext, inNamespace = false): void {
  switch (tool.kind) {
    case 'function':
      lintDescription(tool, context)
      lintStrict(tool, context)
      lintParameters(tool, context, inNamespace)
      return
    case 'custom':
      lintDescription(tool, context)
      if (context.asIs) lintFormat(tool, context)
      return
    case 'namespace':
      if (context.asIs) lintNamespace(tool, context)
      for (const inner of tool.tools) lintTool(inner, context, true)
      return
    case 'hosted':
      if (context.asIs) lintHosted(tool, context)
      return
    case 'opaque':
      return
  }
}

function lintDescription(tool: FunctionTool | CustomTool, context: LintContext): void {
  const { source, limits, asIs, fields, add } = context
  const path = [...tool.path, fields.description]
  const raw = own(objectAt(source, tool.path), fields.description)
  if (asIs && raw !== undefined && typeof raw !== 'string' && !(raw === null && limits.nullFields)) {
    const example = { path, value: 'Returns the weather of a city' }
    const remedy = 'Write a text, or leave it out.'
    add('invalid_field', path, 'The description must be a string.', remedy, undefined, example)
    return
  }
  const { description = '' } = tool
  if (description.trim() === '') {
    add(
      'description_advised',
      path,
      `Nothing tells the model what ${quote(tool.name)} does.`,
      'Describe in a sentence or two what the tool does and when to use it.',
    )
  }
  if (description.length > limits.maxDescription) {
    add(
      'description_too_long',
      path,
      `The description has ${description.length} characters; some servers stop at ${limits.maxDescription}.`,
      'Shorten it, or move the details into the descriptions of the parameters.',
    )
  }
}

function lintStrict(tool: FunctionTool, { source, asIs, strict, add }: LintContext): void {
  if (!asIs) return
  const path = [...tool.path, 'strict']
  const raw = own(objectAt(source, tool.path), 'strict')
  if (raw !== undefined && raw !== null && typeof raw !== 'boolean') {
    const example = { path, value: raw === 'true' }
    const remedy = 'Write true or false, without quotes.'
    add('invalid_field', path, '"strict" must be true or false.', remedy, undefined, example)
    return
  }
  if (tool.strict !== 'auto') return
  // Both values change what the server does now, so there is no certain fix.
  add(
    'strict_unstated',
    path,
    '"strict" is left out, so the server tries strict mode and makes optional parameters required.',
    strict ? 'Say true.' : 'Say true or false.',
    undefined,
    { path, value: strict },
  )
}

function lintNamespace(tool: NamespaceTool, { add }: LintContext): void {
  if (tool.description === undefined || tool.description.trim() === '') {
    add(
      'missing_field',
      [...tool.root, 'description'],
      'A namespace must have a description.',
      'Say what the tools of the namespace have in common.',
      undefined,
      { path: [...tool.root, 'description'], value: `The tools of ${tool.name}` },
    )
  }
  if (tool.tools.length > 0) return
  add(
    'empty_namespace',
    [...tool.root, 'tools'],
    `The namespace ${quote(tool.name)} holds no tools.`,
    'Give it at least one tool, or remove it.',
  )
}

const syntaxes = ['lark', 'regex']

/** The format of a free-text tool. The codec reports fields of a grammar that stand in the wrong place. */
function lintFormat(tool: CustomTool, { source, limits, add }: LintContext): void {
  const format = own(objectAt(source, tool.path), 'format')
  const path = [...tool.path, 'format']
  if (format === undefined || (format === null && limits.nullFields)) return
  if (!isObject(format)) {
    const remedy = 'Write {"type": "text"}, or leave it out.'
    const example = { path, value: { type: 'text' } }
    add('invalid_field', path, 'The format must be an object.', remedy, undefined, example)
    return
  }
  const type = own(format, 'type')
  if (type === 'text') return
  if (type !== 'grammar') {
    const typePath = [...path, 'type']
    const example = { path: typePath, value: 'text' }
    const message = 'A format is "text" or "grammar".'
    add('invalid_field', typePath, message, 'Use one of the two.', undefined, example)
    return
  }
  const inner = own(format, 'grammar')
  const nested = isObject(inner)
  const grammar = nested ? inner : format
  const holder = nested ? [...path, 'grammar'] : path
  const definition = own(grammar, 'definition')
  const syntax = own(grammar, 'syntax')
  if (typeof definition !== 'string' || definition === '') {
    add(
      'missing_field',
      [...holder, 'definition'],
      'The grammar has no definition.',
      'Write the grammar as a string.',
      undefined,
      { path: [...holder, 'definition'], value: 'start: /[a-z]+/' },
    )
  }
  if (typeof syntax !== 'string' || !syntaxes.includes(syntax)) {
    add(
      syntax === undefined ? 'missing_field' : 'invalid_field',
      [...holder, 'syntax'],
      'The syntax of a grammar is "lark" or "regex".',
      'Say in which of the two the definition is written.',
      undefined,
      { path: [...holder, 'syntax'], value: 'lark' },
    )
  }
}

/** The fields that a hosted tool requires. */
function lintHosted(tool: HostedTool, context: LintContext): void {
  const { add, target } = context
  const { required, exactlyOne } = target.hostedTools
  const family = tool.type.replace(/_\d{8}$/, '')
  for (const field of required.get(family) ?? []) {
    if (!isMissing(own(tool.definition, field))) continue
    add(
      'missing_field',
      [...tool.root, field],
      `${quote(tool.type)} needs ${quote(field)}.`,
      `Add ${quote(field)} to the tool.`,
      undefined,
      { path: [...tool.root, field], value: '…' },
    )
  }
  const alternatives = exactlyOne.get(family)
  if (alternatives !== undefined) lintAlternatives(tool, alternatives, context)
}

function lintAlternatives(
  { definition, root }: HostedTool,
  { fields, missing }: { readonly fields: readonly string[]; readonly missing: string },
  { add }: LintContext,
): void {
  const given = fields.filter(field => !isMissing(own(definition, field)))
  const [first = ''] = fields
  if (given.length === 0) {
    const remedy = `Add ${fields.map(quote).join(', or ')}.`
    const path = [...root, first]
    add('missing_field', path, missing, remedy, undefined, { path, value: '…' })
  }
  const [, second] = given
  if (second === undefined) return
  const names = given.map(quote).join(' and ')
  add(
    'invalid_field',
    [...root, second],
    `Only one of ${names} can be given.`,
    'Keep one and remove the rest.',
  )
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}
