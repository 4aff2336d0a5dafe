import type { Diagnostic } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { factsOf, pass, wholeExchange } from '../exchange.test-helper.ts'
import type { ExchangeFacts, Observation, ViewName } from '../observer.ts'
import { createTraceRing } from './trace-ring.ts'

const exchange = { route: 'POST /v1/responses', status: 200 }
const record = (name: ViewName, text: string) => (observation: Observation) => {
  observation.viewHead(name, { line: 'POST /v1/responses', headers: { accept: '*/*' } })
  observation.view(name, text)
}

describe('a trace', () => {
  test('A trace has the facts, the losses and the four views.', () => {
    const ring = createTraceRing({ now: () => 1500 })
    pass(ring, wholeExchange, observation => {
      for (const name of [
        'client-request',
        'upstream-request',
        'upstream-answer',
        'client-answer',
      ] as const) {
        record(name, `{"view":"${name}"}`)(observation)
      }
    })
    const trace = ring.get('req_abcdefghijklmnop')
    expect(trace?.summary).toMatchObject({
      id: 'req_abcdefghijklmnop',
      state: 'ended',
      losses: 1,
      model: 'gpt-5',
    })
    expect(trace?.losses).toEqual(wholeExchange.losses)
    expect(trace?.client_calls).toEqual(['read_file', 'apply_patch'])
    expect(trace?.tool_runs[1]).toEqual({
      name: 'fetch',
      call_id: 'call_2',
      status: 'timed_out',
      duration_ms: 3000,
    })
    expect(trace?.views['upstream-answer']).toEqual({
      omitted: 0,
      parts: [
        {
          line: 'POST /v1/responses',
          headers: { accept: '*/*' },
          text: '{"view":"upstream-answer"}',
          size: 26,
          cut: false,
          at_ms: 500,
          end_ms: 500,
        },
      ],
    })
    expect(JSON.parse(JSON.stringify(trace))).toEqual(trace)
  })

  test('The list says how often each code is among the losses, also of facts that were written out.', () => {
    const ring = createTraceRing()
    const loss = (message: string): Diagnostic => ({
      code: 'field_dropped',
      severity: 'warning',
      path: [],
      message,
    })
    pass(ring, { ...exchange, id: 'req_short', losses: [loss('a'), loss('b')] })
    pass(ring, { ...exchange, id: 'req_long', losses: [loss('x'.repeat(20_000))] })
    pass(ring, { ...exchange, id: 'req_none' })
    expect(ring.list(10).map(({ id, loss_codes: codes }) => [id, codes])).toEqual([
      ['req_none', undefined],
      ['req_long', { field_dropped: 1 }],
      ['req_short', { field_dropped: 2 }],
    ])
  })

  test('A trace without bodies has facts and codes, and no word of what was sent or answered.', () => {
    const ring = createTraceRing({ bodies: false })
    const failure = { code: 'invalid_request', message: 'Unexpected token, "my secret" is not valid JSON' }
    const losses = [
      { code: 'dropped', severity: 'warning', path: ['my secret'], message: 'my secret was left out' },
    ] as unknown as NonNullable<ExchangeFacts['losses']>
    const observation = ring.begin(factsOf({ ...wholeExchange, id: 'req_running', failure, losses }))
    expect(observation.wantsViews).toBe(false)
    record('client-request', 'my secret')(observation)
    expect(JSON.stringify(ring.get('req_running'))).not.toContain('secret')
    observation.end()
    const trace = ring.get('req_running')
    expect(trace).toMatchObject({
      summary: { model: 'gpt-5', losses: 1, failure: 'invalid_request' },
      failure: { code: 'invalid_request' },
      losses: [{ code: 'dropped', severity: 'warning' }],
      views: {},
    })
    expect(JSON.stringify(trace)).not.toContain('secret')
  })

  test('A trace is found by its id, its response id or an unambiguous beginning of its id.', () => {
    const ring = createTraceRing()
    pass(ring, { ...exchange, id: 'req_aaaa1111', responseId: 'resp_7' })
    pass(ring, { ...exchange, id: 'req_aaaa2222' })
    const found = (id: string): string | undefined => ring.get(id)?.summary.id
    expect(found('req_aaaa1111')).toBe('req_aaaa1111')
    expect(found('resp_7')).toBe('req_aaaa1111')
    expect(found('req_aaaa2')).toBe('req_aaaa2222')
    expect([found('req_aaaa'), found('req_b'), found('')]).toEqual([undefined, undefined, undefined])
  })

  test('A trace can be read while its exchange still runs.', () => {
    const ring = createTraceRing()
    const observation = ring.begin(factsOf({ id: 'req_running' }))
    expect(ring.list(10)).toEqual([])
    observation.facts.route = 'POST /v1/messages'
    record('client-request', '{}')(observation)
    expect(ring.list(10)).toMatchObject([{ id: 'req_running', state: 'running', route: 'POST /v1/messages' }])
    expect(ring.get('req_running')?.views['client-request']?.parts[0]?.text).toBe('{}')
    observation.facts.status = 200
    observation.end()
    expect(ring.list(10)).toMatchObject([{ state: 'ended', status: 200 }])
  })

  test('A cut view ends with a line that reports how much there was.', () => {
    const ring = createTraceRing({ viewBytes: 2000 })
    pass(ring, exchange, record('client-answer', 'é'.repeat(5000)))
    const [part] = ring.get('req_1')?.views['client-answer']?.parts ?? []
    expect(part).toMatchObject({ size: 10_000, cut: true })
    expect(part?.text).toMatch(/^é+\n… cut: \d+ of 10000 bytes are kept$/)
  })

  test('A view has one part for each request to the upstream.', () => {
    const ring = createTraceRing()
    pass(ring, exchange, observation => {
      record('upstream-request', 'first')(observation)
      record('upstream-request', 'second')(observation)
    })
    const view = ring.get('req_1')?.views['upstream-request']
    expect(view?.parts.map(({ text }) => text)).toEqual(['first', 'second'])
  })

  test('A trace shows no keys from headers, bodies, URLs, failures or losses.', () => {
    const ring = createTraceRing({ secrets: ['canary-local-key'] })
    const facts: Partial<ExchangeFacts> = {
      ...wholeExchange,
      model: 'sk-canary0123456789abcdef',
      failure: { code: 'upstream_401', message: 'Incorrect key: canary-local-key' },
      losses: [
        {
          code: 'field_dropped',
          severity: 'warning',
          path: ['canary-local-key'],
          message: 'canary-local-key',
        },
      ],
    }
    pass(ring, facts, observation => {
      observation.viewHead('upstream-request', {
        line: 'POST https://host/v1?key=canary0',
        headers: { 'x-api-key': 'canary1', note: 'Bearer canary23456789abcdef' },
      })
      observation.view('upstream-request', '{"tools":[{"type":"mcp","authorization":"canary2"}],')
      observation.view(
        'upstream-request',
        Buffer.from('"input":"sk-canary0123456789abcdef canary-local-key"}'),
      )
    })
    expect(JSON.stringify([ring.get('req_abcdefghijklmnop'), ring.list(5)])).not.toContain('canary')
  })
})

