/** How a streamed answer is cut up: texts into deltas, and bytes as a network cuts them, within a character too. */
import { createRandom, wholeBetween } from './random.ts'
import { web } from './web.ts'

/** So many bytes in each chunk, or anything from 1 to 64 of them, as the seed decides. */
export type ByteCut = number | { readonly seed: number }

export interface Pieces {
  /** Characters in each delta; 8 unless stated. */
  readonly text?: number
  /** How the bytes are cut into chunks. Unless stated, each event comes as one piece of text. */
  readonly bytes?: ByteCut
  /** Calls of one turn grow beside each other, where the wire allows it. */
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
