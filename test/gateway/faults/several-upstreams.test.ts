/** Several upstreams for one model: who is asked, who is asked instead, and who is left alone for a while. */
import { expect, test } from 'vitest'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { Upstream } from '../../../packages/toolwire/src/gateway/settings.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import type { Store } from '../../../packages/toolwire/src/store/store.ts'
import { createManualClock, type ManualClock } from '../../support/faults/clock.ts'
import { sendTo } from '../../support/faults/request.ts'
import { createFakeUpstream, type PendingRequest } from '../../support/faults/upstream.ts'
import { answerOf, bodyFor, framesOf, paths, textTurn, wires } from '../../support/faults/wires.ts'
import { collectFacts } from '../../support/gateway/watch-facts.ts'

type Answer = (asked: PendingRequest) => void

const whole = await answerOf('chat')
const frames = (await framesOf('chat', textTurn)).join('')
const well: Answer = asked => {
  if (asked.body.stream === true) asked.stream().data(frames).end()
  else asked.json(200, whole)
}
const refusing =
  (status: number): Answer =>
  asked =>
    asked.json(status, { error: { message: 'No.', type: 'x' } })

interface Member extends Partial<Upstream> {
  readonly name: string
  answer: Answer
}

function setUp(
  members: readonly Member[],
  store: Store = createMemoryStore(),
  clock: ManualClock = createManualClock(),
) {
  const asked: string[] = []
  const upstreams = members.map(member => {
    const { answer: _, ...settings } = member
    const { transport } = createFakeUpstream(request => {
      asked.push(member.name)
      member.answer(request)
    })
    return { wire: 'chat', baseUrl: `http://${member.name}.test/v1`, models: ['m'], transport, ...settings }
  })
  const { observer, facts } = collectFacts()
  const gateway = createGateway({ upstreams, clock, store, observer, heartbeatMs: 0, random: () => 0.5 })
  const ask = async (
    body: object = {},
    headers: Record<string, string> = {},
    wire: (typeof wires)[number] = 'chat',
  ) => {
    const client = sendTo(gateway, paths[wire], { body: { ...bodyFor(wire), model: 'm', ...body }, headers })
    await client.done
    return client
  }
  return { clock, asked, ask, facts, gateway }
}

test.each(wires)(
  'Over %s, the next upstream is asked when the first fails, and the answer says so.',
  async wire => {
    for (const stream of [false, true]) {
      const { asked, ask, facts } = setUp([
        { name: 'one', answer: refusing(503) },
        { name: 'two', answer: well },
      ])
      const { status, headers, text } = await ask({ stream }, {}, wire)
      expect(status, text).toBe(200)
      expect(asked).toEqual(['one', 'two'])
      expect(headers['x-toolwire-upstream']).toBe('two')
      expect(headers['x-toolwire-failed-upstreams']).toBe('one%20(503)')
      expect(facts.at(-1)).toMatchObject({ upstream: 'two', failedUpstreams: ['one (503)'] })
      expect(facts.at(-1)?.failure).toBeUndefined()
    }
  },
)

test('A background stream names no upstream before one has answered; the log does.', async () => {
  const { ask, facts } = setUp([
    { name: 'one', answer: refusing(503) },
    { name: 'two', answer: well },
  ])
  const { headers } = await ask({ stream: true, background: true }, {}, 'responses')
  expect(headers['x-toolwire-upstream']).toBeUndefined()
  const work = facts.find(({ route }) => route?.startsWith('BACKGROUND'))
  expect(work).toMatchObject({ upstream: 'two', failedUpstreams: ['one (503)'] })
})

const failing =
  (code: string): Answer =>
  asked =>
    asked.fail(Object.assign(new Error(code), { code }))

test.each([
  ['ECONNREFUSED', ['one', 'two']],
  ['ENOTFOUND', ['one', 'two']],
  ['UND_ERR_CONNECT_TIMEOUT', ['one', 'two']],
  // It may be working on the request.
  ['ECONNRESET', ['one']],
  ['UND_ERR_SOCKET', ['one']],
])('After %s, %j are asked.', async (code, expected) => {
  const { asked, ask } = setUp([
    { name: 'one', answer: failing(code), retries: 0 },
    { name: 'two', answer: well },
  ])
  const { status, text } = await ask()
  const fellBack = expected.includes('two')
  expect(asked).toEqual(expected)
  expect(status, text).toBe(fellBack ? 200 : 502)
  if (!fellBack) expect(JSON.parse(text).error.code).toBe('upstream_reset')
})

test('After a reset the same upstream is asked again, as often as it may be, and no other.', async () => {
  const { clock, asked, gateway } = setUp([
    { name: 'one', answer: failing('ECONNRESET'), retries: 1 },
    { name: 'two', answer: well },
  ])
  const client = sendTo(gateway, paths.chat, { body: { ...bodyFor('chat'), model: 'm' } })
  await clock.advance(20_000)
  await client.done
  expect(client.status).toBe(502)
  expect(asked).toEqual(['one', 'one'])
})

