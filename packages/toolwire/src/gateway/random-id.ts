/** Ids that cannot be guessed. */
import { randomBytes } from 'node:crypto'

/** The system's random bytes cost the same for few as for many, so they are fetched in bulk. No byte is used twice. */
let pool = Buffer.alloc(0)
let used = 0
/** 128 random bits cannot be guessed. */
const idBytes = 16

export function randomId(prefix: string): string {
  if (used + idBytes > pool.length) {
    pool = randomBytes(8192)
    used = 0
  }
  const start = used
  used += idBytes
  return prefix + pool.toString('hex', start, used)
}
