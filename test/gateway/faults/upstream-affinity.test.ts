/** Several upstreams for one model: who continues a conversation, and who is asked instead where no client waits. */
import { expect, test } from 'vitest'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { GatewayOptions, Upstream } from '../../../packages/toolwire/src/gateway/settings.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { createManualClock, startOfTime } from '../../support/faults/clock.ts'
import { type ReceivedAnswer, sendTo } from '../../support/faults/request.ts'
import { createFailingStore } from '../../support/faults/store.ts'
import { createFakeUpstream, type PendingRequest } from '../../support/faults/upstream.ts'
import { answerOf, bodyFor, framesOf, paths, textTurn } from '../../support/faults/wires.ts'
import { collectFacts } from '../../support/gateway/watch-facts.ts'
import { bundle } from '../../support/gateway/worker-file.ts'
import { checkStream, eventsOf } from '../../support/open-responses/stream.ts'

type Answer = (asked: PendingRequest) => void

const wholes = { chat: await answerOf('chat'), responses: await answerOf('responses') }
const frames = (await framesOf('chat', textTurn)).join('')
const well: Answer = asked => {
  if (asked.body.stream === true) asked.stream().data(frames).end()
  else asked.json(200, wholes.chat)
}
const broken: Answer = asked => asked.json(503, { error: { message: 'No.', type: 'x' } })

interface Member extends Partial<Upstream> {
  readonly name: string
  readonly answer?: Answer
}

function setUp(members: readonly Member[], more: Partial<GatewayOptions> = {}) {
  const clock = createManualClock()
  const store = createMemoryStore({ now: () => clock.date() })
  const asked: string[] = []
  const { observer, facts } = collectFacts()
  const open = () => {
    const upstreams = members.map(({ answer = well, ...settings }) => {
      const { transport } = createFakeUpstream(request => {
        asked.push(settings.name)
        answer(request)
      })
      const baseUrl = `http://${settings.name}.test/v1`
      return { wire: 'chat', baseUrl, models: ['m'], order: 1, transport, ...settings }
    })
    return createGateway({
      upstreams,
      clock,
      store,
      observer,
      heartbeatMs: 0,
      random: () => 0.5,
      limits: { workers: 0 },
      ...more,
    })
  }
  const gateways = [open(), open()] as const
  const post = async (path: string, body: object, gateway = gateways[0]): Promise<ReceivedAnswer> => {
    const client = sendTo(gateway, path, { body })
    await client.done
    await clock.settle()
    return client
  }
  return { clock, asked, facts, post, gateways }
}

/** Each chance is another one, so that only the memory of who answered brings a conversation back. */
const byChance = (): (() => number) => {
  let n = 0
  return () => ++n / 1000
}

const many = ['one', 'two', 'three', 'four'].map(name => ({ name }))

test('A response is continued by the upstream that gave it, on another gateway too.', async () => {
  const { asked, post, gateways } = setUp(many, { random: byChance() })
  for (let n = 0; n < 8; n++) {
    const first = await post(paths.responses, bodyFor('responses'))
    for (const gateway of [...gateways, ...gateways]) {
      const { id } = first.json()
      const next = await post(
        paths.responses,
        bodyFor('responses', { stream: gateway === gateways[1], previous_response_id: id }),
        gateway,
      )
      expect(next.status, next.text).toBe(200)
    }
    expect(new Set(asked.splice(0)).size).toBe(1)
  }
})

test('A conversation and a thread stay with the upstream that answered in them last.', async () => {
  const { asked, post, gateways } = setUp(many, { random: byChance() })
  for (let n = 0; n < 6; n++) {
    const { id } = (await post('/v1/conversations', {})).json()
    for (const gateway of [...gateways, ...gateways]) {
      const body = bodyFor('responses', { conversation: n % 2 === 0 ? id : { id } })
      expect((await post(paths.responses, body, gateway)).status).toBe(200)
    }
    expect(new Set(asked.splice(0)).size).toBe(1)
    let thread: object = { type: 'create' }
    for (const gateway of [...gateways, ...gateways]) {
      const body = { ...bodyFor('messages', { thread }), tools: undefined }
      const answer = await post(paths.messages, body, gateway)
      expect(answer.status, answer.text).toBe(200)
      thread = { type: 'continue', previous_message_id: answer.json().id }
    }
    expect(new Set(asked.splice(0)).size).toBe(1)
  }
})

test('Who answered is asked first, and another one when it fails.', async () => {
  const members: (Member & { answer: Answer })[] = [
    { name: 'one', order: 1, answer: broken },
    { name: 'two', order: 2, answer: well },
  ]
  const { asked, post } = setUp(members)
  const first = await post(paths.responses, bodyFor('responses'))
  expect(asked.splice(0)).toEqual(['one', 'two'])
  const next = bodyFor('responses', { previous_response_id: first.json().id })
  await post(paths.responses, next)
  expect(asked.splice(0)).toEqual(['two'])
})

