/** The answer of `POST /v1/responses/compact`, where the summary is made here: the user's messages, then the summary. */
import type { CompactionDemand } from '@toolwire/core'
import { isObject } from '@toolwire/core/json'
import { GatewayError } from '../errors.ts'
import type { ExchangeRun } from '../exchange/run.ts'
import type { JsonObject } from '../http/json-body.ts'

/** What the address asks for. */
export const windowDemand: CompactionDemand = { path: ['input'], isAlone: true }

/** The messages of the user in a request, which stay. */
export function userMessages({ input }: JsonObject): readonly unknown[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  return Array.isArray(input) ? input.filter(isUserMessage) : []
}

function isUserMessage(item: unknown): boolean {
  return isObject(item) && item.role === 'user' && (item.type === undefined || item.type === 'message')
}

export function windowAnswer({ context, window = [] }: ExchangeRun, response: JsonObject): JsonObject {
  const { newId } = context.gateway
  const { error, output, usage, created_at } = response
  if (isObject(error) || !Array.isArray(output)) {
    const { message, code: given } = isObject(error) ? error : {}
    const code = (typeof given === 'string' && given) || 'compaction_failed'
    throw new GatewayError('server', String(message ?? 'The upstream sent no summary.'), {
      code,
      status: 502,
    })
  }
  return {
    id: newId('cmpresp_'),
    object: 'response.compaction',
    created_at,
    output: [...window.map(message => outputMessage(message, newId)), ...output],
    usage,
  }
}

function outputMessage(message: unknown, newId: (prefix: string) => string): unknown {
  if (!isObject(message)) return message
  const { id, content } = message
  const parts = typeof content === 'string' ? [{ type: 'input_text', text: content }] : content
  const known = typeof id === 'string' && id !== ''
  return { ...message, type: 'message', id: known ? id : newId('msg_'), status: 'completed', content: parts }
}
