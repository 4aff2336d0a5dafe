/**
 * OpenAI models sometimes call an undeclared tool `parallel` whose arguments bundle several calls. If every tool in
 * the bundle is declared, it is expanded into separate calls.
 */

import { isObject, own } from '../../json/object.ts'
import { parseJson } from '../../json/text.ts'
import type { CallPart } from '../../model/conversation.ts'

const wrapperNames: ReadonlySet<string> = new Set(['parallel', 'multi_tool_use.parallel'])

/** A cheap first check that does not need the set of declared tools. */
export function mayBeWrapper({ name }: { readonly name: string }): boolean {
  return wrapperNames.has(name)
}

export function isParallelWrapper(part: { readonly name: string }, declared: ReadonlySet<string>): boolean {
  return wrapperNames.has(part.name) && !declared.has(part.name)
}

export function expandParallelWrapper(part: CallPart, declared: ReadonlySet<string>): CallPart[] | undefined {
  const uses = readUses(part.input)
  if (uses === undefined || uses.length === 0 || !uses.every(({ name }) => declared.has(name)))
    return undefined
  return uses.map(({ name, input }, i) => ({
    ...part,
    ...(part.id !== undefined && { id: `${part.id}_${i}` }),
    name,
    input,
  }))
}

function readUses(text: string): { name: string; input: string }[] | undefined {
  const parsed = parseJson(text)
  const uses = isObject(parsed) ? own(parsed, 'tool_uses') : undefined
  if (!Array.isArray(uses)) return undefined
  const read = uses.map((use: unknown) => {
    const recipient = isObject(use) ? own(use, 'recipient_name') : undefined
    const parameters = isObject(use) ? own(use, 'parameters') : undefined
    return typeof recipient === 'string'
      ? { name: recipient.replace(/^functions\./, ''), input: JSON.stringify(parameters ?? {}) }
      : undefined
  })
  return read.every(use => use !== undefined) ? read : undefined
}
