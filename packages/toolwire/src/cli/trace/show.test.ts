import { describe, expect, test } from 'vitest'
import { pass, wholeExchange } from '../../telemetry/exchange.test-helper.ts'
import type { Observation } from '../../telemetry/observer.ts'
import type { TraceRingOptions } from '../../telemetry/trace-ring.ts'
import { type FakeGateway, fakeGateway, trace } from './fake-gateway.test-helper.ts'

const request = { model: 'gpt-5', input: 'Hi \u202e there', stream: true }
const events = [
  'event: response.created\ndata: {"type":"response.created"}\n\n',
  ': keep-alive\n\n',
  ...Array.from({ length: 9 }, (_, i) => `event: response.output_text.delta\ndata: {"delta":"w${i}"}\n\n`),
  'event: response.completed\ndata: {"type":"response.completed"}\n\n',
].join('')

function converse(observation: Observation): void {
  const headers = { 'content-type': 'application/json', authorization: 'canary' }
  observation.viewHead('client-request', { line: 'POST /v1/responses', headers })
  observation.view('client-request', JSON.stringify(request))
  for (const round of [1, 2]) {
    observation.viewHead('upstream-request', { line: 'POST http://local/v1/chat/completions', headers: {} })
    observation.view('upstream-request', JSON.stringify({ round }))
  }
  observation.viewHead('client-answer', { line: '200', headers: {} })
  observation.view('client-answer', events)
}

function gatewayWith(during = converse, options: TraceRingOptions = {}): FakeGateway {
  const gateway = fakeGateway(options)
  pass(gateway.ring, wholeExchange, during)
  return gateway
}

const id = wholeExchange.id ?? ''

describe('one exchange', () => {
  test('An exchange is shown with its facts, its losses and its views.', async () => {
    const { code, stdout } = await trace(['req_abcdef'], gatewayWith())
    expect(code).toBe(0)
    expect(stdout.split('\n')).toEqual([
      'req_abcdefghijklmnop  POST /v1/responses',
      '',
      '  began       2026-11-15T12:00:00.000Z',
      '  state       status 200, streamed',
      '  wire        responses → chat',
      '  upstream    local',
      '  model       gpt-5 → qwen3',
      '  time        first byte 212 ms, total 1.42 s, the gateway’s own 3.1 ms',
      '  tokens      1200 in (1000 from a cache), 56 out (20 of them reasoning)',
      '  finish      tool_calls',
      '  response    resp_1',
      '  calls       read_file, apply_patch',
      '  tools run   search ok 120 ms, fetch timed_out 3.00 s',
      '  rounds      2',
      '  retries     1',
      '',
      'lost on the way',
      '  warning  field_dropped  tools[0].defer  Not there.',
      '',
      `client-request  POST /v1/responses, ${Buffer.byteLength(JSON.stringify(request))} B`,
      '  content-type: application/json',
      '  authorization: ***',
      '  { "model": "gpt-5", "input": "Hi \\u202e there", "stream": true }',
      '',
      'upstream-request 1 of 2  POST http://local/v1/chat/completions, 11 B',
      '  { "round": 1 }',
      '',
      'upstream-request 2 of 2  POST http://local/v1/chat/completions, 11 B',
      '  { "round": 2 }',
      '',
      `client-answer  200, ${events.length} B`,
      '  response.created  {"type":"response.created"}',
      '  comment  keep-alive',
      '  response.output_text.delta  {"delta":"w0"}',
      '  response.output_text.delta  {"delta":"w1"}',
      '  response.output_text.delta  {"delta":"w2"}',
      '  … 6 more response.output_text.delta',
      '  response.completed  {"type":"response.completed"}',
      '',
      'not recorded: upstream-answer',
      '',
    ])
  })

  test('With --full, an exchange is shown in full.', async () => {
    const { stdout } = await trace([id, '--full'], gatewayWith())
    for (let i = 0; i < 9; i++) expect(stdout).toContain(`{"delta":"w${i}"}`)
  })

  test('Long bodies are cut, except with --full.', async () => {
    const long = gatewayWith(observation =>
      observation.view(
        'client-request',
        JSON.stringify({ items: Array.from({ length: 90 }, (_, i) => ['x'.repeat(70), i]) }),
      ),
    )
    const { stdout } = await trace([id], { ...long, isTTY: true, columns: 80 })
    expect(stdout).toMatch(/… \d+ more lines; --full shows all/)
    expect(stdout).not.toContain('89')
    const full = await trace([id, '--full'], { ...long, isTTY: true, columns: 80 })
    expect(full.stdout).toContain('89')
  })

  test('The view of an exchange fits the terminal.', async () => {
    const wide = gatewayWith(observation => {
      observation.view('client-request', JSON.stringify({ text: 'word '.repeat(100) }))
      observation.view('client-answer', `data: {"text":"${'語'.repeat(200)}"}\n\n`)
    })
    const { stdout } = await trace([id], { ...wide, isTTY: true, columns: 60, env: { NO_COLOR: '1' } })
    const bodies = stdout.slice(stdout.indexOf('client-request')).split('\n')
    expect(bodies.filter(line => line.length > 60)).toEqual([])
    expect(stdout).toContain('…')
  })

  test('The view of an exchange shows what failed.', async () => {
    const gateway = fakeGateway()
    const failure = { code: 'upstream_cut', message: 'It stopped\u001b[2J.' }
    pass(gateway.ring, { id: 'req_failed', route: 'POST /v1/messages', status: 502, failure })
    const { stdout } = await trace(['req_failed'], gateway)
    expect(stdout).toContain('  failure     upstream_cut: It stopped\\u001b[2J.\n')
    expect(stdout).toContain(
      'not recorded: client-request, upstream-request, upstream-answer, client-answer\n',
    )
  })

  test('"trace --json" writes JSON.', async () => {
    const gateway = gatewayWith()
    const { stdout } = await trace([id, '--json'], gateway)
    expect(JSON.parse(stdout)).toEqual(gateway.ring.get(id))
  })

  test('The trace of another version is shown as far as it is understood.', async () => {
    const odd = {
      summary: { id: 5, total_ms: 'x', model: 'm' },
      losses: [{ code: 'future' }, 7],
      views: { 'client-request': { parts: [{}] } },
    }
    const { code, stdout } = await trace(['x'], { fetch: async () => Response.json(odd) })
    expect(code).toBe(0)
    expect(stdout).toContain('  model       m\n')
  })
})

