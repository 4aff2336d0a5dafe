import fc from 'fast-check'
import pico from 'picocolors'
import { describe, expect, test } from 'vitest'
import { printable } from '../terminal/printable.ts'
import { factsOf, pass, wholeExchange } from './exchange.test-helper.ts'
import { exchangeLine } from './exchange-line.ts'
import { recordOf } from './exchange-record.ts'
import type { LoggerOptions } from './logger.ts'
import { createLogger } from './logger.ts'
import type { ExchangeFacts } from './observer.ts'

function log(exchanges: readonly Partial<ExchangeFacts>[], options: Partial<LoggerOptions> = {}): string[] {
  const lines: string[] = []
  const logger = createLogger({ write: line => void lines.push(line), format: 'json', ...options })
  for (const facts of exchanges) pass(logger, facts)
  for (const line of lines) expect(line.endsWith('\n')).toBe(true)
  return lines.map(line => line.slice(0, -1))
}

const failed = {
  route: 'POST /v1/messages',
  status: 502,
  failure: { code: 'upstream_cut', message: 'It said boo.' },
}
const probe = { route: 'GET /ready', status: 200, totalMs: 0.4 }

describe('the JSON log', () => {
  test('A JSON log line is one object with all known facts in a fixed order.', () => {
    const [line = ''] = log([wholeExchange])
    expect(line).not.toContain('\n')
    const expected = {
      time: '2026-11-15T12:00:00.000Z',
      level: 'info',
      id: 'req_abcdefghijklmnop',
      route: 'POST /v1/responses',
      status: 200,
      wire: 'responses',
      upstream: 'local',
      upstream_wire: 'chat',
      model: 'gpt-5',
      upstream_model: 'qwen3',
      streamed: true,
      first_byte_ms: 212.25,
      total_ms: 1420,
      overhead_ms: 3.123,
      input_tokens: 1200,
      output_tokens: 56,
      cache_read_tokens: 1000,
      reasoning_tokens: 20,
      finish: 'tool_calls',
      response_id: 'resp_1',
      client_calls: 2,
      tool_runs: 2,
      tool_failures: 1,
      losses: 1,
      retries: 1,
      rounds: 2,
      abandoned: false,
    }
    expect(line).toBe(JSON.stringify(expected))
  })

  test('A JSON log line leaves out unknown facts.', () => {
    const record = JSON.parse(log([{ route: 'GET /v1/models', status: 200 }])[0] ?? '')
    expect(Object.keys(record)).toEqual([
      'time',
      'level',
      'id',
      'route',
      'status',
      'client_calls',
      'tool_runs',
      'tool_failures',
      'losses',
      'retries',
      'abandoned',
    ])
  })

  test('A JSON log line has no control characters and still parses to the original values.', () => {
    const model = 'evil\u001b]52;c;AAAA\u0007\u202e\u2028\u009b31m'
    const [line = ''] = log([{ ...wholeExchange, model }])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is what is tested
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e\u2028]/)
    expect(JSON.parse(line).model).toBe(model)
  })

  test('A JSON log line has no keys, no content and no long names.', () => {
    const [line = ''] = log([
      {
        ...wholeExchange,
        model: 'sk-abcdefghijklmnop1234',
        upstreamModel: 'x'.repeat(1_000_000),
        failure: { code: 'upstream_400', message: 'You said: tell me a secret' },
      },
    ])
    expect(line).not.toMatch(/sk-abc|secret/)
    expect(JSON.parse(line)).toMatchObject({ model: '***', failure: 'upstream_400', level: 'error' })
    expect(line.length).toBeLessThan(1200)
  })
})

describe('a request without a route', () => {
  const refused = {
    target: 'POST /v1/chat/completion\u001b[31m',
    status: 404,
    failure: { code: 'unknown_route', message: '' },
  }

  test('A request without a route is logged with its target.', () => {
    expect(JSON.parse(log([refused])[0] ?? '')).toMatchObject({ route: 'unknown', target: refused.target })
    expect(log([refused], { format: 'pretty' })[1]).toContain('  404   POST /v1/chat/completion\\u001b[31m  ')
  })

  test('The logged target is masked and clipped.', () => {
    const target = `GET /sk-abcdefghijklmnop1234/${'x'.repeat(10_000)}`
    const [line = ''] = log([{ ...refused, target }])
    expect(line).toContain('GET /***/xxx')
    expect(line.length).toBeLessThan(600)
    const cutKey = `GET /${'x'.repeat(183)}/sk-abcdefg`
    expect(cutKey).toHaveLength(199)
    expect(log([{ ...refused, target: `${cutKey}h` }])[0]).not.toContain('sk-abc')
  })

  test('The path of a known route is not logged, because it contains ids.', () => {
    expect(log([{ ...refused, route: 'GET /v1/responses/{id}' }])[0]).not.toContain('target')
  })
})

