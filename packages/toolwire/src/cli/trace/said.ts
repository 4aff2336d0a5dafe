/** What was said in an exchange: its history and its answer as one conversation, a stream folded to its texts and calls. */
import { isObject, parseJson } from '@toolwire/core/json'
import type { Part, Turn, WireConversation } from '@toolwire/core/wires'
import type { WireSet } from '../../config/wires.ts'
import type { ViewName } from '../../telemetry/observer.ts'
import type { Trace, TracePart } from '../../telemetry/trace-document.ts'

export interface Said {
  readonly who:
    | 'system'
    | 'user'
    | 'assistant'
    | 'thinking'
    | 'call'
    | 'result'
    | 'refusal'
    | 'error'
    | 'other'
  readonly text: string
  /** The tool of a call, or how a result ended. */
  readonly title?: string
}

export interface Conversation {
  /** The names of the tools that the model was offered. */
  readonly tools: readonly string[]
  readonly history: readonly Said[]
  readonly answer: readonly Said[]
  /** Which sides could not be read, because only their beginning was kept or their wire is not known here. */
  readonly unread: readonly ViewName[]
}

const ignore = (): void => {}

/** The client's side; where the gateway ran tools in between, the upstream's, which has their calls and results too. */
export function readConversation(trace: Trace, wires: WireSet): Conversation {
  const { wire = '', upstream_wire: upstreamWire = '', rounds = 1, state } = trace.summary
  const isOver = state === 'ended'
  const client = wires.find(wire)?.conversation
  const upstream = wires.find(upstreamWire)?.conversation
  const sides = [
    { view: 'client-request', codec: client },
    { view: 'upstream-request', codec: upstream },
  ] as const
  const asked = (rounds > 1 ? sides.toReversed() : sides)
    .map(({ view, codec }) => readRequest(lastOf(trace, view), codec))
    .filter(request => request !== undefined)
    .sort((a, b) => Number(b.history.length > 0) - Number(a.history.length > 0))[0]
  const answer =
    readAnswer(lastOf(trace, 'client-answer'), client, isOver) ??
    readAnswer(lastOf(trace, 'upstream-answer'), upstream, isOver)
  const unread: ViewName[] = [
    ...(asked === undefined ? (['client-request'] as const) : []),
    ...(answer === undefined ? (['client-answer'] as const) : []),
  ]
  return {
    tools: asked?.tools ?? [],
    history: asked?.history ?? [],
    answer: answer ?? [],
    unread: unread.filter(name => trace.views[name] !== undefined),
  }
}

function lastOf(trace: Trace, name: ViewName): TracePart | undefined {
  return trace.views[name]?.parts.at(-1)
}

function readRequest(
  part: TracePart | undefined,
  codec: WireConversation | undefined,
): Pick<Conversation, 'tools' | 'history'> | undefined {
  const body = part === undefined ? undefined : parseJson(part.text)
  if (codec === undefined || !isObject(body)) return undefined
  const { turns, tools } = codec.decodeRequest(body, ignore)
  const offered = [...(tools.tools ?? []), ...(tools.additionalTools ?? [])]
  return {
    tools: offered.map(tool => ('name' in tool ? tool.name : 'type' in tool ? String(tool.type) : 'a tool')),
    history: turns.flatMap(saidIn),
  }
}

function readAnswer(
  part: TracePart | undefined,
  codec: WireConversation | undefined,
  isOver: boolean,
): Said[] | undefined {
  if (part === undefined || codec === undefined) return undefined
  const body = parseJson(part.text)
  if (isObject(body)) {
    const { turns, error } = codec.decodeAnswer(body, ignore)
    return [...turns.flatMap(saidIn), ...(error === undefined ? [] : [saidError(error.message)])]
  }
  return foldStream(part, codec, isOver)
}

/** The longest frame that a trace can hold. */
const longestFrame = 64 * 1024 * 1024
const cutMark = '\n… cut:'

/** Whatever of the stream was kept. `undefined` when there is no event in it. */
function foldStream({ text, cut }: TracePart, codec: WireConversation, isOver: boolean): Said[] | undefined {
  const reader = codec.frames.createReader(longestFrame)
  const decoder = codec.createStreamDecoder(ignore, { skipMalformed: true })
  const whole = cut ? text.slice(0, text.lastIndexOf(cutMark)) : text
  const frames = [...reader.push(whole), ...(cut ? [] : reader.end())]
  const events = [...frames.flatMap(frame => decoder.push(frame)), ...decoder.end()]
  const parts = new Map<number, Part>()
  const errors: Said[] = []
  for (const event of events) {
    if (event.type === 'part-end') parts.set(event.index, event.part)
    if (event.type === 'error' && !cut && isOver) errors.push(saidError(event.error.message))
  }
  if (parts.size === 0 && errors.length === 0) return undefined
  const inOrder = [...parts].sort(([a], [b]) => a - b).flatMap(([, part]) => saidOf(part, 'assistant'))
  return [...inOrder, ...errors]
}

function saidError(text: string): Said {
  return { who: 'error', text }
}

function saidIn({ role, parts }: Turn): Said[] {
  return parts.flatMap(part =>
    saidOf(part, role === 'developer' ? 'system' : role === 'tool' ? 'result' : role),
  )
}

function saidOf(part: Part, who: Said['who']): Said[] {
  switch (part.kind) {
    case 'text':
      return part.text === '' ? [] : [{ who, text: part.text }]
    case 'refusal':
      return [{ who: 'refusal', text: part.text }]
    case 'reasoning': {
      const text = [...part.summary, ...part.text].join('\n')
      return [{ who: 'thinking', text: text === '' ? '(sealed)' : text }]
    }
    case 'call':
      return [
        {
          who: 'call',
          title: part.namespace ? `${part.namespace}.${part.name}` : part.name,
          text: part.input,
        },
      ]
    case 'result': {
      const text = part.content.flatMap(inner => saidOf(inner, 'result').map(said => said.text)).join('\n')
      return [{ who: 'result', text, ...(part.isError && { title: 'failed' }) }]
    }
    case 'image':
    case 'file':
      return [{ who, text: `[${part.kind}]` }]
    case 'hosted':
      return [{ who: 'call', title: part.type, text: JSON.stringify(part.value) }]
    case 'opaque':
      return [{ who: 'other', text: JSON.stringify(part.value) }]
  }
}

/** Everything that was said, for a search. */
export function textOf({ tools, history, answer }: Conversation): string {
  return [...tools, ...[...history, ...answer].flatMap(({ title = '', text }) => [title, text])].join('\n')
}
