/** Server-sent events the short way: enough to check answers with, and the floor that streams are held against. */

/** @param {string} text a whole stream @returns {{ event?: string, data: string }[]} */
export function framesOf(text) {
  const frames = []
  for (const block of text.replaceAll('\r\n', '\n').split('\n\n')) {
    let event
    const data = []
    for (const line of block.split('\n')) {
      if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
      else if (line.startsWith('event:')) event = line.slice(6).trim()
    }
    if (data.length > 0) frames.push({ event, data: data.join('\n') })
  }
  return frames
}

/**
 * The floor for streams: bytes to text, text to events, `JSON.parse` of each. Nothing is made of the result.
 * @param {readonly Uint8Array[]} chunks
 * @returns {number} how many events were parsed
 */
export function parseFloor(chunks) {
  const decoder = new TextDecoder()
  let rest = ''
  let count = 0
  for (const chunk of chunks) {
    const text = rest + decoder.decode(chunk, { stream: true })
    let start = 0
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n', start)) {
      const data = text.indexOf('data: ', start) + 6
      if (text.charCodeAt(data) === 123) {
        JSON.parse(text.slice(data, end))
        count++
      }
      start = end + 2
    }
    rest = text.slice(start)
  }
  return count
}

/** Events joined into chunks of so many, as bytes. @param {readonly string[]} events @param {number} each */
export function packets(events, each) {
  const out = []
  for (let i = 0; i < events.length; i += each) out.push(Buffer.from(events.slice(i, i + each).join('')))
  return out
}
