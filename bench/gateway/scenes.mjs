/** What the gateways are given to do. */
import { makeAnswer, makeStory } from '../work/story.mjs'
import { pairs, wireNames, wires } from '../work/wires.mjs'

/** @typedef {import('../work/wires.mjs').Wire} Wire */

/** What the upstream says to whoever wants it whole, and to whoever wants it as a stream: 200 deltas. */
export const wholeAnswer = makeAnswer({ text: 400, calls: 2, argument: 120 })
export const streamedAnswer = makeAnswer({ text: 3000, calls: 2, argument: 600 })
const cuts = { text: 150, argument: 25 }

/** How the upstream gives its answer. */
export const upstreamModes = {
  json: { answer: wholeAnswer, cuts, packet: 20, mode: 'burst' },
  burst: { answer: streamedAnswer, cuts, packet: 20, mode: 'burst' },
  paced: { answer: streamedAnswer, cuts, packet: 1, mode: 'paced' },
  idle: { answer: streamedAnswer, cuts, packet: 20, mode: 'idle' },
}

/** What the client sends: one round with two tools (4 KB), a typical agent (28 KB), a long day of one (8 MB). */
const stories = {
  small: { tools: 2, items: 6 },
  typical: { tools: 20, items: 30 },
  huge: { tools: 200, items: 12_000, words: 470 },
}

/**
 * @param {Wire} from @param {string} model
 * @param {{ stream?: boolean, size?: 'small' | 'typical' | 'huge' }} given
 */
export function requestFor(from, model, { stream = false, size = 'small' } = {}) {
  const body = JSON.stringify(wires[from].request(makeStory(stories[size]), { model, stream }))
  const answer = stream ? streamedAnswer : wholeAnswer
  return { wire: from, stream, answer, path: `/v1${wires[from].path}`, body }
}

/** Groups that are measured in turns: the same work for the pipe on each wire and for each pair. */
export const groups = [
  { scene: 'json', connections: 1 },
  { scene: 'json', connections: 16 },
  { scene: 'json', connections: 256 },
  { scene: 'burst', connections: 1 },
  { scene: 'burst', connections: 16 },
  { scene: 'burst', connections: 256 },
  { scene: 'paced', connections: 16 },
  { scene: 'json', connections: 16, size: 'typical' },
]

/** Who takes part: the pipe once on each wire, the gateway once for each pair. */
export const lanes = [
  ...wireNames.map(wire => ({ subject: 'pipe', from: wire, to: wire })),
  ...pairs.map(pair => ({ subject: 'toolwire', ...pair })),
]

/** Beside them, at the middle load. */
export const parsingLanes = wireNames.map(wire => ({ subject: 'parsing pipe', from: wire, to: wire }))
