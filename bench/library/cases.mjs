/** What the library is timed at: each kind of work, in each size, for each ordered pair of wires. */
import { importEntry } from '../lib/build-entry.mjs'
import { framesOf, packets, parseFloor } from '../work/frames.mjs'
import { makeAnswer, makeStory, makeTools } from '../work/story.mjs'
import { pairs, wires } from '../work/wires.mjs'

const { convertTools, createExchange } = await importEntry('@toolwire/core')

/**
 * @typedef {object} Case
 * @property {'definitions' | 'requests' | 'answers' | 'streams'} kind
 * @property {string} size
 * @property {string} from @property {string} to
 * @property {number} bytes of the input
 * @property {number} units what one run counts for: 1, or the events of a stream
 * @property {() => unknown} subject @property {() => unknown} floor
 * @property {() => boolean} isRight whether what comes out says what went in
 */

const requestSizes = {
  small: { tools: 2, items: 6 },
  typical: { tools: 20, items: 30 },
  large: { tools: 200, items: 2000, words: 220 },
}
const answerSizes = {
  small: { text: 120, calls: 1, argument: 60 },
  typical: { text: 800, calls: 2, argument: 300 },
  'large: 10 MB argument': { text: 0, calls: 1, argument: 10 * 2 ** 20 },
}
const streamSizes = {
  'typical: 200 deltas, 20 events a packet': {
    answer: { text: 3000, calls: 2, argument: 600 },
    cuts: { text: 150, argument: 25 },
    packet: 20,
  },
  'typical: 200 deltas, 1 event a packet': {
    answer: { text: 3000, calls: 2, argument: 600 },
    cuts: { text: 150, argument: 25 },
    packet: 1,
  },
  'large: 5,000-delta argument': {
    answer: { text: 0, calls: 1, argument: 100_000 },
    cuts: { text: 1, argument: 5000 },
    packet: 20,
  },
  'large: 10 MB argument': {
    answer: { text: 0, calls: 1, argument: 10 * 2 ** 20 },
    cuts: { text: 1, argument: 2560 },
    packet: 4,
  },
}

const floorOf = text => () => JSON.stringify(JSON.parse(text))
const model = 'bench-model'

/** @returns {Case} */
export function definitionsCase({ from, to }, size, count) {
  const tools = makeTools(count)
  const text = JSON.stringify(wires[from].tools(tools))
  const subject = () => JSON.stringify(convertTools(JSON.parse(text), { from, to }).value)
  return {
    kind: 'definitions',
    size,
    from,
    to,
    bytes: text.length,
    units: 1,
    subject,
    floor: floorOf(text),
    isRight() {
      const { tools: read } = wires[to].readRequest({ tools: JSON.parse(subject()) })
      return read.length === count && read.every(({ name }, i) => name === tools[i].name)
    },
  }
}

/** @returns {Case} */
export function requestCase({ from, to }, size, given) {
  const story = makeStory(given)
  const text = JSON.stringify(wires[from].request(story, { model }))
  const subject = () => JSON.stringify(createExchange({ from, to }).request(JSON.parse(text)).value)
  return {
    kind: 'requests',
    size,
    from,
    to,
    bytes: text.length,
    units: 1,
    subject,
    floor: floorOf(text),
    isRight() {
      const read = wires[to].readRequest(JSON.parse(subject()))
      const results = story.turns.flatMap(turn => ('results' in turn ? turn.results : []))
      return read.tools.length === story.tools.length && isEqual(read.results, results)
    },
  }
}

/** An exchange that has been asked a typical question, for answers to come back through. */
function askedExchange({ from, to }, stream) {
  const exchange = createExchange({ from, to })
  exchange.request(wires[from].request(makeStory(requestSizes.typical), { model, stream }))
  return exchange
}

/** The pairs of wires follow each other with the same answer, and 10 MB of it take long to make. */
let lastAnswer = { given: undefined, answer: undefined }
function answerFor(given) {
  if (lastAnswer.given !== given) lastAnswer = { given, answer: makeAnswer(given) }
  return lastAnswer.answer
}

/** @returns {Case} */
export function answerCase(pair, size, given) {
  const { from, to } = pair
  const answer = answerFor(given)
  const text = JSON.stringify(wires[to].answer(answer, model))
  const exchange = askedExchange(pair, false)
  const subject = () => JSON.stringify(exchange.response(JSON.parse(text)).value)
  return {
    kind: 'answers',
    size,
    from,
    to,
    bytes: text.length,
    units: 1,
    subject,
    floor: floorOf(text),
    isRight: () => isEqual(wires[from].readAnswer(JSON.parse(subject())), answer),
  }
}

/** @returns {Case} */
export function streamCase(pair, size, { answer: given, cuts, packet }) {
  const { from, to } = pair
  const answer = answerFor(given)
  const events = wires[to].stream(answer, model, cuts)
  const chunks = packets(events, packet)
  const exchange = askedExchange(pair, true)
  /** What is written would go to a socket at once, so it is not gathered. */
  const subject = () => {
    const stream = exchange.stream()
    let written = 0
    for (const chunk of chunks) written += stream.push(chunk).length
    return written + stream.end().length
  }
  return {
    kind: 'streams',
    size,
    from,
    to,
    bytes: chunks.reduce((sum, { length }) => sum + length, 0),
    units: events.length,
    subject,
    floor: () => parseFloor(chunks),
    isRight() {
      const stream = exchange.stream()
      const text = chunks.map(chunk => stream.push(chunk)).join('') + stream.end()
      const { ended, ...read } = wires[from].readStream(framesOf(text))
      return ended && isEqual(read, answer)
    },
  }
}

/** Arguments are compared as values: a wire that carries objects may write them anew. */
function isEqual(a, b) {
  const plain = value =>
    JSON.stringify(value, (key, inner) => (key === 'args' ? JSON.parse(inner || '{}') : inner))
  return plain(a) === plain(b)
}

/** Each is made when its turn comes, so that the large ones do not weigh on the others. */
export function libraryCases() {
  const kinds = [
    ['definitions', requestSizes, (pair, size, { tools }) => definitionsCase(pair, size, tools)],
    ['requests', requestSizes, requestCase],
    ['answers', answerSizes, answerCase],
    ['streams', streamSizes, streamCase],
  ]
  return kinds.flatMap(([kind, sizes, make]) =>
    Object.entries(sizes).flatMap(([size, given]) =>
      pairs.map(pair => ({ kind, size, ...pair, make: () => make(pair, size, given) })),
    ),
  )
}
