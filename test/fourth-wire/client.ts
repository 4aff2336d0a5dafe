/** A client of any wire, made from the wire's own definition: it writes requests, and reads answers and streams. */
import type { Answer, Part, Turn, WireDefinition } from '@toolwire/core/wires'
import { fillPath } from '@toolwire/core/wires'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  /** The body as it came. */
  readonly raw: string
  readonly text: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[]
  readonly error: Answer['error']
}

export interface ClientOptions {
  readonly streamed: boolean
  readonly model?: string
  /** Sent in the place where clients of the wire send their key. */
  readonly key?: string
}

const tools = {
  tools: [
    {
      kind: 'function',
      name: 'get_weather',
      description: 'The weather of a city.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      root: [],
      path: [],
      parametersPath: [],
    },
  ],
} as const

export async function send(
  fetch: (request: Request) => Promise<Response>,
  wire: WireDefinition,
  turns: readonly Turn[],
  { streamed, model = 'm', key }: ClientOptions,
): Promise<Reply> {
  const { http } = wire.service
  const settings = {
    maxOutputTokens: { value: 100, path: [] },
    ...(streamed && { stream: { value: true, path: [] } }),
  }
  const written = wire.conversation.encodeRequest({ model, turns, tools, settings }, () => undefined)
  const route = http.routes.find(({ job, streams = streamed }) => job === 'exchange' && streams === streamed)
  const [{ header, scheme }] = http.keys
  const response = await fetch(
    new Request(`http://localhost${http.prefix}${fillPath(route?.path ?? '', { model })}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key !== undefined && { [header]: scheme === undefined ? key : `${scheme} ${key}` }),
      },
      body: JSON.stringify(http.write({ model, streamed, body: written })),
    }),
  )
  const raw = await response.text()
  const type = response.headers.get('content-type') ?? ''
  const isStream = type.startsWith(wire.conversation.frames.contentType)
  const { parts, error } = isStream ? readStream(wire, raw) : readAnswer(wire, raw)
  return {
    status: response.status,
    headers: response.headers,
    raw,
    text: parts.map(part => (part.kind === 'text' ? part.text : '')).join(''),
    calls: parts.flatMap(part =>
      part.kind === 'call' ? [{ id: part.id ?? '', name: part.name, input: JSON.parse(part.input) }] : [],
    ),
    error,
  }
}

interface Read {
  readonly parts: readonly Part[]
  readonly error: Answer['error']
}

function readAnswer({ conversation }: WireDefinition, text: string): Read {
  const { turns, error } = conversation.decodeAnswer(JSON.parse(text), () => undefined)
  return { parts: turns.flatMap(turn => turn.parts), error }
}

function readStream({ conversation }: WireDefinition, text: string): Read {
  const reader = conversation.frames.createReader(1_000_000)
  const decoder = conversation.createStreamDecoder(() => undefined)
  const frames = [...reader.push(text), ...reader.end()]
  const events = [...frames.flatMap(frame => decoder.push(frame)), ...decoder.end()]
  const failed = events.find(event => event.type === 'error')
  return {
    parts: events.flatMap(event => (event.type === 'part-end' ? [event.part] : [])),
    error: failed?.error,
  }
}

export const user = (text: string): Turn => ({
  role: 'user',
  parts: [{ kind: 'text', text, path: [] }],
  root: [],
  plain: true,
})

/** A call that the model made, and its result, as the next request repeats them. */
export function answered(call: Reply['calls'][number], result: string): readonly Turn[] {
  const { id, name, input } = call
  return [
    {
      role: 'assistant',
      parts: [{ kind: 'call', form: 'function', id, name, input: JSON.stringify(input), path: [] }],
      root: [],
    },
    {
      role: 'tool',
      parts: [
        {
          kind: 'result',
          form: 'function',
          callId: id,
          content: [{ kind: 'text', text: result, path: [] }],
          plain: true,
          path: [],
        },
      ],
      root: [],
    },
  ]
}
