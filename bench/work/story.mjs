/**
 * The work in no wire's words: tools, a history of turns, an answer. `wires.mjs` says the same on each wire, so that
 * every pair converts the same thing.
 */
import { prose } from './words.mjs'

/**
 * @typedef {{ name: string, description: string, schema: object, strict: boolean }} Tool
 * @typedef {{ id: string, name: string, args: string }} Call
 * @typedef {{ user: string } | { say: string, calls: Call[] } | { results: { id: string, text: string }[] }} Turn
 * @typedef {{ system: string, tools: Tool[], turns: Turn[] }} Story
 * @typedef {{ text: string, calls: Call[], finish: 'calls' | 'stop' | 'length' }} Answer
 */

/** @param {number} i @returns {Tool} */
function makeTool(i) {
  const strict = i % 4 === 0
  const properties = {
    path: { type: 'string', description: prose(60, i + 1) },
    mode: { type: 'string', enum: ['read', 'write', 'append'] },
    lines: { type: 'array', items: { type: 'integer' }, description: prose(40, i + 2) },
    options: {
      type: 'object',
      properties: { encoding: { type: 'string' }, follow: { type: 'boolean' } },
      required: ['encoding', 'follow'],
      additionalProperties: false,
    },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }], description: prose(50, i + 3) },
  }
  const required = strict ? Object.keys(properties) : ['path', 'mode']
  return {
    name: `tool_${i}_file`,
    description: prose(220, i),
    schema: { type: 'object', properties, required, additionalProperties: false },
    strict,
  }
}

/** @param {number} count @returns {Tool[]} */
export const makeTools = count => Array.from({ length: count }, (_, i) => makeTool(i))

/** @param {string} id @param {number} tool @param {number} seed @param {number} length @returns {Call} */
export function makeCall(id, tool, seed, length = 60) {
  const args = {
    path: `src/file-${seed}.ts`,
    mode: 'read',
    lines: [1, seed],
    options: { encoding: 'utf8', follow: true },
    note: prose(length, seed),
  }
  return { id, name: `tool_${tool}_file`, args: JSON.stringify(args) }
}

/** What one round of an agent takes on the Responses wire: two messages, two calls, two results. */
const itemsInRound = 6

/**
 * A history of so many items, counted as the Responses wire counts them. It ends with the results of calls, as the
 * requests of agents do.
 * @param {{ tools: number, items: number, words?: number }} size
 * @returns {Story}
 */
export function makeStory({ tools, items, words = 160 }) {
  const turns = []
  for (let round = 0; round < Math.max(1, Math.round(items / itemsInRound)); round++) {
    const ids = [`call_${round}_a`, `call_${round}_b`]
    turns.push({ user: prose(words, round) })
    turns.push({
      say: prose(words, round + 1),
      calls: ids.map((id, i) => makeCall(id, (round + i) % Math.max(1, tools), round + i)),
    })
    turns.push({ results: ids.map((id, i) => ({ id, text: prose(words * 2, round + i + 7) })) })
  }
  return { system: prose(400, 3), tools: makeTools(tools), turns }
}

/**
 * @param {{ text?: number, calls?: number, argument?: number }} size lengths in characters
 * @returns {Answer}
 */
export function makeAnswer({ text = 200, calls = 2, argument = 120 } = {}) {
  return {
    text: prose(text, 5),
    calls: Array.from({ length: calls }, (_, i) => makeCall(`call_new_${i}`, i, i + 40, argument)),
    finish: calls > 0 ? 'calls' : 'stop',
  }
}
