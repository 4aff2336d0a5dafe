/** Rules for the format of a free-text tool. Where a grammar's fields belong, the codec knows and says. */
import { isObject, own } from '../json/object.ts'
import type { CustomTool } from '../model/tool.ts'
import { type LintContext, objectAt } from './context.ts'

const syntaxes = ['lark', 'regex']

export function lintFormat(tool: CustomTool, { source, limits, add }: LintContext): void {
  const format = own(objectAt(source, tool.path), 'format')
  const path = [...tool.path, 'format']
  if (format === undefined || (format === null && limits.nullFields)) return
  if (!isObject(format)) {
    add('invalid_field', path, 'The format must be an object.', 'Write {"type": "text"}, or leave it out.')
    return
  }
  const type = own(format, 'type')
  if (type === 'text') return
  if (type !== 'grammar') {
    const typePath = [...path, 'type']
    add('invalid_field', typePath, 'A format is "text" or "grammar".', 'Use one of the two.')
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
    )
  }
  if (typeof syntax !== 'string' || !syntaxes.includes(syntax)) {
    add(
      syntax === undefined ? 'missing_field' : 'invalid_field',
      [...holder, 'syntax'],
      'The syntax of a grammar is "lark" or "regex".',
      'Say in which of the two the definition is written.',
    )
  }
}
