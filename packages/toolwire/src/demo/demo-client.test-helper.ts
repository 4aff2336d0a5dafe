/** Sends requests to a demo model over its transport; also as a `fetch` for official clients. */
import type { Receiver, Transport, UpstreamRequest } from '../gateway/http/contract.ts'
import { createDemoModel } from './demo-model.ts'

export interface Received {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly chunks: readonly string[]
  readonly text: string
  readonly failure: Error | undefined
}

export const base = 'http://demo.invalid/v1'

export function post(body: unknown): UpstreamRequest {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { method: 'POST', url: `${base}/chat/completions`, headers: {}, body: text, connectMs: 0 }
}

export function send(transport: Transport, request: UpstreamRequest): Promise<Received> {
  return new Promise(resolve => {
    let head = { status: 0, headers: {} }
    const chunks: string[] = []
    const decoder = new TextDecoder()
    const close = (failure?: Error): void => resolve({ ...head, chunks, text: chunks.join(''), failure })
    transport(request, {
      head: (status, headers) => {
        head = { status, headers }
      },
      data: chunk => chunks.push(decoder.decode(chunk, { stream: true })),
      end: () => close(),
      fail: close,
    })
  })
}

export const postDemo = (body: unknown): Promise<Received> => send(createDemoModel().transport, post(body))

export interface Answer {
  readonly id: string
  readonly choices: readonly {
    readonly finish_reason: string
    readonly message: {
      readonly content: string | null
      readonly refusal: string | null
      readonly reasoning_content?: string
      readonly tool_calls?: readonly AnsweredCall[]
      readonly function_call?: { readonly name: string; readonly arguments: string }
    }
  }[]
  readonly usage: Readonly<Record<string, unknown>>
}

interface AnsweredCall {
  readonly id: string
  readonly type: string
  readonly function?: { readonly name: string; readonly arguments: string }
  readonly custom?: { readonly name: string; readonly input: string }
}

export async function answerTo(body: object): Promise<Answer> {
  const { text } = await postDemo({ model: 'demo', ...body })
  return JSON.parse(text) as Answer
}

/** The calls that the model makes for a message, each as `[name, arguments]`. */
export async function callsFor(
  content: string,
  tools: readonly object[],
  more: object = {},
): Promise<unknown[]> {
  const { choices } = await answerTo({ messages: [{ role: 'user', content }], tools, ...more })
  return (choices[0]?.message.tool_calls ?? []).map(call =>
    call.custom === undefined
      ? [call.function?.name, JSON.parse(call.function?.arguments ?? 'null')]
      : [call.custom.name, call.custom.input],
  )
}

export function tool(
  name: string,
  properties: object = {},
  required?: readonly string[],
  description = '',
): object {
  const parameters = { type: 'object', properties, required: required ?? Object.keys(properties) }
  return { type: 'function', function: { name, description, parameters } }
}

/** A `fetch` over the transport; its body pauses and aborts the flow. */
export function fetchOver(transport: Transport): typeof fetch {
  return async (input, init) =>
    new Promise((resolve, reject) => {
      let controller: ReadableStreamDefaultController<Uint8Array> | undefined
      const receiver: Receiver = {
        head(status, headers) {
          const body = new ReadableStream<Uint8Array>(
            {
              start(given) {
                controller = given
              },
              pull: () => flow.resume(),
              cancel: () => flow.abort(),
            },
            { highWaterMark: 0 },
          )
          flow.pause()
          resolve(new Response(body, { status, headers }))
        },
        data(chunk) {
          controller?.enqueue(chunk)
          if ((controller?.desiredSize ?? 0) <= 0) flow.pause()
        },
        end: () => controller?.close(),
        fail: error => (controller === undefined ? reject(error) : controller.error(error)),
      }
      const method = init?.method === 'GET' || init?.method === undefined ? 'GET' : 'POST'
      const body = typeof init?.body === 'string' ? init.body : ''
      const flow = transport({ method, url: String(input), headers: {}, body, connectMs: 0 }, receiver)
      init?.signal?.addEventListener('abort', () => {
        flow.abort()
        controller?.error(init.signal?.reason)
      })
    })
}

/** The events of a stream without their framing, `[DONE]` included. */
export function eventsOf(text: string): string[] {
  return text
    .split('\n\n')
    .flatMap(frame => (frame.startsWith('data: ') ? [frame.slice('data: '.length)] : []))
}

export interface Chunk {
  readonly id: string
  readonly usage?: object | null
  readonly choices: readonly { readonly delta: Delta; readonly finish_reason: string | null }[]
}

interface Delta {
  readonly role?: string
  readonly content?: string | null
  readonly refusal?: string | null
  readonly reasoning_content?: string
  readonly tool_calls?: readonly (Partial<AnsweredCall> & { readonly index: number })[]
  readonly function_call?: { readonly name?: string; readonly arguments: string }
}

export function chunksOf(text: string): Chunk[] {
  return eventsOf(text)
    .filter(event => event !== '[DONE]')
    .map(event => JSON.parse(event) as Chunk)
}
