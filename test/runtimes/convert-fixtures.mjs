/**
 * Converts every fixture between all pairs of wires with the built library and prints what comes out. Whatever runs
 * it must print the same, so it has a clock that stands still and ids that are counted.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { convertToolParams, createExchange } from '@toolwire/core'
import { packets } from '../../bench/work/frames.mjs'
import { makeAnswer, makeStory } from '../../bench/work/story.mjs'
import { pairs, wireNames, wires } from '../../bench/work/wires.mjs'

const root = new URL('../../fixtures/', import.meta.url)
const entries = ['schema', 'lint', 'openai', 'diagnostics', 'steps', 'tokens', 'testing']

const read = path => JSON.parse(readFileSync(new URL(path, root), 'utf8'))
const print = (title, value) => process.stdout.write(`${title}\n${JSON.stringify(value, null, 1)}\n`)

function exchangeFor(pair) {
  let ids = 0
  return createExchange({ ...pair, newId: prefix => `${prefix}${++ids}`, now: () => 1_700_000_000 })
}

/** The fixtures of a folder that are files, without what they are expected to become. */
const bodiesIn = folder =>
  readdirSync(new URL(folder, root))
    .filter(name => name.endsWith('.json'))
    .sort()
    .map(name => ({ name: folder + name, body: read(folder + name) }))

for (const name of entries) print(`entry ${name}`, Object.keys(await import(`@toolwire/core/${name}`)).sort())

for (const from of wireNames) {
  for (const story of readdirSync(new URL(from, root)).sort()) {
    const body = read(`${from}/${story}/body.json`)
    for (const to of wireNames) {
      const { value, diagnostics } = convertToolParams(body, { from, to })
      print(`tools ${from}/${story} → ${to}`, { value, diagnostics })
    }
  }
}

for (const pair of pairs) {
  const title = `${pair.from} → ${pair.to}`
  for (const { name, body } of bodiesIn(`requests/${pair.from}/`))
    print(`${name} ${title}`, exchangeFor(pair).request(body))

  const asked = stream => {
    const exchange = exchangeFor(pair)
    exchange.request(wires[pair.from].request(makeStory({ tools: 4, items: 12 }), { model: 'm', stream }))
    return exchange
  }
  for (const { name, body } of bodiesIn(`answers/${pair.to}/`)) {
    const { value, status, diagnostics } = asked(false).response(body)
    print(`${name} ${title}`, { value, status, diagnostics })
  }
  const answer = makeAnswer({ text: 300, calls: 2, argument: 200 })
  const events = wires[pair.to].stream(answer, 'm', { text: 10, argument: 10 })
  for (const each of [1, 7]) {
    const stream = asked(true).stream()
    const written = packets(events, each).map(chunk => stream.push(chunk))
    print(`stream ${title}`, [...written, stream.end(), stream.answer, stream.usage, stream.diagnostics])
  }
}
