import * as zlib from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { decoderFor } from './content-encoding.ts'

const text = '{"input":"ein Stück"}'.repeat(5000)
const free = { limit: 10_000_000, reserve: () => {} }
const { zstdCompressSync } = zlib as { readonly zstdCompressSync?: (data: string) => Buffer }
const encoders = [
  ['gzip', zlib.gzipSync],
  ['x-gzip', zlib.gzipSync],
  [' GZIP ', zlib.gzipSync],
  ['deflate', zlib.deflateSync],
  ['deflate', zlib.deflateRawSync],
  ['br', zlib.brotliCompressSync],
  ['zstd', zstdCompressSync ?? storedZstd],
] as const

/** A frame of zstd that compresses nothing. */
function storedZstd(text: string): Buffer {
  const bytes = Buffer.from(text)
  const most = 128 * 1024
  const parts = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x58])]
  for (let at = 0; at < bytes.length; at += most) {
    const block = bytes.subarray(at, at + most)
    const head = Buffer.alloc(3)
    head.writeUIntLE((block.length << 3) | (at + most >= bytes.length ? 1 : 0), 0, 3)
    parts.push(head, block)
  }
  return Buffer.concat(parts)
}

describe.each(encoders)('in %s', (name, encode) => {
  test('A body comes out as it was, and takes memory for all of it.', async () => {
    let taken = 0
    const reserve = (bytes: number): void => {
      taken += bytes
    }
    const decoded = await decoderFor(name)?.(encode(text), { ...free, reserve })
    expect(String(decoded)).toBe(text)
    expect(taken).toBe(Buffer.byteLength(text))
  })

  test('A body that is longer than the limit is refused before all of it has come out.', async () => {
    let taken = 0
    const reserve = (bytes: number): void => {
      taken += bytes
    }
    const bomb = encode('0'.repeat(50_000_000))
    await expect(decoderFor(name)?.(bomb, { limit: 1_000_000, reserve })).rejects.toMatchObject({
      code: 'body_too_large',
    })
    expect(taken).toBeLessThanOrEqual(1_000_000)
  })

  test('A body for which there is no memory, or that is cut or something else, is refused.', async () => {
    const full = (): never => {
      throw new Error('full')
    }
    await expect(decoderFor(name)?.(encode(text), { ...free, reserve: full })).rejects.toThrow('full')
    const code = 'invalid_content_encoding'
    await expect(decoderFor(name)?.(Buffer.from('{}'), free)).rejects.toMatchObject({ code })
    await expect(decoderFor(name)?.(encode(text).subarray(0, 30), free)).rejects.toMatchObject({ code })
  })
})

test('A body without an encoding is left as it is, and one in an unknown encoding is refused with a remedy.', () => {
  for (const none of [undefined, '', 'identity']) expect(decoderFor(none)).toBeUndefined()
  expect(() => decoderFor('compress')).toThrow('Send it plain, or in one of: gzip')
  expect(() => decoderFor('gzip, br')).toThrow('cannot be read here')
})
