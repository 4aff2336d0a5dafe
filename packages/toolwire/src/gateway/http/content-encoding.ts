/** Bodies that clients compress. What comes out is limited like any body, and takes memory as it comes. */
import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { bodyTooLarge, GatewayError } from '../errors.ts'
import { joinChunks } from './bytes.ts'

interface DecodeOptions {
  /** The most bytes that may come out. */
  readonly limit: number
  /** Called before bytes are kept; throws when there is no memory for them. */
  readonly reserve: (bytes: number) => void
}

type Decode = (bytes: Uint8Array, options: DecodeOptions) => Promise<Buffer>

/** Newer versions of Node have it. */
const { createZstdDecompress } = zlib as { readonly createZstdDecompress?: () => Transform }

const decoders: ReadonlyMap<string, (() => Transform) | undefined> = new Map([
  ['gzip', zlib.createGunzip],
  ['x-gzip', zlib.createGunzip],
  ['deflate', zlib.createInflate],
  ['br', zlib.createBrotliDecompress],
  ['zstd', createZstdDecompress],
])

/** `undefined` where the body is not encoded. Throws for an encoding that is not known here. */
export function decoderFor(encoding: string | undefined): Decode | undefined {
  const name = encoding?.trim().toLowerCase()
  if (name === undefined || name === '' || name === 'identity') return undefined
  const create = decoders.get(name)
  if (create === undefined) throw unknownEncoding(name)
  return (bytes, options) => decode(create(), bytes, name, options)
}

function decode(
  decoder: Transform,
  bytes: Uint8Array,
  name: string,
  { limit, reserve }: DecodeOptions,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    decoder.on('data', (chunk: Buffer) => {
      try {
        length += chunk.length
        if (length > limit) throw bodyTooLarge(limit)
        reserve(chunk.length)
        chunks.push(chunk)
      } catch (error) {
        decoder.destroy()
        reject(error)
      }
    })
    decoder.on('end', () => resolve(joinChunks(chunks)))
    decoder.on('error', () => reject(notEncoded(name)))
    decoder.end(bytes)
  })
}

function unknownEncoding(name: string): GatewayError {
  const known = [...decoders].flatMap(([each, create]) => (create === undefined ? [] : [each]))
  const newer = decoders.has(name) ? ' Node has it from version 22.15 on.' : ''
  return new GatewayError(
    'invalid_request',
    `Bodies in "content-encoding: ${name.slice(0, 100)}" cannot be read here.${newer} Send it plain, or in one of: ${known.join(', ')}.`,
    { code: 'unsupported_content_encoding', status: 415, headers: { 'accept-encoding': known.join(', ') } },
  )
}

function notEncoded(name: string): GatewayError {
  return new GatewayError(
    'invalid_request',
    `The request body is not what its "content-encoding: ${name}" says.`,
    {
      code: 'invalid_content_encoding',
      status: 400,
    },
  )
}