describe('one view', () => {
  test('A view goes into a pipe as it was on the wire.', async () => {
    const { stdout, stderr } = await trace([id, '--view', 'client-request'], gatewayWith())
    expect([stdout, stderr]).toEqual([`${JSON.stringify(request)}\n`, ''])
    const answer = await trace([id, '--view', 'client-answer'], gatewayWith())
    expect(answer.stdout).toBe(events)
  })

  test('A view is laid out on a terminal.', async () => {
    const setup = { ...gatewayWith(), isTTY: true, env: { NO_COLOR: '1' } }
    const { stdout } = await trace([id, '--view', 'upstream-request'], setup)
    expect(stdout.split('\n')[0]).toBe('upstream-request 1 of 2  POST http://local/v1/chat/completions, 11 B')
    expect((await trace([id, '--view', 'client-request'], setup)).stdout).toContain('\\u202e')
  })

  test('A cut view is reported on stderr.', async () => {
    const gateway = gatewayWith(
      observation => {
        observation.view('client-request', 'x'.repeat(5000))
        observation.viewHead('client-request', { line: 'again', headers: {} })
      },
      { viewBytes: 1500 },
    )
    const { stdout, stderr } = await trace([id, '--view', 'client-request'], gateway)
    expect(stdout).toMatch(/^x+\n… cut: \d+ of 5000 bytes are kept\n$/)
    expect(stderr).toBe(
      'note: client-request: only the beginning was kept (of 4.9 KiB); 1 more were not kept.\n',
    )
  })

  test('A view goes into a pipe as one document, that of the last round unless --round is set.', async () => {
    const gateway = gatewayWith()
    const texts = gateway.ring.get(id)?.views['upstream-request']?.parts.map(({ text }) => text) ?? []
    expect(texts).toHaveLength(2)
    const last = await trace([id, '--view', 'upstream-request'], gateway)
    expect([last.stdout, last.stderr]).toEqual([
      `${texts[1]}\n`,
      'note: upstream-request: round 2 of 2; --round picks another.\n',
    ])
    const first = await trace([id, '--view', 'upstream-request', '--round', '1'], gateway)
    expect([first.stdout, first.stderr]).toEqual([`${texts[0]}\n`, ''])
  })

  test('With --round, one round is shown on a terminal and in JSON.', async () => {
    const argv = [id, '--view', 'upstream-request', '--round', '2']
    const setup = { ...gatewayWith(), isTTY: true, env: { NO_COLOR: '1' } }
    const { stdout } = await trace(argv, setup)
    expect(stdout).toContain('upstream-request 2 of 2')
    expect(stdout).not.toContain('1 of 2')
    expect(JSON.parse((await trace([...argv, '--json'], setup)).stdout).parts).toHaveLength(1)
  })

  test.each([
    [['--view', 'upstream-request', '--round', '3'], 'upstream-request has no round 3; it has 2.'],
    [['--view', 'upstream-request', '--round', '0'], '--round must be a whole number above 0'],
    [['--round', '1'], '--round is about one view.'],
  ])('The arguments %j are refused.', async (argv, message) => {
    const { code, stderr } = await trace([id, ...argv], gatewayWith())
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  test('A view that was not recorded is refused.', async () => {
    const { code, stderr } = await trace([id, '--view', 'upstream-answer'], gatewayWith())
    expect(code).toBe(2)
    expect(stderr).toContain('This exchange has no upstream-answer.')
  })
})
