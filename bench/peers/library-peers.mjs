/** Libraries that convert, beside Toolwire's on the same requests and streams, in turns and in one process. */
import { createExchange } from '@toolwire/core'
import { spread } from '../lib/stats.mjs'
import { framesOf, packets } from '../work/frames.mjs'
import { makeAnswer, makeStory } from '../work/story.mjs'
import { wires } from '../work/wires.mjs'
import { llmBridge } from './llm-bridge.mjs'
import { openrouterAgent } from './openrouter-agent.mjs'

/**
 * @typedef {{ from: import('../work/wires.mjs').Wire, to: import('../work/wires.mjs').Wire }} Pair
 * @typedef {object} LibraryPeer
 * @property {string} name @property {string} version @property {Record<string, string>} dependencies
 * @property {Pair[]} pairs
 * @property {(folder: string) => Promise<{ request: (pair: Pair, body: any) => any, stream?: (pair: Pair, chunks: Uint8Array[]) => Promise<string>, spell?: (pair: Pair, body: any) => any, read?: (body: any) => any }>} load
 */

/** @type {LibraryPeer[]} */
export const libraryPeers = [llmBridge, openrouterAgent]

const model = 'bench-model'
const story = makeStory({ tools: 20, items: 30 })
const answer = makeAnswer({ text: 3000, calls: 2, argument: 600 })

/** Ours, after its request: the others' streams know of no request. */
function createOwnStream(pair, chunks) {
  const exchange = createExchange(pair)
  exchange.request(wires[pair.from].request(story, { model, stream: true }))
  return () => {
    const stream = exchange.stream()
    return chunks.map(chunk => stream.push(chunk)).join('') + stream.end()
  }
}

async function burnAsync(work, minimumMs) {
  const cpu = process.cpuUsage()
  const start = performance.now()
  let runs = 0
  do {
    await work()
    runs++
  } while (performance.now() - start < minimumMs)
  const { user, system } = process.cpuUsage(cpu)
  return (user + system) / runs
}

function judgeRequest({ to }, body) {
  const { results, tools, system, calls } = wires[to].readRequest(body)
  const wanted = story.turns.flatMap(turn => ('results' in turn ? turn.results : []))
  const asked = story.turns.flatMap(turn => ('calls' in turn ? turn.calls : []))
  const faults = []
  if (JSON.stringify(results) !== JSON.stringify(wanted)) faults.push('results differ')
  if (calls.map(({ id }) => id).join() !== asked.map(({ id }) => id).join()) faults.push('calls differ')
  if (!system.includes(story.system)) faults.push('instructions differ')
  if (tools.length !== story.tools.length) faults.push('tools are missing')
  else if (tools.some(({ strict }, i) => (strict === true) !== story.tools[i].strict))
    faults.push('strict differs')
  return faults
}

function judgeStream({ from }, text) {
  const read = wires[from].readStream(framesOf(text))
  const plainly = ({ text: said, calls, finish }) =>
    JSON.stringify([said, calls.map(({ id, name, args }) => [id, name, JSON.parse(args)]), finish])
  return read.ended && plainly(read) === plainly(answer) ? [] : ['the answer differs']
}

const attempt = async work => {
  try {
    return await work()
  } catch (error) {
    return [`failed: ${error instanceof Error ? error.message.slice(0, 100) : 'not an error'}`]
  }
}

async function takeTurns(mine, theirs, { rounds, roundMs, warmMs }) {
  await burnAsync(mine, warmMs)
  await burnAsync(theirs, warmMs)
  const samples = []
  for (let round = 0; round < rounds; round++) {
    samples.push({ mine: await burnAsync(mine, roundMs), theirs: await burnAsync(theirs, roundMs) })
  }
  return {
    toolwireUs: spread(samples.map(sample => sample.mine)),
    peerUs: spread(samples.map(sample => sample.theirs)),
    ratio: spread(samples.map(sample => sample.theirs / sample.mine)),
  }
}

async function compareRequests(peer, pair, plan) {
  const body = wires[pair.from].request(story, { model })
  const text = JSON.stringify(body)
  const spelled = JSON.stringify(peer.spell?.(pair, body) ?? body)
  const mine = () => JSON.stringify(createExchange(pair).request(JSON.parse(text)).value)
  const theirs = () => JSON.stringify(peer.request(pair, JSON.parse(spelled)))
  const read = value => peer.read?.(value) ?? value
  const faults = await attempt(() => judgeRequest(pair, read(JSON.parse(theirs()))))
  const failed = faults.some(fault => fault.startsWith('failed'))
  return { kind: 'requests', faults, ...(failed ? {} : await takeTurns(mine, theirs, plan)) }
}

async function compareStreams(peer, pair, plan) {
  const chunks = packets(wires[pair.to].stream(answer, model, { text: 150, argument: 25 }), 20)
  const mine = createOwnStream(pair, chunks)
  const theirs = () => peer.stream(pair, chunks)
  const faults = await attempt(async () => judgeStream(pair, await theirs()))
  const failed = faults.some(fault => fault.startsWith('failed'))
  return { kind: 'streams', faults, ...(failed ? {} : await takeTurns(mine, theirs, plan)) }
}

/** @param {LibraryPeer} peer @param {string} folder */
export async function compareLibrary({ name, version, pairs, load }, folder, plan) {
  const peer = await load(folder)
  const rows = []
  for (const pair of pairs) {
    const label = { peer: name, version, ...pair }
    rows.push({ ...label, ...(await compareRequests(peer, pair, plan)) })
    if (peer.stream !== undefined) rows.push({ ...label, ...(await compareStreams(peer, pair, plan)) })
  }
  return rows
}
