import { describe, expect, test } from 'vitest'
import { pass, wholeExchange } from '../../telemetry/exchange.test-helper.ts'
import type { ExchangeFacts } from '../../telemetry/observer.ts'
import type { TraceRingOptions } from '../../telemetry/traces/trace-ring.ts'
import {
  events,
  type FakeGateway,
  fakeGateway,
  gatewayWith,
  id,
  request,
  trace,
} from './fake-gateway.test-helper.ts'

describe('one exchange', () => {
  test('With --raw and --headers, an exchange is shown with its facts, its losses and its views.', async () => {
    const { code, stdout } = await trace(['req_abcdef', '--raw', '--headers'], gatewayWith())
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
    const { stdout } = await trace([id, '--raw', '--full'], gatewayWith())
    for (let i = 0; i < 9; i++) expect(stdout).toContain(`{"delta":"w${i}"}`)
  })

  test('Long bodies are cut, except with --full.', async () => {
    const long = gatewayWith(observation =>
      observation.view(
        'client-request',
        JSON.stringify({ items: Array.from({ length: 90 }, (_, i) => ['x'.repeat(70), i]) }),
      ),
    )
    const { stdout } = await trace([id, '--raw'], { ...long, isTTY: true, columns: 80 })
    expect(stdout).toMatch(/… \d+ more lines; --full shows all/)
    expect(stdout).not.toContain('89')
    const full = await trace([id, '--raw', '--full'], { ...long, isTTY: true, columns: 80 })
    expect(full.stdout).toContain('89')
  })

  test('The view of an exchange fits the terminal.', async () => {
    const wide = gatewayWith(observation => {
      observation.view('client-request', JSON.stringify({ text: 'word '.repeat(100) }))
      observation.view('client-answer', `data: {"text":"${'語'.repeat(200)}"}\n\n`)
    })
    const { stdout } = await trace([id, '--raw'], {
      ...wide,
      isTTY: true,
      columns: 60,
      env: { NO_COLOR: '1' },
    })
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

  test('A failure that the client was told stands there once, and fits the terminal.', async () => {
    const gateway = fakeGateway()
    const message = `It was refused${' again and'.repeat(20)} again.`
    const failed = { status: 404, wire: 'messages', failure: { code: 'upstream_404', message } }
    pass(gateway.ring, { ...wholeExchange, id: 'req_told', ...failed }, observation => {
      observation.view('client-answer', JSON.stringify({ type: 'error', error: { type: 'x', message } }))
    })
    const setup = { ...gateway, isTTY: true, columns: 70, env: { NO_COLOR: '1' } }
    const { stdout } = await trace(['req_told'], setup)
    expect(stdout).toContain('  failure     upstream_404\n')
    expect(stdout.match(/It was refused/g)).toHaveLength(1)
    const raw = await trace(['req_told', '--raw'], setup)
    expect(raw.stdout).toContain('  failure     upstream_404: It was refused')
    expect(raw.stdout.split('\n').filter(line => line.length > 70)).toEqual([])
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

describe('what was said', () => {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer canary', host: 'x' }
  const tools = [{ type: 'function', name: 'get_weather', parameters: { type: 'object' } }]
  const input = [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: 'Oslo\u001b[2J?' },
    { type: 'function_call', call_id: 'c1', name: 'get_weather', arguments: '{"city":"Oslo"}' },
    { type: 'function_call_output', call_id: 'c1', output: '{"degrees":12}' },
    { role: 'user', content: "And Rome? It's warm" },
  ]
  const chunk = (delta: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`
  const streamed = [
    chunk({ reasoning_content: 'Rome ' }),
    chunk({ reasoning_content: 'is warm.' }),
    chunk({ content: 'It ' }),
    chunk({ content: 'is 22.' }),
    chunk({
      tool_calls: [{ index: 0, id: 'c2', type: 'function', function: { name: 'show', arguments: '{"a"' } }],
    }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
    'data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n',
  ].join('')

  function told(more: Partial<ExchangeFacts> = {}, options: TraceRingOptions = {}): FakeGateway {
    const gateway = fakeGateway(options)
    const facts = { ...wholeExchange, losses: [], rounds: 1, wire: 'responses', ...more }
    pass(gateway.ring, facts, observation => {
      observation.viewHead('client-request', { line: 'POST /v1/responses?x=1', headers })
      observation.view('client-request', JSON.stringify({ model: 'gpt-5', tools, input, stream: true }))
      observation.viewHead('upstream-answer', {
        line: '200',
        headers: { 'content-type': 'text/event-stream' },
      })
      observation.view('upstream-answer', streamed)
    })
    return gateway
  }

  test('A stream is folded to text and calls, behind the conversation so far.', async () => {
    const { stdout } = await trace(['last'], told())
    const said = stdout.slice(stdout.indexOf('  tools  '), stdout.indexOf('\nnot recorded')).split('\n')
    expect(said.map(line => line.trimEnd())).toEqual([
      '  tools      get_weather',
      '  system     Be brief.',
      '  user       Oslo\\u001b[2J?',
      '  call       get_weather {"city":"Oslo"}',
      '  result     {"degrees":12}',
      "  user       And Rome? It's warm",
      '  thinking   Rome is warm.',
      '  assistant  It is 22.',
      '  call       show {"a":1}',
      '',
    ])
    expect(stdout).not.toContain('authorization')
  })

  test('With --headers, the headers are shown too, and keys stay masked.', async () => {
    const { stdout } = await trace(['last', '--headers'], told())
    expect(stdout).toContain('  authorization: ***\n')
    expect(stdout).toContain('  assistant  It is 22.\n')
  })

  test('Early turns and long texts are cut, except with --full.', async () => {
    const gateway = fakeGateway()
    const long = Array.from({ length: 40 }, (_, i) => ({
      role: 'user',
      content: `turn ${i} ${'word '.repeat(400)}`,
    }))
    pass(gateway.ring, { ...wholeExchange, rounds: 1 }, observation =>
      observation.view('client-request', JSON.stringify({ model: 'm', input: long })),
    )
    const setup = { ...gateway, isTTY: true, columns: 80, env: { NO_COLOR: '1' } }
    const { stdout } = await trace(['last'], setup)
    expect(stdout).toContain('… 28 parts before; --full shows all')
    expect(stdout).not.toContain('turn 27')
    expect(
      Math.max(
        ...stdout
          .slice(0, stdout.indexOf('lost on'))
          .split('\n')
          .map(line => line.length),
      ),
    ).toBeLessThanOrEqual(80)
    const full = (await trace(['last', '--full'], setup)).stdout
    expect(full).toContain('turn 0')
    expect(full.match(/word/g)).toHaveLength(40 * 400)
  })

  test('The answer to a warm-up says what it is.', async () => {
    const gateway = told({ finish: 'warm-up' })
    const { stdout } = await trace(['last'], gateway)
    expect(stdout).toContain('other      A warm-up: the request is kept for the next one to continue')
    expect(stdout).not.toContain('cannot be read here')
  })

  test('A request of which only the beginning was kept is said to be unreadable.', async () => {
    const { stdout } = await trace(['last'], told({}, { viewBytes: 20 }))
    expect(stdout).toContain(
      'The client-request cannot be read here; --view client-request shows what was kept.',
    )
  })

  test('A history that goes on after what was kept of its request says so where it breaks off.', async () => {
    const { stdout } = await trace(['last'], told({}, { viewBytes: 260 }))
    const lines = stdout.split('\n').map(line => line.trim())
    const at = lines.indexOf(
      'The rest of the client-request was not kept; --view client-request shows what was.',
    )
    expect(at).toBeGreaterThan(lines.findIndex(line => /^user +Oslo/.test(line)))
    expect(lines[at + 1]).toBe('thinking   Rome is warm.')
    expect(lines).toContain(
      'The rest of the upstream-answer was not kept; --view upstream-answer shows what was.',
    )
    expect((await trace(['last'], told())).stdout).not.toContain('was not kept')
  })

  test('With --curl, the request is written so that a shell sends it again.', async () => {
    const { stdout } = await trace(['last', '--curl'], told())
    expect(stdout).toBe(
      `curl -sSN 'http://127.0.0.1:4141/v1/responses?x=1' \\\n  -H 'content-type: application/json' \\\n` +
        `  -H "authorization: Bearer $TOOLWIRE_KEY" \\\n` +
        `  --data-raw '${JSON.stringify({ model: 'gpt-5', tools, input, stream: true }).replaceAll("'", "'\\''")}'\n`,
    )
    expect((await trace(['last', '--curl'], told({}, { viewBytes: 260 }))).stderr).toContain(
      'cannot be sent again',
    )
  })

  test('With --har, exchanges are written as an HTTP Archive.', async () => {
    for (const argv of [['last', '--har'], ['--har']]) {
      const { log } = JSON.parse((await trace(argv, told())).stdout)
      expect(log).toMatchObject({ version: '1.2', creator: { name: 'toolwire' } })
      expect(log.entries).toHaveLength(1)
      expect(log.entries[0]).toMatchObject({
        startedDateTime: '2026-11-15T12:00:00.000Z',
        request: {
          method: 'POST',
          url: 'http://127.0.0.1:4141/v1/responses?x=1',
          queryString: [{ name: 'x', value: '1' }],
          postData: { mimeType: 'application/json' },
        },
        response: { status: 200 },
        timings: { send: 0, wait: 212.25, receive: 1207.75 },
      })
    }
  })

  test('With --har, each request to an upstream has times of its own.', async () => {
    let now = 990
    const sides = ['client-request', 'upstream-request', 'upstream-answer', 'client-answer'] as const
    const gateway = gatewayWith(
      observation => {
        for (const name of sides) {
          const line = name.endsWith('request') ? 'POST http://local/v1/chat/completions' : '200'
          observation.viewHead(name, { line, headers: {} })
          observation.view(name, '{}')
        }
      },
      { now: () => (now += 10) },
    )
    const { log } = JSON.parse((await trace(['last', '--har'], gateway)).stdout)
    expect(log.entries).toMatchObject([
      {
        startedDateTime: '2026-11-15T12:00:00.000Z',
        time: 1420,
        timings: { wait: 212.25, receive: 1207.75 },
      },
      { startedDateTime: '2026-11-15T12:00:00.020Z', time: 30, timings: { wait: 20, receive: 10 } },
    ])
  })

  test.each([
    [
      ['--model', 'gpt-*'],
      ['req_b', 'req_a'],
    ],
    [
      ['--model', 'QWEN3'],
      ['req_c', 'req_b', 'req_a'],
    ],
    [['--status', '5xx'], ['req_c']],
    [['--status', 'failed'], ['req_c']],
    [['--status', 'ok', '--losses'], ['req_b']],
    [
      ['--text', 'is 22'],
      ['req_c', 'req_b', 'req_a'],
    ],
    [['--text', 'get_weather', '--limit', '1'], ['req_c']],
    [['--text', 'nothing of the kind'], []],
  ])('The list is filtered by %j.', async (argv, ids) => {
    const gateway = told({ id: 'req_a' })
    const again = (more: Partial<ExchangeFacts>): void => {
      pass(gateway.ring, { ...wholeExchange, rounds: 1, losses: [], ...more }, observation => {
        observation.view('client-request', JSON.stringify({ model: 'x', tools, input }))
        observation.view('upstream-answer', streamed)
      })
    }
    again({ id: 'req_b', losses: wholeExchange.losses ?? [] })
    again({ id: 'req_c', status: 502, model: 'other', failure: { code: 'upstream_cut', message: '' } })
    const { stdout } = await trace([...argv, '--json'], gateway)
    expect(JSON.parse(stdout).data.map((one: { id: string }) => one.id)).toEqual(ids)
    const shown = await trace(argv, gateway)
    expect(shown.stdout.includes('No exchange fits.')).toBe(ids.length === 0)
  })
})