test('A connection that broke after the request was sent is for the next upstream only where that is set.', async () => {
  const { asked, ask } = setUp([
    { name: 'one', answer: failing('ECONNRESET'), fallbackOn: ['reset'] },
    { name: 'two', answer: well },
  ])
  expect((await ask()).status).toBe(200)
  expect(asked).toEqual(['one', 'two'])
})

test.each([
  [408, true],
  [429, true],
  [500, true],
  [529, true],
  [400, false],
  [401, false],
  [422, false],
])('After the status %i another upstream is asked: %s.', async (status, isAsked) => {
  const { asked, ask } = setUp([
    { name: 'one', answer: refusing(status) },
    { name: 'two', answer: well },
  ])
  expect((await ask()).status).toBe(isAsked ? 200 : status)
  expect(asked).toEqual(isAsked ? ['one', 'two'] : ['one'])
})

test('Which failures count is a setting, and the last upstream’s refusal is the client’s.', async () => {
  const { asked, ask } = setUp([
    { name: 'one', answer: refusing(422), fallbackOn: ['422'] },
    { name: 'two', answer: refusing(422) },
  ])
  expect((await ask()).status).toBe(422)
  expect(asked).toEqual(['one', 'two'])
})

test('The time of an upstream that failed, and the pause before a retry, are not the gateway’s own.', async () => {
  const clock = createManualClock()
  const after =
    (milliseconds: number, ...answers: Answer[]): Answer =>
    asked =>
      void clock.after(milliseconds, () => answers.shift()?.(asked))
  const members = [
    { name: 'one', answer: after(2_000, refusing(429)) },
    { name: 'two', answer: after(1_000, refusing(429), well) },
  ]
  const { gateway, facts } = setUp(members, undefined, clock)
  const client = sendTo(gateway, paths.chat, { body: { ...bodyFor('chat'), model: 'm' } })
  for (let second = 0; second < 10; second++) await clock.advance(1_000)
  await client.done
  expect(client.status).toBe(200)
  expect(facts.at(-1)).toMatchObject({ retries: 1, totalMs: 4_300, overheadMs: 0 })
})

test('A failure after the first byte is the end: nobody else is asked.', async () => {
  const { asked, ask } = setUp([
    { name: 'one', answer: request => void request.stream().data(frames.slice(0, 300)).end() },
    { name: 'two', answer: well },
  ])
  const { text } = await ask({ stream: true })
  expect(asked).toEqual(['one'])
  expect(text).toContain('error')
})

test('An upstream that fails again and again is left alone, then probed by one request, then used again.', async () => {
  const one: Member = { name: 'one', answer: refusing(500) }
  const { clock, asked, ask } = setUp([one, { name: 'two', answer: well }])
  for (let n = 0; n < 3; n++) await ask()
  expect(asked.splice(0)).toEqual(['one', 'two', 'one', 'two', 'one', 'two'])
  await ask()
  expect(asked.splice(0)).toEqual(['two'])
  await clock.advance(15_000)
  await ask()
  await ask()
  expect(asked.splice(0)).toEqual(['one', 'two', 'two'])
  one.answer = well
  await clock.advance(15_000)
  await ask()
  await ask()
  expect(asked).toEqual(['one', 'one'])
})

test('A client that leaves says nothing good about an upstream that fails.', async () => {
  const one: Member = { name: 'one', answer: refusing(500) }
  const { clock, asked, ask, gateway } = setUp([one, { name: 'two', answer: well }])
  for (let n = 0; n < 2; n++) await ask()
  one.answer = () => {}
  const client = sendTo(gateway, paths.chat, { body: { ...bodyFor('chat'), model: 'm' } })
  await clock.settle()
  client.disconnect()
  await client.done
  one.answer = refusing(500)
  await ask()
  expect(asked.splice(0)).toEqual(['one', 'two', 'one', 'two', 'one', 'one', 'two'])
  await ask()
  expect(asked).toEqual(['two'])
})

test('A client that has used up its own key turns nobody else away from the upstream.', async () => {
  const members = (keys: Partial<Upstream>): Member[] => [
    { name: 'one', answer: refusing(429), ...keys },
    { name: 'two', answer: well },
  ]
  const own = setUp(members({ forwardKey: true }))
  for (let n = 0; n < 4; n++) await own.ask()
  expect(own.asked.filter(name => name === 'one')).toHaveLength(4)
  const shared = setUp(members({ forwardKey: true, apiKey: 'the key of all' }))
  for (let n = 0; n < 4; n++) await shared.ask()
  expect(shared.asked.filter(name => name === 'one')).toHaveLength(3)
})

test('Nor does it say anything good about an upstream that fails for others.', async () => {
  const one: Member = { name: 'one', answer: refusing(500), forwardKey: true }
  const { asked, ask } = setUp([one, { name: 'two', answer: well }])
  for (const status of [500, 500, 429, 401, 500]) {
    one.answer = refusing(status)
    await ask()
  }
  asked.length = 0
  await ask()
  expect(asked).toEqual(['two'])
})