describe('log levels', () => {
  const level = (facts: Partial<ExchangeFacts>): string =>
    JSON.parse(log([facts], { level: 'debug' })[0] ?? '').level

  test('Failures are errors, refusals are warnings, and other exchanges are information.', () => {
    expect(level(wholeExchange)).toBe('info')
    expect(level(failed)).toBe('error')
    expect(level({ ...wholeExchange, failure: { code: 'stream_failed', message: '' } })).toBe('error')
    expect(level({ route: 'POST /v1/messages', status: 400, failure: { code: 'x', message: '' } })).toBe(
      'warn',
    )
    expect(level({ status: 404, failure: { code: 'unknown_route', message: '' } })).toBe('warn')
    const gone = { abandoned: true, failure: { code: 'client_gone', message: '' } }
    expect(level({ ...wholeExchange, ...gone })).toBe('info')
    expect(level({ route: 'GET /ready', status: 503 })).toBe('error')
  })

  test.each(['GET /live', 'GET /ready', 'GET /metrics', 'GET /toolwire/traces', 'unknown'])(
    'A request for %s is logged at level debug unless it fails.',
    route => {
      expect(level({ route, status: 200 })).toBe('debug')
      expect(log([{ route, status: 200 }])).toEqual([])
    },
  )

  test('Lines below the configured level are not written.', () => {
    const all = [wholeExchange, failed, probe]
    const count = (least: LoggerOptions['level']): number => log(all, least && { level: least }).length
    expect([count(undefined), count('debug'), count('info'), count('warn'), count('error')]).toEqual([
      2, 3, 2, 1, 1,
    ])
  })

  test('The message of a failure is logged only at level debug, and masked.', () => {
    const failure = { code: 'upstream_401', message: 'Wrong key: sk-abcdefghijklmnop1234' }
    const facts = { ...failed, failure }
    expect(log([facts], { level: 'info' })[0]).not.toContain('Wrong')
    expect(JSON.parse(log([facts], { level: 'debug' })[0] ?? '').message).toBe('Wrong key: ***')
  })
})

