/** Puts the answer of one round into the stream of its exchange. */
import type { ExchangeStream } from '@toolwire/core'
import type { Holding } from '../http/byte-budget.ts'
import { scratchConcat } from '../http/bytes.ts'
import type { ClientStream } from '../http/client-stream.ts'
import type { UpstreamAnswer } from '../upstream/attempt.ts'
import { readBody } from '../upstream/read-body.ts'
import { loopLimits } from '../workers/loop-limits.ts'
import { collectAnswer } from './collect-answer.ts'
import { parseOnLoop } from './parse-answer.ts'
import type { ExchangeRun } from './run.ts'

/** Where the stream is written to. */
export type Listener = Pick<ClientStream, 'write' | 'onDrain' | 'begun'>

/** `bytes`: those of the upstream that the text was, if it was not changed. Their memory may have been used again. */
interface RoundEnd {
  readonly text: string
  readonly bytes?: Uint8Array | undefined
}

/** Resolves with the end of the round, which has not been written: it waits until what it promises has been done. */
export function relayRound(
  run: ExchangeRun,
  answer: UpstreamAnswer,
  stream: ExchangeStream,
  client: Listener,
): Promise<RoundEnd> {
  if (!run.upstream.isStream(answer.headers['content-type']))
    return collectAnswer(run, answer).then(bytes => ({
      text: stream.whole(
        parseOnLoop(bytes, run.upstream.name, loopLimits(run.context.gateway), run.context.memory),
      ),
    }))
  // The wait begins first: what has already arrived is worked on at once, and that time is taken off the wait.
  return run.stopwatch.wait(Promise.resolve().then(() => relay(run, answer, stream, client)))
}

async function relay(
  { context, upstream, stopwatch }: ExchangeRun,
  answer: UpstreamAnswer,
  stream: ExchangeStream,
  client: Listener,
): Promise<RoundEnd> {
  const { gateway, signal, observation, memory } = context
  const { clock } = gateway
  const growth = new StreamGrowth(memory)
  const last: string[] = []
  let lastBytes: Uint8Array | undefined
  const onDrain = (callback: () => void): void => client.onDrain(callback)
  let seen = stream.progress
  await readBody({
    answer,
    clock,
    idleMs: upstream.timeouts.idleMs,
    pingMs: upstream.timeouts.pingMs,
    signal,
    name: upstream.name,
    turns: gateway.turns,
    share: context.share,
    progress: () => (stream.progress === 1 ? '1 event' : `${stream.progress} events`),
    onData(chunks, hold) {
      // The work on a chunk is timed from its arrival to the next wait.
      const arrived = clock.now()
      const bytes = scratchConcat(chunks)
      // Together, because they came at the same time.
      if (observation.wantsViews) observation.view('upstream-answer', bytes, chunks.length > 1)
      // What comes after the end is not kept, and must not keep the client from getting the end.
      if (stream.finish === undefined) growth.add(bytes.byteLength)
      const { unfinished } = stream
      const text = stream.push(bytes)
      if (stream.finish !== undefined) {
        lastBytes = last.length === 0 && stream.isUnchanged ? bytes : undefined
        last.push(text)
        return 'finished'
      }
      if (text !== '') {
        const isTaken = client.write(text, stream.isUnchanged ? bytes : undefined)
        stopwatch.worked(clock.now() - arrived)
        if (!isTaken) hold(onDrain)
      }
      // A long event may take its time, as long as more of it comes.
      const isAlive = stream.progress > seen || stream.unfinished > unfinished
      seen = stream.progress
      return isAlive ? 'alive' : 'ping'
    },
  })
  const rest = stream.end()
  return { text: last.join('') + rest, bytes: rest === '' ? lastBytes : undefined }
}

/** Bytes held until the end for each byte of a stream: its pieces, and on some wires an end that repeats them. */
const copies = 6
/** Memory is taken in steps, so that a chunk costs one comparison. */
const stepBytes = 16 * 1024

class StreamGrowth {
  readonly #memory: Holding
  #received = 0
  #taken = 0

  constructor(memory: Holding) {
    this.#memory = memory
  }

  add(bytes: number): void {
    this.#received += bytes
    if (this.#received <= this.#taken) return
    const step = Math.max(stepBytes, this.#received - this.#taken)
    this.#memory.take(copies * step, 'answer')
    this.#taken += step
  }
}
