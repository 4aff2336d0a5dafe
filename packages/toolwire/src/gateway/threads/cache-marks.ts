/**
 * Cache breakpoints in a thread. A client that marks the end of each of its messages sends one at a time, and in time the
 * thread holds more of them than a server takes in one request.
 */
import { isObject } from '@toolwire/core/json'
import type { JsonObject } from '../http/json-body.ts'

/** Servers of Messages refuse a request with more. */
const mostMarks = 4
const mark = 'cache_control'

/** Where marks stand, besides blocks themselves. Whatever else a block holds, such as the input of a call, is the model's. */
const inner = ['content', 'source', 'tool', 'definition', 'tool_references'] as const

/** What comes before in the thread, without its oldest marks where there are too many: the last ones cover the most. */
export function withoutOldMarks(
  history: readonly unknown[],
  { messages, system, tools, [mark]: automatic }: JsonObject,
): readonly unknown[] {
  const fixed = countMarks([messages, system, tools]) + (isMark(automatic) ? 1 : 0)
  const excess = { left: Math.max(fixed + countMarks(history) - mostMarks, 0) }
  return excess.left === 0 ? history : history.map(message => withoutMarks(message, excess))
}

function countMarks(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + countMarks(each), 0)
  if (!isObject(value)) return 0
  return inner.reduce((sum, name) => sum + countMarks(value[name]), isMark(value[mark]) ? 1 : 0)
}

function withoutMarks(value: unknown, excess: { left: number }): unknown {
  if (excess.left === 0) return value
  if (Array.isArray(value)) return value.map(each => withoutMarks(each, excess))
  if (!isObject(value)) return value
  const { [mark]: own, ...rest } = value
  const bare: Record<string, unknown> = rest
  for (const name of inner) if (name in bare) bare[name] = withoutMarks(bare[name], excess)
  if (!isMark(own) || excess.left === 0) return value[mark] === undefined ? bare : { ...bare, [mark]: own }
  excess.left--
  return bare
}

function isMark(value: unknown): boolean {
  return value !== undefined && value !== null
}
