import { randomFillSync } from 'node:crypto'
import type { Writable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as ws from 'ws'
import { FrameSplitter, pieceBytes } from './frame-splitter.ts'

/** The types of the package leave these out. */
const { Receiver, Sender } = ws as unknown as {
  readonly Receiver: new (options: object) => Writable
  readonly Sender: { frame(data: Buffer, options: object): Buffer[] }
}

/** The longest message. */
const most = 1_000_000

interface Frame {
  readonly opcode: number
  readonly length: number
  readonly fin: boolean
  /** What no client may send. */
  readonly mask?: false
  readonly rsv1?: true
}

/** The bytes of frames as a client sends them. */
function sent(frames: readonly Frame[]): Buffer {
  return Buffer.concat(
    frames.flatMap(({ opcode, length, fin, mask = true, rsv1 = false }, i) =>
      Sender.frame(Buffer.alloc(length, `${i} words `), {
        opcode,
        fin,
        mask,
        maskBuffer: randomFillSync(Buffer.alloc(4)),
        generateMask: undefined,
        rsv1,
        readOnly: false,
      }),
    ),
  )
}

function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1000
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return chunks
}

/** What a reader of frames makes of them. */
async function read(chunks: Iterable<Buffer>): Promise<unknown[]> {
  const receiver = new Receiver({ isServer: true, maxPayload: most })
  const got: unknown[] = []
  for (const name of ['message', 'ping', 'pong', 'conclude', 'error'])
    receiver.on(name, (...given: unknown[]) => got.push([name, ...given.map(String)]))
  for (const chunk of chunks) receiver.write(Buffer.from(chunk))
  // Errors are told in a turn of their own.
  await new Promise(resolve => setImmediate(resolve))
  return got
}

const split = (chunks: readonly Buffer[]): Buffer[] => {
  const splitter = new FrameSplitter(most)
  return chunks.flatMap(chunk => [...splitter.take(chunk)])
}

const length = fc.oneof(fc.nat(200), fc.nat(70_000), fc.integer({ min: pieceBytes - 2, max: 4 * pieceBytes }))
const message = fc
  .array(length, { minLength: 1, maxLength: 3 })
  .map(lengths =>
    lengths.map((each, i) => ({ opcode: i === 0 ? 1 : 0, length: each, fin: i === lengths.length - 1 })),
  )
const control = fc.record({ opcode: fc.constantFrom(8, 9, 10), length: fc.nat(125), fin: fc.constant(true) })
/** With control frames between the fragments of a message. */
const talk = fc
  .tuple(
    fc.array(message, { minLength: 1, maxLength: 3 }),
    fc.array(fc.tuple(fc.nat(), control), { maxLength: 3 }),
  )
  .map(([messages, controls]) => {
    const frames: Frame[] = messages.flat()
    for (const [at, each] of controls) frames.splice(at % (frames.length + 1), 0, each)
    return frames
  })
/** Frames of any kind and in any order, most of which a reader refuses. */
const anyFrames = fc.array(
  fc.record(
    {
      opcode: fc.nat(15),
      length: fc.oneof(length, fc.constant(most + 1)),
      fin: fc.boolean(),
      mask: fc.constant(false as const),
      rsv1: fc.constant(true as const),
    },
    { requiredKeys: ['opcode', 'length', 'fin'] },
  ),
  { minLength: 1, maxLength: 3 },
)

test('Frames that were cut say the same as before, however their bytes come, and are refused for the same.', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(talk, anyFrames),
      fc.array(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 100_000 })), {
        minLength: 1,
      }),
      async (frames, sizes) => {
        const chunks = cut(sent(frames), sizes.length === 1 ? [1000] : [...sizes, 50_000])
        expect(await read(split(chunks))).toEqual(await read(chunks))
      },
    ),
    { numRuns: 100 },
  )
})

test('No frame of a long message is longer than a piece, and a frame over the limit stays as it is.', () => {
  const bytes = sent([{ opcode: 1, length: 1_000_000, fin: true }])
  const pieces = split(cut(bytes, [30_000]))
  expect(pieces.filter(piece => piece.length === 14).length).toBe(Math.ceil(1_000_000 / pieceBytes))
  const splitter = new FrameSplitter(999_999)
  expect(Buffer.concat([...splitter.take(bytes)]).equals(bytes)).toBe(true)
})