describe('the pretty log', () => {
  const pretty = (
    exchanges: readonly Partial<ExchangeFacts>[],
    more: Partial<LoggerOptions> = {},
  ): string[] =>
    log(exchanges, { format: 'pretty', ...more }).map(line => line.replace(/^\d\d:\d\d:\d\d/gm, 'hh:mm:ss'))

  test('The pretty log aligns its columns.', () => {
    const bad = {
      ...wholeExchange,
      wire: 'messages',
      upstreamWire: 'messages',
      upstreamModel: 'gpt-5',
    } as const
    expect(pretty([wholeExchange, { ...bad, ...failed }, { ...wholeExchange, abandoned: true }])).toEqual([
      'time      code  wire                  model                       first    total      own        tokens',
      'hh:mm:ss  200   responses → chat      gpt-5 → qwen3              212 ms   1.42 s   3.1 ms     1200 → 56  2 calls, 2 runs (1 failed)  1 loss  1 retry  req_abcdefgh',
      'hh:mm:ss  502   messages              gpt-5                      212 ms   1.42 s   3.1 ms     1200 → 56  2 calls, 2 runs (1 failed)  1 loss  1 retry, upstream_cut  req_abcdefgh',
      'hh:mm:ss  gone  responses → chat      gpt-5 → qwen3              212 ms   1.42 s   3.1 ms     1200 → 56  2 calls, 2 runs (1 failed)  1 loss  1 retry  req_abcdefgh',
    ])
  })

  test('The pretty log returns to its columns after a long cell, and shows the route where the wire is unknown.', () => {
    const [header = '', row = ''] = pretty([{ route: 'POST /v1/chat/completions', status: 400, totalMs: 1 }])
    expect(row.indexOf('1.0 ms') + '1.0 ms'.length).toBe(header.indexOf('total') + 'total'.length)
    expect(row).toContain('POST /v1/chat/completions')
  })

  test.each([60, 80, 99, 100, 119, 120, 160])('The pretty log fits a terminal of %i columns.', columns => {
    const usual = { ...wholeExchange, toolRuns: [], losses: [], retries: 0 }
    const wires = { wire: 'responses', upstreamWire: 'messages', model: 'm'.repeat(60) } as const
    const stray = {
      target: `POST /${'x'.repeat(150)}`,
      status: 404,
      failure: { code: 'unknown_route', message: '' },
    }
    const exchanges = [usual, { ...usual, ...wires }, { ...wholeExchange, ...failed }, stray]
    const rows = pretty(exchanges, { columns: () => columns }).flatMap(row => row.split('\n'))
    expect(Math.max(...rows.map(row => row.length))).toBeLessThanOrEqual(columns)
    const [header = '', ...rest] = rows
    for (const row of rest.filter(line => line.includes('1.42 s'))) {
      expect(row.indexOf('1.42 s') + '1.42 s'.length).toBe(header.indexOf('total') + 'total'.length)
    }
    const all = rows.join(' ')
    for (const word of [
      'responses → messages',
      'upstream_cut',
      'unknown_route',
      'POST /xxx',
      'req_abcdefgh',
      '1 failed',
    ])
      expect(all).toContain(word)
    // What is usual needs no second line, as long as there are 80 columns.
    if (columns >= 80) expect(rest[0]).toContain('req_abcdefgh')
  })

  test('The header is repeated when the terminal becomes too narrow for the columns.', () => {
    let columns = 120
    const lines: string[] = []
    const logger = createLogger({
      write: line => void lines.push(line),
      format: 'pretty',
      columns: () => columns,
    })
    pass(logger, wholeExchange)
    columns = 80
    pass(logger, wholeExchange)
    pass(logger, wholeExchange)
    expect(lines.map(line => line.startsWith('time'))).toEqual([true, false, true, false, false])
  })

  test('The pretty log escapes control characters.', () => {
    const rows = pretty([{ ...wholeExchange, model: 'a\u001b[31m\u202eb\n', upstreamModel: 'c' }])
    expect(rows[1]).toContain('a\\u001b[31m\\u202eb\\u000a → c')
  })

  test('Losses are yellow and failures red when colors are on.', () => {
    const colors = pico.createColors(true)
    const [, row = ''] = pretty([{ ...wholeExchange, ...failed }], { colors })
    expect(row).toContain(colors.yellow('1 loss'))
    expect(row).toContain(colors.red('502'))
    expect(row).toContain(colors.red('1 retry, upstream_cut'))
  })

  test('At level debug, the message of a failure follows on a line of its own.', () => {
    const [, row = ''] = pretty([failed], { level: 'debug' })
    expect(row.split('\n')[1]).toBe('          It said boo.')
  })
})

test('Each exchange is logged once, even if it ends twice.', () => {
  const lines: string[] = []
  const logger = createLogger({ write: line => void lines.push(line), format: 'json' })
  pass(logger, wholeExchange, observation => observation.end())
  expect(lines).toHaveLength(1)
})

test('A line says the same as the record of the exchange in the list of traces.', () => {
  const names = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('gpt-5', 'sk-canary0123456789abcdef', 'x"y\u202e'),
  )
  const count = fc.option(fc.nat(), { nil: undefined })
  const generated = fc.record(
    {
      route: fc.constantFrom('POST /v1/messages', 'unknown', 'GET /live'),
      at: fc.integer({ min: 0, max: 4e12 }),
      target: names,
      status: fc.constantFrom(200, 404, 502),
      tenant: names,
      model: names,
      upstream: names,
      upstreamModel: names,
      streamed: fc.boolean(),
      firstByteMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
      cost: fc.double({ min: 0, max: 1e3, noNaN: true }),
      usage: fc.record({ input: fc.nat(), output: fc.nat(), cacheRead: count, reasoning: count }),
      finish: names,
      responseId: names,
      clientCalls: fc.array(names, { maxLength: 2 }),
      retries: fc.nat(3),
      rounds: fc.nat(3),
      failedUpstreams: fc.array(names, { maxLength: 2 }),
      failure: fc.record({ code: names, message: names }),
      abandoned: fc.boolean(),
    },
    { requiredKeys: ['route', 'at'] },
  )
  fc.assert(
    fc.property(generated, more => {
      const facts = factsOf(more as Partial<ExchangeFacts>)
      const line = `${exchangeLine(facts, 'info')}}`
      const { time, ...rest } = recordOf(facts)
      expect(line).toBe(printable(JSON.stringify({ time, level: 'info', ...rest })))
    }),
  )
})