describe('the list of traces', () => {
  test('The list has the newest exchanges first, up to the limit.', () => {
    const ring = createTraceRing()
    for (const id of ['a', 'b', 'c']) pass(ring, { ...exchange, id })
    expect(ring.list(2).map(({ id }) => id)).toEqual(['c', 'b'])
  })

  test('Health checks, scrapes, preflights and reads of traces are not traced.', () => {
    const ring = createTraceRing()
    for (const route of ['GET /live', 'GET /metrics', 'GET /toolwire/traces/{id}', 'unknown']) {
      pass(ring, { route, status: 200 }, observation => {
        expect(observation.wantsViews).toBe(false)
        observation.view('client-answer', 'x')
      })
    }
    expect([ring.list(10), ring.bytes]).toEqual([[], 0])
  })

  test('Requests without a route cannot displace other exchanges.', () => {
    const ring = createTraceRing({ entries: 50 })
    pass(ring, { ...exchange, id: 'wanted' })
    for (let i = 0; i < 500; i++) {
      pass(ring, { id: `stray${i}`, status: 401, failure: { code: 'invalid_api_key', message: '' } })
    }
    expect(ring.get('wanted')).toBeDefined()
    expect(ring.list(100)).toHaveLength(21)
    expect(ring.get('stray499')).toBeDefined()
  })
})
