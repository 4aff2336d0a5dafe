/** Which wire a stream is written for, by its first events. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { isBody } from '../body-kind.ts'

/** `text` is the beginning of a stream, cut anywhere; `undefined` when it does not tell yet. */
export function guessStreamWire(text: string): Wire | undefined {
  for (const event of text.replace(/^\ufeff/, '').split(/\r\n\r\n|\n\n|\r\r/)) {
    const lines = event.split(/\r\n|\n|\r/)
    const named = lines.findLast(line => line.startsWith('event:'))
    const wire = wireOfEvent(fieldOf(named ?? ''), dataOf(lines))
    if (wire !== undefined) return wire
  }
  return undefined
}

/** The data of an event, whose value may stand on several lines. */
function dataOf(lines: readonly string[]): string {
  return lines
    .filter(line => line.startsWith('data:'))
    .map(fieldOf)
    .join('\n')
}

function parseData(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}

function fieldOf(line: string): string {
  return line.slice(line.indexOf(':') + 1).replace(/^ /, '')
}

function wireOfEvent(name: string, data: string): Wire | undefined {
  if (data === '[DONE]') return 'chat'
  const body = parseData(data)
  const { type = name, object, choices, error } = isBody(body) ? body : {}
  if (object === 'chat.completion.chunk' || Array.isArray(choices)) return 'chat'
  if (typeof type === 'string' && type.startsWith('response.')) return 'responses'
  if (typeof type === 'string' && /^(?:message|content_block)_/.test(type)) return 'messages'
  if (!isBody(body)) return undefined
  if (type === 'error') return isBody(error) ? 'messages' : 'responses'
  return isBody(error) ? 'chat' : undefined
}
