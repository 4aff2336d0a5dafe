/** One round of an upstream's answer: streamed through the exchange to the client, or collected whole. */
import type { ExchangeStream } from '@toolwire/core'
import { GatewayError } from '../errors.ts'
import { asBuffer } from '../http/as-buffer.ts'
import type { OnDrain, ReadOptions } from '../upstream/read-body.ts'
import { readBody } from '../upstream/read-body.ts'
import { scratchConcat } from './scratch-concat.ts'

type Reading = Pick<ReadOptions, 'answer' | 'clock' | 'idleMs' | 'signal' | 'name'>

export interface RelayOptions extends Reading {
  readonly stream: ExchangeStream
  /** Takes what the client is to be told; `false` asks to hold the upstream until `onDrain`. */
  write(text: string): boolean
  readonly onDrain: OnDrain
  readonly onChunks?: (chunks: readonly Uint8Array[]) => void
}

/** Resolves with the last words, which wait until everything they promise has been done. */
export async function relay(options: RelayOptions): Promise<string> {
  const { stream, write, onDrain, onChunks, answer, clock, idleMs, signal, name } = options
  const last: string[] = []
  let seen = stream.progress
  await readBody({
    answer,
    clock,
    idleMs,
    signal,
    name,
    progress: () => (stream.progress === 1 ? '1 event' : `${stream.progress} events`),
    onData(chunks, hold) {
      onChunks?.(chunks)
      const unfinished = stream.unfinished
      const text = stream.push(scratchConcat(chunks))
      if (stream.finish !== undefined) {
        last.push(text)
        return 'finished'
      }
      if (text !== '' && !write(text)) hold(onDrain)
      // A long event may take its time, as long as more of it comes.
      const isAlive = stream.progress > seen || stream.unfinished > unfinished
      seen = stream.progress
      return isAlive ? 'alive' : 'idle'
    },
  })
  last.push(stream.end())
  return last.join('')
}

export interface CollectOptions extends Reading {
  readonly limit: number
  readonly onChunks?: (chunks: readonly Uint8Array[]) => void
}

/** The whole body, for answers that are not streamed. */
export async function collect(options: CollectOptions): Promise<Buffer> {
  const { limit, onChunks, answer, clock, idleMs, signal, name } = options
  const all: Uint8Array[] = []
  let length = 0
  await readBody({
    answer,
    clock,
    idleMs,
    signal,
    name,
    progress: () => `${length} bytes`,
    onData(chunks) {
      onChunks?.(chunks)
      for (const chunk of chunks) length += chunk.byteLength
      if (length > limit) {
        throw new GatewayError('server', `The answer of upstream "${name}" is longer than ${limit} bytes.`, {
          code: 'upstream_too_large',
          status: 502,
        })
      }
      for (const chunk of chunks) all.push(chunk)
      return 'alive'
    },
  })
  const [first] = all
  // Mostly it comes in one piece, and a copy would be of no use.
  return all.length === 1 && first !== undefined ? asBuffer(first) : Buffer.concat(all)
}
