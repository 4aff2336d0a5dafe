/** Bodies that clients compress. What comes out is limited like any body, and takes memory as it comes. */
import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { bodyTooLarge, GatewayError } from '../errors.ts'
import { asBuffer, ChunkList } from './bytes.ts'

interface DecodeOptions {
  /** The most bytes that may come out. */
  readonly limit: number
  /** Called before bytes are kept; throws when there is no memory for them. */
  readonly reserve: (bytes: number) => void
}

type Decode = (bytes: Uint8Array, options: DecodeOptions) => Promise<Buffer>

/** Node has it from version 22.15 on. */
const { createZstdDecompress } = zlib as { readonly createZstdDecompress?: () => Transform }

/** Gives what comes out to `onChunk`, which throws when it is too much. */
type Run = (bytes: Uint8Array, onChunk: (chunk: Uint8Array) => void) => Promise<void>

const decoders: ReadonlyMap<string, Run> = new Map([
  ['gzip', through(() => zlib.createGunzip())],
  ['x-gzip', through(() => zlib.createGunzip())],
  ['deflate', through(createInflate)],
  ['br', through(() => zlib.createBrotliDecompress())],
  ['zstd', createZstdDecompress === undefined ? runZstd : through(() => createZstdDecompress())],
])

/** `undefined` where the body is not encoded. Throws for an encoding that is not known here. */
export function decoderFor(encoding: string | undefined): Decode | undefined {
  const name = encoding?.trim().toLowerCase()
  if (name === undefined || name === '' || name === 'identity') return undefined
  const run = decoders.get(name)
  if (run === undefined) throw unknownEncoding(name)
  return (bytes, options) => decode(run, bytes, name, options)
}

/** Some clients leave out the two bytes in front that the name stands for. */
function createInflate(bytes: Uint8Array): Transform {
  const [first = 0, second = 0] = bytes
  const hasHeader = (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
  return hasHeader ? zlib.createInflate() : zlib.createInflateRaw()
}

async function decode(
  run: Run,
  bytes: Uint8Array,
  name: string,
  { limit, reserve }: DecodeOptions,
): Promise<Buffer> {
  const chunks = new ChunkList()
  let length = 0
  let refusal: { readonly reason: unknown } | undefined
  const keep = (chunk: Uint8Array): void => {
    try {
      length += chunk.length
      if (length > limit) throw bodyTooLarge(limit)
      reserve(chunk.length)
      chunks.add(chunk)
    } catch (reason) {
      refusal = { reason }
      throw reason
    }
  }
  await run(bytes, keep).catch((error: unknown) => {
    throw refusal === undefined ? notEncoded(name, error) : refusal.reason
  })
  return chunks.join()
}

function through(create: (bytes: Uint8Array) => Transform): Run {
  return (bytes, onChunk) =>
    new Promise((resolve, reject) => {
      const decoder = create(bytes)
      decoder.on('data', (chunk: Buffer) => {
        try {
          onChunk(chunk)
        } catch (error) {
          decoder.destroy()
          reject(error)
        }
      })
      decoder.on('end', resolve)
      decoder.on('error', reject)
      decoder.end(bytes)
    })
}

/** Loaded with the first body that needs it. */
async function runZstd(bytes: Uint8Array, onChunk: (chunk: Uint8Array) => void): Promise<void> {
  const { decodeZstd } = await import('./decode-zstd.ts')
  await decodeZstd(asBuffer(bytes), onChunk)
}

function unknownEncoding(name: string): GatewayError {
  const known = [...decoders.keys()].join(', ')
  return new GatewayError(
    'invalid_request',
    `Bodies in "content-encoding: ${name.slice(0, 100)}" cannot be read here. Send it plain, or in one of: ${known}.`,
    { code: 'unsupported_content_encoding', status: 415, headers: { 'accept-encoding': known } },
  )
}

function notEncoded(name: string, error: unknown): GatewayError {
  const reason = error instanceof Error ? error.message.replace(/\.$/, '') : 'unknown reason'
  return new GatewayError(
    'invalid_request',
    `The request body cannot be decoded as its "content-encoding: ${name}" says: ${reason}. Send it plain.`,
    {
      code: 'invalid_content_encoding',
      status: 400,
    },
  )
}
