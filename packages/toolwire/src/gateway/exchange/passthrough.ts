/** Answers that may go to the client without being read. */
import type { UpstreamAnswer } from '../upstream/attempt.ts'

const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * Whether an answer that came whole is, as far as a look at it can tell, an object that reports no error. Some servers
 * answer errors, or pages, with a status of success; those have to be read.
 */
export function canPassAnswer({ headers }: UpstreamAnswer, bytes: Buffer): boolean {
  const type = headers['content-type']
  return (
    type?.startsWith('application/json') === true &&
    bytes[0] === openBrace &&
    bytes[bytes.length - 1] === closeBrace &&
    !mentionsError(bytes)
  )
}

/** An `error` that is not `null`, at whatever depth. */
function mentionsError(bytes: Buffer): boolean {
  for (let at = bytes.indexOf('error"'); at !== -1; at = bytes.indexOf('error"', at + 1)) {
    if (!/^error"\s*:\s*null\b/.test(bytes.toString('latin1', at, at + 40))) return true
  }
  return false
}
