/** Which wire a value was written for. Each wire scores the value; the highest score wins, the earlier wire on a tie. */
import { isObject, own } from '../json/object.ts'
import type { Score, WireConversation } from './define-wire.ts'

/** From this score on, a field of the body is telling enough to outweigh its tools. */
const certain = 5

/** The wire of a list of tools or of a request body; `undefined` when nothing shows it. */
export function detectRequestWire<W extends WireConversation>(
  value: unknown,
  wires: readonly W[],
): W | undefined {
  if (Array.isArray(value)) return mostVotes(value, wires)
  if (!isObject(value)) return undefined
  const byFields = best(wires, wire => wire.recognise.request(value))
  if (byFields !== undefined && byFields.recognise.request(value) >= certain) return byFields
  const tools = own(value, 'tools')
  return (Array.isArray(tools) ? mostVotes(tools, wires) : undefined) ?? byFields
}

/** The wire of an answer or an error body. */
export function detectAnswerWire<W extends WireConversation>(
  value: unknown,
  wires: readonly W[],
): W | undefined {
  return isObject(value) ? best(wires, wire => wire.recognise.answer(value)) : undefined
}

/** The wire of a stream, by the first of its frames that shows it. `text` may be cut anywhere. */
export function detectStreamWire<W extends WireConversation>(
  text: string,
  wires: readonly W[],
): W | undefined {
  const found = new Map<W, { readonly index: number; readonly score: Score }>()
  for (const wire of wires) {
    const frames = wire.frames.createReader(text.length + 1).push(`${text.replace(/^\ufeff/, '')}\n\n`)
    for (const [index, { event, data }] of frames.entries()) {
      const score = wire.recognise.frame(event, parsed(data))
      if (score === 0) continue
      found.set(wire, { index, score })
      break
    }
  }
  const order = [...found].sort(([, a], [, b]) => a.index - b.index || b.score - a.score)
  return order[0]?.[0]
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return data
  }
}

/** Each tool votes for the wire that it looks like. */
function mostVotes<W extends WireConversation>(
  tools: readonly unknown[],
  wires: readonly W[],
): W | undefined {
  const votes = new Map<W, number>()
  for (const tool of tools) {
    const wire = isObject(tool) ? best(wires, ({ recogniseTool }) => recogniseTool(tool)) : undefined
    if (wire !== undefined) votes.set(wire, (votes.get(wire) ?? 0) + 1)
  }
  return best(wires, wire => votes.get(wire) ?? 0)
}

function best<W>(wires: readonly W[], scoreOf: (wire: W) => Score): W | undefined {
  let winner: W | undefined
  let highest = 0
  for (const wire of wires) {
    const score = scoreOf(wire)
    if (score > highest) {
      highest = score
      winner = wire
    }
  }
  return winner
}