test('What one gateway has found broken, another on the store leaves alone after its own first failure.', async () => {
  const store = createMemoryStore({ now: () => 0 })
  const members = (): Member[] => [
    { name: 'one', answer: refusing(500) },
    { name: 'two', answer: well },
  ]
  const first = setUp(members(), store)
  for (let n = 0; n < 3; n++) await first.ask()
  const second = setUp(members(), store)
  await second.ask()
  await second.ask()
  expect(second.asked).toEqual(['one', 'two', 'two'])
})

test('A gateway that is seldom asked leaves alone what another has found broken, for as long as that does.', async () => {
  const clock = createManualClock()
  const store = createMemoryStore({ now: clock.date })
  const members = (answer: Answer): Member[] => [
    { name: 'one', order: 1, answer },
    { name: 'two', order: 1, answer: well },
  ]
  const conversationOf = async (name: string): Promise<object> => {
    for (let n = 0; ; n++) {
      const { asked, ask } = setUp(members(well))
      const body = { prompt_cache_key: `conversation ${n}` }
      await ask(body)
      if (asked[0] === name) return body
    }
  }
  const [ofOne, ofTwo] = [await conversationOf('one'), await conversationOf('two')]
  const first = setUp(members(refusing(500)), store, clock)
  const quiet = setUp(members(refusing(500)), store, clock)
  for (let n = 0; n < 3; n++) await first.ask(ofOne)
  // It looks in the store, and does not ask the broken one itself.
  await quiet.ask(ofTwo)
  await clock.settle()
  await clock.advance(14_000)
  await quiet.ask(ofOne)
  expect(quiet.asked.splice(0)).toEqual(['two', 'two'])
  await clock.advance(1_000)
  await quiet.ask(ofOne)
  expect(quiet.asked).toEqual(['one', 'two'])
})

test('Requests for one model do not keep a gateway from finding out what is broken for another one.', async () => {
  const clock = createManualClock()
  const store = createMemoryStore({ now: clock.date })
  const members = (): Member[] => [
    { name: 'one', answer: well },
    { name: 'two', answer: well },
    { name: 'three', models: ['n'], answer: refusing(500) },
    { name: 'four', models: ['n'], answer: well },
  ]
  const first = setUp(members(), store, clock)
  const second = setUp(members(), store, clock)
  await second.ask({ model: 'n' })
  for (let n = 0; n < 3; n++) await first.ask({ model: 'n' })
  second.asked.length = 0
  for (let n = 0; n < 3; n++) {
    await clock.advance(1_000)
    // Each of them looks in the store, for its own upstreams.
    await second.ask({ model: 'm' })
    await clock.advance(500)
    await second.ask({ model: 'n' })
  }
  expect(second.asked).toEqual(['one', 'three', 'four', 'one', 'four', 'one', 'four'])
})

test('A request for which another upstream comes first uses up no probe.', async () => {
  const one: Member = { name: 'one', answer: refusing(500) }
  const two: Member = { name: 'two', answer: refusing(500) }
  const { clock, asked, ask } = setUp([one, two, { name: 'three', answer: well }])
  for (let n = 0; n < 3; n++) await ask()
  one.answer = well
  two.answer = well
  await clock.advance(15_000)
  asked.length = 0
  await ask()
  one.answer = refusing(500)
  await ask()
  expect(asked).toEqual(['one', 'one', 'two'])
})

test('What a tool says of a conversation says nothing about that of the request.', async () => {
  const { asked, ask } = setUp([
    { name: 'one', order: 1, answer: well },
    { name: 'two', order: 1, answer: well },
  ])
  const example = { prompt_cache_key: 'an example', conversation: 'an example' }
  const parameters = { type: 'object', properties: {}, examples: [example] }
  const tools = [{ type: 'function', function: { name: 'look', description: ' '.repeat(5_000), parameters } }]
  for (let n = 0; n < 20; n++)
    await ask({ tools, prompt_cache_key: `c${n}`, metadata: { long: 'x'.repeat(5_000) } })
  expect(new Set(asked)).toEqual(new Set(['one', 'two']))
})

test('Upstreams of one order share conversations by weight, and each conversation stays where it is.', async () => {
  const { asked, ask } = setUp([
    { name: 'one', order: 1, weight: 3, answer: well },
    { name: 'two', order: 1, answer: well },
    { name: 'three', order: 2, answer: well },
  ])
  for (let n = 0; n < 400; n++) await ask({}, { session_id: `s${n}` })
  const share = asked.filter(name => name === 'one').length / asked.length
  expect(share).toBeGreaterThan(0.65)
  expect(share).toBeLessThan(0.85)
  expect(asked).not.toContain('three')
  const first = asked.splice(0)
  for (let n = 0; n < 40; n++) await ask({ prompt_cache_key: 'x' }, { session_id: `s${n}` })
  expect(asked.splice(0)).toEqual(first.slice(0, 40))
  for (let n = 0; n < 20; n++) await ask({ prompt_cache_key: 'same' })
  expect(new Set(asked).size).toBe(1)
})
