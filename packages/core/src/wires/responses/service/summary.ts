/** The facts of a plain answer of Responses. */
import type { JsonObject } from '../../../json/object.ts'
import { isObject } from '../../../json/object.ts'
import { isName, plainAnswer, plainFinish, plainUsage } from '../../kit/service-parts.ts'
import type { PlainAnswer } from '../../service.ts'

const usageNames = {
  input: 'input_tokens',
  inputDetails: 'input_tokens_details',
  output: 'output_tokens',
  outputDetails: 'output_tokens_details',
}

export function summarizeAnswer({ status, error, output, usage }: JsonObject): PlainAnswer | undefined {
  if (status !== 'completed' || (error ?? null) !== null || !Array.isArray(output)) return undefined
  const calls: string[] = []
  for (const item of output) {
    if (!isObject(item)) return undefined
    const { type, name, namespace } = item
    if (type === 'function_call' && isName(name) && namespace === undefined) calls.push(name)
    else if (type !== 'reasoning' && !(type === 'message' && isSaid(item.content))) return undefined
  }
  return plainAnswer(plainFinish(status, calls), calls, usage, plainUsage(usage, usageNames))
}

/** Without a refusal. */
function isSaid(content: unknown): boolean {
  return Array.isArray(content) && content.every(part => isObject(part) && part.type === 'output_text')
}
