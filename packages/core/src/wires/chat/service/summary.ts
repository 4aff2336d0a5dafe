/** The facts of a plain Chat answer. */
import type { JsonObject } from '../../../json/object.ts'
import { isObject } from '../../../json/object.ts'
import { isName, plainAnswer, plainFinish, plainUsage } from '../../kit/service-parts.ts'
import type { PlainAnswer } from '../../service.ts'

const usageNames = {
  input: 'prompt_tokens',
  inputDetails: 'prompt_tokens_details',
  output: 'completion_tokens',
  outputDetails: 'completion_tokens_details',
}

export function summarizeAnswer(body: JsonObject): PlainAnswer | undefined {
  const { choices, usage, error = null, object } = body
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined
  if (error !== null || object === 'error' || !isObject(first)) return undefined
  const { message, finish_reason: word, error: failure = null } = first
  if (failure !== null || !isObject(message)) return undefined
  const { content = null, refusal = null, function_call: legacy = null, tool_calls: called } = message
  if (refusal !== null || legacy !== null || (content !== null && typeof content !== 'string'))
    return undefined
  const calls: string[] = []
  for (const call of Array.isArray(called) ? called : []) {
    const named: unknown = isObject(call) && call.type === 'function' ? call.function : undefined
    if (!isObject(named) || !isName(named.name)) return undefined
    calls.push(named.name)
  }
  return plainAnswer(plainFinish(word, calls), calls, usage, plainUsage(usage, usageNames))
}
