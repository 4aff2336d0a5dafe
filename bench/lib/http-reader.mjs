/**
 * Reads HTTP/1.1 messages off a raw socket: as little work as can be, so that the load generator and the instant
 * upstream weigh less than what is measured between them.
 */

const headEnd = Buffer.from('\r\n\r\n')
const lineEnd = Buffer.from('\r\n')

/**
 * @param {{ onHead?: (head: string) => void, onBody: (chunk: Buffer) => void, onEnd: () => void }} listener
 * @param {{ hasBody: boolean }} options `hasBody`: a message without a length lasts until the socket ends
 */
export function createHttpReader({ onHead, onBody, onEnd }, { hasBody }) {
  /** @type {Buffer | undefined} what is left over from an incomplete head or chunk size */
  let rest
  let state = 'head'
  let left = 0

  const takeHead = (buffer, at) => {
    const end = buffer.indexOf(headEnd, at)
    if (end === -1) return -1
    const head = buffer.latin1Slice(at, end)
    const lower = head.toLowerCase()
    onHead?.(head)
    const length = /\r\ncontent-length:\s*(\d+)/.exec(lower)
    if (/\r\ntransfer-encoding:[^\r]*chunked/.test(lower)) state = 'size'
    else if (length !== null) {
      left = Number(length[1])
      state = 'body'
    } else {
      left = hasBody ? Number.POSITIVE_INFINITY : 0
      state = 'body'
    }
    return end + 4
  }
  const takeSize = (buffer, at) => {
    const end = buffer.indexOf(lineEnd, at)
    if (end === -1) return -1
    left = Number.parseInt(buffer.latin1Slice(at, end), 16)
    state = left === 0 ? 'trailer' : 'chunk'
    return end + 2
  }
  const takeBody = (buffer, at) => {
    const end = Math.min(buffer.length, at + left)
    if (end > at) onBody(buffer.subarray(at, end))
    left -= end - at
    return end
  }
  const over = () => {
    state = 'head'
    onEnd()
  }

  return {
    /** @param {Buffer} given */
    push(given) {
      const buffer = rest === undefined ? given : Buffer.concat([rest, given])
      rest = undefined
      let at = 0
      while (at < buffer.length || (state === 'body' && left === 0)) {
        let next = at
        if (state === 'head') next = takeHead(buffer, at)
        else if (state === 'size') next = takeSize(buffer, at)
        else if (state === 'body') {
          next = takeBody(buffer, at)
          if (left === 0) over()
        } else if (state === 'chunk') {
          next = takeBody(buffer, at)
          if (left === 0) state = 'gap'
        } else {
          // The line end after a chunk, or after the last one.
          if (buffer.length - at < 2) next = -1
          else {
            next = at + 2
            if (state === 'gap') state = 'size'
            else over()
          }
        }
        if (next === -1) {
          rest = buffer.subarray(at)
          return
        }
        at = next
      }
    },
    /** The socket has ended: `true` when that was the end of a message without a length. */
    close() {
      if (state !== 'body' || left !== Number.POSITIVE_INFINITY) return false
      over()
      return true
    },
  }
}
