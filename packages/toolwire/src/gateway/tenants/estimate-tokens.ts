/** About how many tokens a request has, from its bytes alone: nothing is parsed, and it takes no time to speak of. */
import { asBuffer } from '../http/bytes.ts'

const bytesPerToken = 4
/** Whatever its size, an image or a file counts as about so many. */
const tokensPerMedium = 1_000
/** So many mentions of media are looked at; what follows them counts as text, which is more. */
const mostMentions = 1_000

export function estimateTokens(body: Uint8Array): number {
  const bytes = asBuffer(body)
  let media = 0
  let mediaBytes = 0
  let at = bytes.indexOf(word)
  for (let mentions = 0; at !== -1 && mentions < mostMentions; mentions++) {
    const start = dataAfter(bytes, at + word.length)
    const end = start === undefined ? at + word.length : bytes.indexOf(quote, start)
    // What is never closed is no JSON.
    if (end === -1) break
    if (start !== undefined) {
      media++
      mediaBytes += end - start
    }
    at = bytes.indexOf(word, end)
  }
  return Math.ceil((bytes.length - mediaBytes) / bytesPerToken) + media * tokensPerMedium
}

const word = 'base64'
const member = '"data"'
const quote = 0x22
const backslash = 0x5c
/** How far the data may be from the word, in members between them. */
const nearby = 200

/** In an address the data follows at once; where the word stands alone, in a member named `data`. */
function dataAfter(bytes: Buffer, after: number): number | undefined {
  if (bytes[after] !== quote && bytes[after] !== backslash) return after
  const near = bytes.subarray(after, after + nearby)
  const name = near.indexOf(member)
  const open = name === -1 ? -1 : near.indexOf(quote, name + member.length)
  return open === -1 ? undefined : after + open + 1
}
