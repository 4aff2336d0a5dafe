/** What was said in an exchange: its history and its answer as one conversation, a stream folded to its texts and calls. */
import type { Path } from '@toolwire/core'
import { isObject, parseJson } from '@toolwire/core/json'
import type { MediaSource, Part, Turn, WireConversation } from '@toolwire/core/wires'
import type { ViewName } from '../telemetry/observer.ts'
import { parseBeginning } from '../telemetry/traces/json-beginning.ts'
import type { Trace, TracePart } from '../telemetry/traces/trace-document.ts'
import { type FoldedStream, foldStream, keptText } from './fold-stream.ts'

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
  /** Of a call and of its result. */
  readonly callId?: string
  /** An image as a `data:` address, where it was sent in full. */
  readonly image?: string
  /** Where it stands in the body that it was read from. */
  readonly path?: Path
}

/** Finds a wire by its name. */
export interface WireFinder {
  find(name: string): { readonly conversation: WireConversation } | undefined
}

export interface Conversation {
  /** The names of the tools that the model was offered. */
  readonly tools: readonly string[]
  /** What the request continues without repeating it, from the exchanges before. */
  readonly before?: readonly Said[]
  /** The answer that it continues, where nothing is left of what was said until then. */
  readonly missing?: string
  readonly history: readonly Said[]
  readonly answer: readonly Said[]
  /** Which sides could not be read, because only their beginning was kept or their wire is not known here. */
  readonly unread: readonly ViewName[]
  /** The request that the history was read from, and the answer, where only the beginning was kept. */
  readonly cut?: ViewName
  readonly cutAnswer?: ViewName
}

const ignore = (): void => {}

const warmUp: Said = {
  who: 'other',
  text: 'A warm-up: the request is kept for the next one to continue, and the model was not asked.',
}

/** The client's side; where the gateway ran tools in between, the upstream's, which has their calls and results too. */
export function readConversation(trace: Trace, wires: WireFinder): Conversation {
  const { wire = '', upstream_wire: upstreamWire = '', rounds = 1, state, finish } = trace.summary
  const isOver = state === 'ended'
  const client = wires.find(wire)?.conversation
  const upstream = wires.find(upstreamWire)?.conversation
  const sides = [
    { view: 'client-request', codec: client },
    { view: 'upstream-request', codec: upstream },
  ] as const
  const asked = (rounds > 1 ? sides.toReversed() : sides)
    .flatMap(({ view, codec }) => {
      const part = lastOf(trace, view)
      const request = readRequest(part, codec)
      return request === undefined ? [] : [{ ...request, ...(part?.cut && { cut: view }) }]
    })
    .sort((a, b) => Number(b.history.length > 0) - Number(a.history.length > 0))[0]
  const answers = [
    { view: 'client-answer', codec: client },
    { view: 'upstream-answer', codec: upstream },
  ] as const
  const answered = answers
    .flatMap(({ view, codec }) => {
      const part = lastOf(trace, view)
      const said = readAnswer(part, codec, isOver)
      return said === undefined ? [] : [{ said, cut: part?.cut === true ? view : undefined }]
    })
    .at(0)
  const answer = finish === 'warm-up' ? [warmUp] : answered?.said
  const unread: ViewName[] = [
    ...(asked === undefined ? (['client-request'] as const) : []),
    ...(answer === undefined ? (['client-answer'] as const) : []),
  ]
  return {
    tools: asked?.tools ?? [],
    history: asked?.history ?? [],
    answer: answer ?? [],
    unread: unread.filter(name => trace.views[name] !== undefined),
    ...(asked?.cut !== undefined && { cut: asked.cut }),
    ...(answered?.cut !== undefined && { cutAnswer: answered.cut }),
  }
}

export function lastOf(trace: Trace, name: ViewName): TracePart | undefined {
  return trace.views[name]?.parts.at(-1)
}

export function readRequest(
  part: TracePart | undefined,
  codec: WireConversation | undefined,
): Pick<Conversation, 'tools' | 'history'> | undefined {
  const body = part === undefined ? undefined : parseBeginning(keptText(part))
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
  const folded = foldStream(part, codec)
  return folded === undefined ? undefined : saidOfStream(folded, part.cut || !isOver)
}

/** `undefined` when there is nothing in it yet. */
function saidOfStream({ parts, error }: FoldedStream, isPart: boolean): Said[] | undefined {
  const errors = error === undefined || isPart ? [] : [saidError(error.message)]
  if (parts.length === 0 && errors.length === 0) return undefined
  return [...parts.flatMap(part => saidOf(part, 'assistant')), ...errors]
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
  const { path } = part
  switch (part.kind) {
    case 'text':
      return part.text === '' ? [] : [{ who, text: part.text, path }]
    case 'refusal':
      return [{ who: 'refusal', text: part.text, path }]
    case 'reasoning': {
      const text = [...part.summary, ...part.text].join('\n')
      return [{ who: 'thinking', text: text === '' ? '(sealed)' : text, path }]
    }
    case 'call':
      return [
        {
          who: 'call',
          title: part.namespace ? `${part.namespace}.${part.name}` : part.name,
          text: part.input,
          ...(part.id !== undefined && { callId: part.id }),
          path,
        },
      ]
    case 'result': {
      const inner = part.content.flatMap(each => saidOf(each, 'result'))
      const [image, ...more] = inner.flatMap(said => said.image ?? [])
      return [
        {
          who: 'result',
          text: inner.map(said => said.text).join('\n'),
          ...(part.isError && { title: 'failed' }),
          ...(part.callId !== undefined && { callId: part.callId }),
          ...(image !== undefined && { image }),
          path,
        },
        ...more.map((each): Said => ({ who: 'result', text: '[image]', image: each, path })),
      ]
    }
    case 'image':
    case 'file':
      return [{ who, text: mediaText(part.kind, part.source), ...imageOf(part.source), path }]
    case 'hosted':
      return [{ who: 'call', title: part.type, text: JSON.stringify(part.value), path }]
    case 'opaque':
      return [{ who: 'other', text: JSON.stringify(part.value), path }]
  }
}

function mediaText(kind: string, source: MediaSource): string {
  return source.type === 'url' ? `[${kind}: ${source.url}]` : `[${kind}]`
}

function imageOf(source: MediaSource): { readonly image?: string } {
  if (source.type !== 'data' || !/^image\/(png|jpeg|gif|webp)$/.test(source.mediaType)) return {}
  return { image: `data:${source.mediaType};base64,${source.data}` }
}

/** Everything that was said, for a search. */
export function textOf({ tools, before = [], history, answer }: Conversation): string {
  return [
    ...tools,
    ...[...before, ...history, ...answer].flatMap(({ title = '', text }) => [title, text]),
  ].join('\n')
}
