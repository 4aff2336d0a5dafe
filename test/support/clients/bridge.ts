/** A `fetch` that runs each request of a real client through an exchange and answers it from the scripted model. */
import type { Diagnostic, ExchangeStream, BuiltInWire as Wire } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import type { Model } from './model.ts'

export interface Bridge {
  readonly fetch: typeof fetch
  readonly diagnostics: readonly Diagnostic[]
  /** The number of writes of each stream. */
  readonly writes: readonly number[]
  /** The wire of every request, by its path. */
  readonly wires: readonly Wire[]
}

/** The paths of the wires on the host below. */
const paths: readonly (readonly [string, Wire])[] = [
  ['/v1/chat/completions', 'chat'],
  ['/v1/responses', 'responses'],
  ['/v1/messages', 'messages'],
]

export const baseURL = 'http://toolwire.invalid/v1'

export function createBridge(model: Model, to: Wire): Bridge {
  const diagnostics: Diagnostic[] = []
  const wires: Wire[] = []
  const writes: number[] = []

  const answer: typeof fetch = async (input, init) => {
    const sent = new Request(input, init)
    const { pathname } = new URL(sent.url)
    const from = paths.find(([path]) => path === pathname)?.[1]
    if (sent.method !== 'POST' || from === undefined)
      throw new Error(`${sent.method} ${pathname} is not served.`)
    wires.push(from)
    const exchange = createExchange({ from, to })
    const converted = exchange.request(await sent.json())
    diagnostics.push(...converted.diagnostics)
    const reply = model.reply(JSON.parse(JSON.stringify(converted.value)))
    if ('refusal' in reply) return Response.json({ error: { message: reply.refusal } }, { status: 400 })
    if ('whole' in reply) {
      const answered = exchange.response(reply.whole)
      diagnostics.push(...answered.diagnostics)
      return Response.json(answered.value)
    }
    const turn = writes.push(0) - 1
    const body = convertStream(reply.events, exchange.stream(), {
      onWrite: () => {
        writes[turn] = (writes[turn] ?? 0) + 1
      },
      onEnd: found => diagnostics.push(...found),
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  return { fetch: answer, diagnostics, wires, writes }
}

/** Chunks that end anywhere, as a network sends them. */
function cut(bytes: Uint8Array): Uint8Array[] {
  const size = 61
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  )
}

/** Converts chunk by chunk, and writes as soon as there is text. */
function convertStream(
  events: string,
  stream: ExchangeStream,
  { onWrite, onEnd }: { onWrite: () => void; onEnd: (diagnostics: readonly Diagnostic[]) => void },
): ReadableStream<Uint8Array> {
  const chunks = cut(new TextEncoder().encode(events)).values()
  return new ReadableStream({
    pull(controller) {
      for (;;) {
        const { value, done } = chunks.next()
        const text = done === true ? stream.end() : stream.push(value)
        if (text !== '') {
          onWrite()
          controller.enqueue(new TextEncoder().encode(text))
        }
        if (done === true) {
          onEnd(stream.diagnostics)
          return controller.close()
        }
        if (text !== '') return
      }
    },
  })
}
