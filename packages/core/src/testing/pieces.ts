/** How a streamed answer is cut: texts into deltas, and bytes into chunks as a network does, also within a character. */
import { createRandom, wholeBetween } from './random.ts'
import { web } from './web.ts'

/** The number of bytes in each chunk, or a seed for random numbers from 1 to 64. */
export type ByteCut = number | { readonly seed: number }

/** Into which pieces a scripted model cuts its stream. */
export interface Pieces {
  /** Characters in each delta; 8 by default. */
  readonly text?: number
  /** How the bytes are cut into chunks. By default each event is one string. */
  readonly bytes?: ByteCut
  /** The deltas of several calls alternate, where the wire allows it. */
  readonly interleave?: boolean
}

export function cutBytes(text: string, cut: ByteCut): Uint8Array[] {
  const bytes = new web.TextEncoder().encode(text)
  const random = typeof cut === 'number' ? undefined : createRandom(cut.seed)
  const chunks: Uint8Array[] = []
  for (let from = 0; from < bytes.length; ) {
    const size = random === undefined ? Number(cut) : wholeBetween(random, 1, 64)
    chunks.push(bytes.slice(from, from + size))
    from += size
  }
  return chunks
}