test('What an upstream itself holds, only this upstream is asked for.', async () => {
  const own = { wire: 'responses', state: 'upstream', retries: 0 } as const
  const names = ['one', 'two', 'three']
  const { asked, post } = setUp(
    names.map(name => ({
      name,
      ...own,
      answer: request =>
        request.body.previous_response_id === undefined
          ? request.json(200, { ...wholes.responses, id: `resp_of_${name}` })
          : broken(request),
    })),
    { random: byChance() },
  )
  for (let n = 0; n < 6; n++) {
    const { id } = (await post(paths.responses, bodyFor('responses'))).json()
    const [name] = asked.splice(0)
    expect(id).toBe(`resp_of_${name}`)
    const next = await post(paths.responses, bodyFor('responses', { previous_response_id: id }))
    expect(next.status).toBe(503)
    expect(new Set(asked.splice(0))).toEqual(new Set([name]))
  }
})

test('Another owner’s id leads to no upstream of its own.', async () => {
  const { asked, gateways } = setUp(many, { keys: ['ann', 'bob'] })
  const as = async (key: string, body: object): Promise<ReceivedAnswer> => {
    const client = sendTo(gateways[0], paths.responses, { body, headers: { authorization: `Bearer ${key}` } })
    await client.done
    return client
  }
  const first = await as('ann', bodyFor('responses'))
  const stolen = await as('bob', bodyFor('responses', { previous_response_id: first.json().id }))
  expect(stolen.json()).toMatchObject({ error: { code: 'previous_response_not_found' } })
  expect(asked).toHaveLength(1)
})

test.each([false, true])(
  'A background response falls back too, and its stream has one beginning (stream: %s).',
  async stream => {
    const { asked, facts, post, clock, gateways } = setUp([
      { name: 'one', order: 1, answer: broken },
      { name: 'two', order: 2, answer: broken },
      { name: 'three', order: 3 },
    ])
    const client = await post(paths.responses, bodyFor('responses', { background: true, stream }))
    await clock.settle()
    expect(asked).toEqual(['one', 'two', 'three'])
    const events = stream ? eventsOf(client.text) : []
    const [{ response: receipt } = { response: client.json() }] = events
    const { id } = receipt as { id: string }
    if (stream) {
      expect(checkStream(client.writes)).toEqual([])
      expect(events.filter(({ type }) => type === 'response.created')).toHaveLength(1)
      expect(events.at(-1)?.type).toBe('response.completed')
    }
    const found = sendTo(gateways[1], `/v1/responses/${id}`)
    await found.done
    expect(found.json()).toMatchObject({ id, status: 'completed', background: true })
    const work = facts.find(({ route }) => route === 'BACKGROUND /v1/responses')
    expect(work).toMatchObject({
      upstream: 'three',
      failedUpstreams: ['one (503)', 'two (503)'],
    })
    expect(work?.failure).toBeUndefined()
  },
)

test.each([false, true])(
  'A background response whose last upstream fails has failed (stream: %s).',
  async stream => {
    const { asked, post, clock } = setUp([
      { name: 'one', order: 1, answer: broken, retries: 0 },
      { name: 'two', order: 2, answer: broken, retries: 0 },
    ])
    const client = await post(paths.responses, bodyFor('responses', { background: true, stream }))
    await clock.settle()
    expect(asked).toEqual(['one', 'two'])
    if (stream) expect(eventsOf(client.text).at(-1)?.type).toBe('response.failed')
  },
)

test.each([false, true])(
  'A request that a worker thread converts falls back too (passes: %s).',
  async passes => {
    const { asked, post, gateways } = setUp(
      [
        { name: 'one', order: 1, answer: broken, wire: passes ? 'chat' : 'responses', state: 'gateway' },
        { name: 'two', order: 2 },
      ],
      {
        limits: { workers: 1, inlineBytes: 1_000 },
        workerFile: await bundle('packages/toolwire/src/gateway/workers/worker.ts', 'worker'),
      },
    )
    const messages = [{ role: 'user', content: 'x'.repeat(5_000) }]
    const client = await post(paths.chat, { model: 'm', messages })
    expect(client.status, client.text).toBe(200)
    expect(client.headers['x-toolwire-failed-upstreams']).toBe('one%20(503)')
    expect(asked.splice(0)).toEqual(['one', 'two'])
    const long = await post(paths.responses, { model: 'm', input: 'x'.repeat(5_000) })
    const { id: previous_response_id } = long.json()
    expect(asked.splice(0)).toEqual(['one', 'two'])
    await post(paths.responses, { model: 'm', input: 'Go on.', previous_response_id }, gateways[1])
    expect(asked).toEqual(['two'])
    for (const gateway of gateways) await gateway.close()
  },
)

test('An answer that nobody can continue does not wait for a store that does not answer.', async () => {
  const store = createFailingStore(createMemoryStore({ now: () => startOfTime }))
  const { post } = setUp(many, { store })
  const unstored = bodyFor('responses', { store: false })
  // From then on the seal is known, which the store keeps too.
  await post(paths.responses, unstored)
  store.failure = 'silent'
  expect((await post(paths.responses, unstored)).status).toBe(200)
  expect((await post(paths.responses, { ...unstored, stream: true })).status).toBe(200)
  expect((await post(paths.chat, bodyFor('chat'))).status).toBe(200)
})
