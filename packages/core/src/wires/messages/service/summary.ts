/** The facts of a plain message. */
import type { JsonObject } from '../../../json/object.ts'
import { isObject } from '../../../json/object.ts'
import { isName, plainAnswer, plainFinish } from '../../kit/service-parts.ts'
import type { PlainAnswer } from '../../service.ts'
import { decodeUsage } from '../answer/usage.ts'

const said: ReadonlySet<unknown> = new Set(['text', 'thinking', 'redacted_thinking'])

export function summarizeAnswer({
  type,
  content,
  usage,
  stop_reason: word,
}: JsonObject): PlainAnswer | undefined {
  if (type !== 'message' || !Array.isArray(content)) return undefined
  const calls: string[] = []
  for (const block of content) {
    if (!isObject(block)) return undefined
    if (block.type === 'tool_use' && isName(block.name) && isObject(block.input)) calls.push(block.name)
    else if (!said.has(block.type)) return undefined
  }
  return plainAnswer(plainFinish(word, calls), calls, usage, countsOf(usage))
}

function countsOf(usage: unknown): PlainAnswer['usage'] {
  const counted = decodeUsage(usage, [])
  if (counted === undefined) return undefined
  const { residue: _, ...counts } = counted
  return counts
}
