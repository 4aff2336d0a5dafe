/** One round of an upstream's answer: streamed through the exchange to the client, or collected whole. */
import type { ExchangeStream } from '@toolwire/core'
import { GatewayError } from './gateway-error.ts'
import type { ReadOptions } from './upstream/read-body.ts'
import { readBody } from './upstream/read-body.ts'

type Reading = Pick<ReadOptions, 'answer' | 'clock' | 'idleMs' | 'signal' | 'name'>

export interface RelayOptions extends Reading {
  readonly stream: ExchangeStream
  /** Takes what the client is to be told; `false` asks to hold the upstream until `onDrain`. */
  write(text: string): boolean
  onDrain(callback: () => void): void
  readonly onChunk?: (chunk: Uint8Array) => void
}

/** Resolves with the last words, which wait until everything they promise has been done. */
export async function relay(options: RelayOptions): Promise<string> {
  const { stream, write, onDrain, onChunk, ...reading } = options
  const { answer } = reading
  const last: string[] = []
  let seen = stream.progress
  let held = false
  const pass = (text: string): void => {
    if (stream.finish !== undefined) last.push(text)
    else if (text !== '' && !write(text)) {
      held = true
      answer.pause()
      onDrain(() => {
        held = false
        answer.resume()
      })
    }
  }
  await readBody({
    ...reading,
    held: () => held,
    progress: () => (stream.progress === 1 ? '1 event' : `${stream.progress} events`),
    onData(chunk) {
      onChunk?.(chunk)
      pass(stream.push(chunk))
      if (stream.finish !== undefined) return 'finished'
      if (stream.progress === seen) return 'idle'
      seen = stream.progress
      return 'alive'
    },
  })
  last.push(stream.end())
  return last.join('')
}

export interface CollectOptions extends Reading {
  readonly limit: number
  readonly onChunk?: (chunk: Uint8Array) => void
}

/** The whole body, for answers that are not streamed. */
export async function collect({ limit, onChunk, ...reading }: CollectOptions): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  await readBody({
    ...reading,
    progress: () => `${length} bytes`,
    onData(chunk) {
      onChunk?.(chunk)
      length += chunk.byteLength
      if (length > limit) {
        throw new GatewayError(
          'server',
          `The answer of upstream "${reading.name}" is longer than ${limit} bytes.`,
          {
            code: 'upstream_too_large',
            status: 502,
          },
        )
      }
      chunks.push(chunk)
      return 'alive'
    },
  })
  return Buffer.concat(chunks)
}
