/**
 * The cases by which answers are judged: what an agent's tool loop needs from whatever stands between it and a model.
 * Each says how the upstream answers, what the client asks, and what must be true on both sides.
 */
import { checkAnswer } from '../gateway/check-answer.mjs'
import { makeAnswer, makeCall, makeStory } from '../work/story.mjs'
import { wires } from '../work/wires.mjs'

const story = makeStory({ tools: 4, items: 6 })
const twoCalls = makeAnswer({ text: 120, calls: 2, argument: 80 })
const noArguments = { text: '', calls: [{ ...makeCall('call_none', 0, 1), args: '{}' }], finish: 'calls' }
const cutOff = { text: 'It ends in the mid', calls: [], finish: 'length' }
const plain = { text: 'Nothing to call: naïve café, 東京, 🙂🙃.', calls: [], finish: 'stop' }
const cuts = { text: 6, argument: 8 }

const answered = (title, answer, stream, more = {}) => ({
  title,
  upstream: { answer, cuts, packet: 3, capture: true, ...more },
  stream,
  judge: ({ from }, text) => checkAnswer(from, stream, text, answer),
})

const sent = (title, judge) => ({
  title,
  upstream: { answer: twoCalls, cuts, packet: 3, capture: true },
  stream: false,
  judge: (pair, _text, captured) => judge(wires[captured.wire].readRequest(JSON.parse(captured.body)), pair),
})

const results = story.turns.flatMap(turn => ('results' in turn ? turn.results : []))
const calls = story.turns.flatMap(turn => ('calls' in turn ? turn.calls : []))

/** @type {{ title: string, upstream: object, stream: boolean, judge: (pair: any, text: string, captured: any) => string | undefined }[]} */
export const judgedCases = [
  answered('two calls at once', twoCalls, false),
  answered('two calls at once, streamed', twoCalls, true),
  answered('a call without arguments', noArguments, false),
  answered('a call without arguments, streamed', noArguments, true),
  answered('cut off by the length', cutOff, false),
  answered('cut off by the length, streamed', cutOff, true),
  answered('text, streamed', plain, true),
  answered('a stream cut in the middle of letters', plain, true, { slice: 7 }),
  sent('results go with their calls', ({ results: read }) =>
    JSON.stringify(read) === JSON.stringify(results) ? undefined : 'results differ',
  ),
  sent('calls of the history arrive', ({ calls: read }) => {
    const plainly = list =>
      JSON.stringify(list.map(({ id, name, args }) => [id, name, Object.entries(JSON.parse(args)).sort()]))
    return plainly(read) === plainly(calls) ? undefined : 'calls differ'
  }),
  sent('instructions arrive', ({ system }) =>
    system.includes(story.system) ? undefined : 'instructions differ',
  ),
  sent('strict stays strict', ({ tools }) =>
    story.tools.every(
      ({ name, strict }) => !strict || tools.find(tool => tool.name === name)?.strict === true,
    )
      ? undefined
      : 'strict was lost',
  ),
  // On Responses, silence asks the provider to make a schema strict; everywhere else it means no.
  sent('what is not strict is not made so', ({ tools }, { to }) =>
    story.tools.every(({ name, strict }) => {
      const found = tools.find(tool => tool.name === name)
      return strict || (found !== undefined && (to === 'responses' ? found.strict === false : !found.strict))
    })
      ? undefined
      : 'strict was made up',
  ),
]

/**
 * @param {{ from: import('../work/wires.mjs').Wire, to: import('../work/wires.mjs').Wire }} pair
 * @returns {Promise<{ right: number, total: number, faults: string[] }>}
 */
export async function judge(pair, { peer, port, headers }, { upstream, load }) {
  const faults = []
  for (const { title, upstream: given, stream, judge: judgeOne } of judgedCases) {
    await upstream.ask('set', given)
    const body = JSON.stringify(wires[pair.from].request(story, { model: peer.model(pair), stream }))
    const path = `/v1${wires[pair.from].path}`
    const { status, text } = await load.ask('once', { port, path, headers: headers(pair), body })
    const captured = await upstream.ask('captured')
    const fault = judgeSafely(status, captured, pair, () => judgeOne(pair, text, captured))
    if (fault !== undefined) faults.push(`${title}: ${fault}`)
  }
  return { right: judgedCases.length - faults.length, total: judgedCases.length, faults }
}

function judgeSafely(status, captured, pair, work) {
  if (status !== 200) return `answered ${status}`
  if (captured?.wire !== pair.to) return `asked the upstream on ${captured?.wire}`
  try {
    return work()
  } catch (error) {
    return `unreadable: ${error instanceof Error ? error.message.slice(0, 80) : 'no error'}`
  }
}
