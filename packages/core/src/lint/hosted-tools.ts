/** The fields that hosted tools cannot do without. */
import { own } from '../json/object.ts'
import type { HostedTool } from '../model/tool.ts'
import { type LintContext, quote } from './context.ts'

export function lintHosted(tool: HostedTool, context: LintContext): void {
  const { add, codec } = context
  const { required, exactlyOne } = codec.hostedTools
  const family = tool.type.replace(/_\d{8}$/, '')
  for (const field of required.get(family) ?? []) {
    if (!isMissing(own(tool.definition, field))) continue
    add(
      'missing_field',
      [...tool.root, field],
      `${quote(tool.type)} needs ${quote(field)}.`,
      `Add ${quote(field)} to the tool.`,
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
    add('missing_field', [...root, first], missing, remedy)
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
