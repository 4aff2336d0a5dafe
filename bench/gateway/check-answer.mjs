/** Whether an answer says what the upstream said. */
import { framesOf } from '../work/frames.mjs'
import { wires } from '../work/wires.mjs'

const ends = { chat: '"finish_reason":"', responses: '"response.completed"', messages: 'message_stop' }

/**
 * Whether a stream has its end mark. The last event may be long, so the search goes backwards.
 * @param {import('../work/wires.mjs').Wire} wire @param {readonly Buffer[]} chunks
 */
export function hasEnd(wire, chunks) {
  const mark = ends[wire]
  if (
    chunks
      .slice(-8)
      .reverse()
      .some(chunk => chunk.includes(mark))
  )
    return true
  // The mark may have been cut in two.
  return Buffer.concat(chunks).includes(mark)
}

/** Arguments are compared as values, since one of the wires carries objects. */
const canonical = ({ text, calls, finish }) =>
  JSON.stringify({
    text,
    calls: calls.map(({ id, name, args }) => ({ id, name, args: sorted(JSON.parse(args || '{}')) })),
    finish,
  })

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map(key => [key, sorted(value[key])]),
  )
}

/**
 * @param {import('../work/wires.mjs').Wire} wire the client's
 * @param {boolean} stream @param {string} text
 * @param {import('../work/story.mjs').Answer} expected
 * @returns {string | undefined} what is wrong
 */
export function checkAnswer(wire, stream, text, expected) {
  try {
    const read = stream ? wires[wire].readStream(framesOf(text)) : wires[wire].readAnswer(JSON.parse(text))
    if (stream && !read.ended) return 'a stream without its end'
    if (read.text !== expected.text) return 'another text'
    if (read.calls.length !== expected.calls.length) return 'another number of calls'
    for (const [i, { id, name }] of read.calls.entries()) {
      if (id !== expected.calls[i].id) return 'another id of a call'
      if (name !== expected.calls[i].name) return 'another name of a call'
    }
    if (read.finish !== expected.finish) return `finished with ${read.finish}`
    return canonical(read) === canonical(expected) ? undefined : 'other arguments'
  } catch (error) {
    return `unreadable: ${error instanceof Error ? error.message.slice(0, 80) : 'not an error'}`
  }
}
