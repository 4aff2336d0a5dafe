/** How much one client gets in a turn of the event loop. */
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { NodeSink } from './node-sink.ts'

/** A client that reads as fast as it is written to: what is written has left before anything else happens. */
class FastClient extends EventEmitter {
  headersSent = true
  destroyed = false
  writableEnded = false
  writableNeedDrain = false
  writableLength = 0
  received = ''

  write(chunk: string | Uint8Array): boolean {
    this.received += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('latin1')
    if (chunk.length < 16 * 1024) return true
    this.writableNeedDrain = true
    process.nextTick(() => {
      this.writableNeedDrain = false
      this.emit('drain')
    })
    return false
  }

  end(): void {
    this.writableEnded = true
  }
}

const mebi = 1024 * 1024

/** The most that the client got in one turn, until `isOver`. */
async function mostInATurn(client: FastClient, isOver: () => boolean): Promise<number> {
  let most = client.received.length
  while (!isOver()) {
    const before = client.received.length
    await nextTurn()
    most = Math.max(most, client.received.length - before)
  }
  return most
}

test.each([
  ['text', 'x'.repeat(20 * mebi)],
  ['bytes', Buffer.alloc(20 * mebi, 'x')],
])('A client that reads fast gets a long %s over many turns, and others have theirs.', async (_, long) => {
  const client = new FastClient()
  const sink = new NodeSink(client as unknown as ServerResponse)
  sink.end(long)
  expect(await mostInATurn(client, () => client.writableEnded)).toBeLessThanOrEqual(mebi / 2)
  expect(client.received.length).toBe(20 * mebi)
})

test('Whoever waits until a client has drained is called, however short the last piece is.', async () => {
  const client = new FastClient()
  const sink = new NodeSink(client as unknown as ServerResponse)
  let isDrained = false
  expect(sink.write('x'.repeat(2 * mebi + 7))).toBe(false)
  sink.onDrain(() => (isDrained = true))
  for (let turn = 0; turn < 30; turn++) await nextTurn()
  expect(client.received.length).toBe(2 * mebi + 7)
  expect(isDrained).toBe(true)
})

test('Whoever writes when a fast client has drained waits for another turn.', async () => {
  const client = new FastClient()
  const sink = new NodeSink(client as unknown as ServerResponse)
  let left = 200
  const write = (): void => {
    while (left-- > 0) {
      if (sink.write('x'.repeat(64 * 1024))) continue
      sink.onDrain(write)
      return
    }
  }
  write()
  expect(await mostInATurn(client, () => left <= 0)).toBeLessThanOrEqual(mebi / 2)
})
