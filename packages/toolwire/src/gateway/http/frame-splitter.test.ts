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

interface Frame {
  readonly opcode: number
  readonly length: number
  readonly fin: boolean
}

/** The bytes of frames as a client sends them. */
function sent(frames: readonly Frame[]): Buffer {
  return Buffer.concat(
    frames.flatMap(({ opcode, length, fin }, i) =>
      Sender.frame(Buffer.alloc(length, `${i} words `), {
        opcode,
        fin,
        mask: true,
        maskBuffer: randomFillSync(Buffer.alloc(4)),
        generateMask: undefined,
        rsv1: false,
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
function read(chunks: Iterable<Buffer>): unknown[] {
  const receiver = new Receiver({ isServer: true })
  const got: unknown[] = []
  for (const name of ['message', 'ping', 'pong', 'conclude', 'error'])
    receiver.on(name, (...given: unknown[]) => got.push([name, ...given.map(String)]))
  for (const chunk of chunks) receiver.write(Buffer.from(chunk))
  return got
}

const split = (chunks: readonly Buffer[]): Buffer[] => {
  const splitter = new FrameSplitter(10_000_000)
  return chunks.flatMap(chunk => [...splitter.take(chunk)])
}

const length = fc.oneof(fc.nat(200), fc.nat(70_000), fc.integer({ min: pieceBytes - 2, max: 4 * pieceBytes }))
const message = fc
  .array(length, { minLength: 1, maxLength: 3 })
  .map(lengths =>
    lengths.map((each, i) => ({ opcode: i === 0 ? 1 : 0, length: each, fin: i === lengths.length - 1 })),
  )
const ping = fc.nat(125).map(each => [{ opcode: 9, length: each, fin: true }])

test('Frames that were cut say the same as before, however their bytes come.', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(message, ping), { minLength: 1, maxLength: 4 }),
      fc.array(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 100_000 })), {
        minLength: 1,
      }),
      (frames, sizes) => {
        const chunks = cut(sent(frames.flat()), sizes.length === 1 ? [1000] : [...sizes, 50_000])
        expect(read(split(chunks))).toEqual(read(chunks))
      },
    ),
    { numRuns: 60 },
  )
})

test('No frame of a long message is longer than a piece, and a frame over the limit stays as it is.', () => {
  const bytes = sent([{ opcode: 1, length: 1_000_000, fin: true }])
  const pieces = split(cut(bytes, [30_000]))
  expect(pieces.filter(piece => piece.length === 14).length).toBe(Math.ceil(1_000_000 / pieceBytes))
  const splitter = new FrameSplitter(999_999)
  expect(Buffer.concat([...splitter.take(bytes)]).equals(bytes)).toBe(true)
})
