/**
 * A trace as people read it: what was said, on both wires what belongs together, and what takes the model's window.
 * Made when somebody asks; the trace itself keeps nothing but bytes and facts.
 */
import type { WireDefinition } from '@toolwire/core'
import { catalog } from '@toolwire/core/diagnostics'
import { isObject, type JsonObject, parseJson } from '@toolwire/core/json'
import type { ViewName } from '../telemetry/observer.ts'
import { parseBeginning } from '../telemetry/traces/json-beginning.ts'
import type { Trace, TracePart } from '../telemetry/traces/trace-document.ts'
import { type ContextReading, readContext } from './context.ts'
import { foldStream, keptText, wholeAnswer } from './fold-stream.ts'
import { type DecodedSide, decodeAnswer, decodeRequest, type Pair, pairsOf } from './pairs.ts'
import { type Conversation, readConversation } from './said.ts'
import { readTimeline, type Timeline } from './timeline.ts'

/** Both sides of a request or of an answer; a stream as the answer that it makes up. */
interface Sides {
  readonly client?: JsonObject
  readonly upstream?: JsonObject
  readonly pairs: readonly Pair[]
}

interface Explained {
  readonly title: string
  readonly explanation: string
  readonly remedy: string
}

export interface Reading {
  readonly conversation: Conversation
  readonly request: Sides
  readonly answer: Sides
  readonly context?: ContextReading
  readonly timeline?: Timeline
  /** Of every code among the losses and notes. */
  readonly explanations: { readonly [code: string]: Explained }
}

export interface Wires {
  find(name: string): WireDefinition | undefined
}

export function readExchange(trace: Trace, wires: Wires): Reading {
  const { wire = '', upstream_wire: upstreamWire = '' } = trace.summary
  const client = wires.find(wire)
  const upstream = wires.find(upstreamWire)
  const asked = {
    client: requestOf(lastOf(trace, 'client-request'), client),
    // With several rounds the first one is what became of the client's request.
    upstream: requestOf(trace.views['upstream-request']?.parts[0], upstream),
  }
  const answered = {
    client: answerOf(lastOf(trace, 'client-answer'), client),
    upstream: answerOf(lastOf(trace, 'upstream-answer'), upstream),
  }
  const context = contextOf(trace, client, upstream)
  const timeline = readTimeline(trace)
  return {
    conversation: readConversation(trace, wires),
    request: sidesOf(asked.client, asked.upstream),
    answer: sidesOf(answered.client, answered.upstream),
    ...(context !== undefined && { context }),
    ...(timeline !== undefined && { timeline }),
    explanations: explanationsFor(trace),
  }
}

/** Of an exchange whose bodies are too much to read: its times, and that there is more. */
export function readFacts(trace: Trace, wires: Wires): Reading {
  const { conversation, ...rest } = readExchange({ ...trace, views: {} }, wires)
  const timeline = readTimeline(trace)
  const unread = (['client-request', 'client-answer'] as const).filter(name => name in trace.views)
  return { ...rest, ...(timeline && { timeline }), conversation: { ...conversation, unread } }
}

const lastOf = (trace: Trace, name: ViewName): TracePart | undefined => trace.views[name]?.parts.at(-1)

function requestOf(part: TracePart | undefined, wire: WireDefinition | undefined): DecodedSide | undefined {
  const body = part === undefined ? undefined : parseBeginning(keptText(part))
  if (!isObject(body)) return undefined
  return wire === undefined ? { body, turns: [] } : decodeRequest(body, wire.conversation)
}

function answerOf(part: TracePart | undefined, wire: WireDefinition | undefined): DecodedSide | undefined {
  if (part === undefined) return undefined
  const body = parseJson(keptText(part))
  if (wire === undefined) return isObject(body) ? { body, turns: [] } : undefined
  const codec = wire.conversation
  if (isObject(body)) return decodeAnswer(body, codec)
  const folded = foldStream(part, codec)
  return folded === undefined ? undefined : decodeAnswer(wholeAnswer(folded, codec), codec)
}

function sidesOf(client: DecodedSide | undefined, upstream: DecodedSide | undefined): Sides {
  return {
    ...(client !== undefined && { client: client.body }),
    ...(upstream !== undefined && { upstream: upstream.body }),
    pairs: pairsOf(client, upstream),
  }
}

/** Of the request that the model saw last. */
function contextOf(
  trace: Trace,
  client: WireDefinition | undefined,
  upstream: WireDefinition | undefined,
): ContextReading | undefined {
  const { model = '', upstream_model: upstreamModel } = trace.summary
  const sides = [
    { side: 'upstream', wire: upstream, part: lastOf(trace, 'upstream-request') },
    { side: 'client', wire: client, part: lastOf(trace, 'client-request') },
  ] as const
  for (const { side, wire, part } of sides) {
    if (wire === undefined || part === undefined) continue
    const body = parseBeginning(keptText(part))
    if (!isObject(body)) continue
    const context = readContext(body, { wire, model: upstreamModel ?? model, side })
    // `request` has the first one to the upstream.
    return side === 'client' || part === trace.views['upstream-request']?.parts[0]
      ? context
      : { ...context, body }
  }
  return undefined
}

function explanationsFor({ losses, notes = [] }: Trace): Reading['explanations'] {
  const codes = [...new Set([...losses, ...notes].map(({ code }) => code))]
  return Object.fromEntries(codes.map(code => [code, catalog[code]]))
}
