import { describe, expect, test } from 'vitest'
import { hourMs, type UsageRow } from '../../platform/usage-row.ts'
import { InputError, UsageError } from '../../terminal/errors.ts'
import { createMemoryIo } from '../../terminal/memory-io.test-helper.ts'
import { parseArguments } from '../arguments.ts'
import { commands } from '../command-table.ts'
import { printError } from '../print-error.ts'
import { runUsage } from './usage.ts'

const now = Date.UTC(2026, 10, 17, 20)
const row: UsageRow = {
  hour: now / hourMs,
  model: 'qwen3',
  upstream: 'local',
  client: 'codex',
  owner: 'a'.repeat(64),
  requests: 12,
  failures: 1,
  input: 45_200,
  output: 2100,
  cacheRead: 30_000,
  cost: 0,
  unpriced: 11,
}
const price = { model: 'claude-opus-5', source: 'somewhere', date: '2026-11' }
const served = [
  { ...row, price: null },
  {
    ...row,
    model: 'claude-opus-5\u001b',
    client: 'claude-cli',
    requests: 3,
    failures: 0,
    cost: 82_500,
    unpriced: 0,
    price,
  },
]

interface Setup {
  readonly answer?: () => Response
  readonly stored?: readonly UsageRow[]
  readonly files?: Record<string, string>
}

async function usage(argv: readonly string[], { answer, stored, files = {} }: Setup = {}) {
  const { io, printed } = createMemoryIo({ files, env: { XDG_STATE_HOME: '/state', HOME: '/home/me' } })
  const asked: string[] = []
  const read: string[] = []
  const world = {
    async fetch(url: string): Promise<Response> {
      asked.push(url)
      if (answer !== undefined) return answer()
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })
    },
    sleep: async () => {},
    running: () => [],
    now: () => now,
    readStore: async (path: string, sinceHour: number) => {
      read.push(path)
      return stored?.filter(({ hour }) => hour >= sinceHour)
    },
  }
  try {
    const args = parseArguments(argv, commands.usage?.options ?? {})
    return { code: await runUsage(args, io, world), ...printed, asked, read }
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof InputError)) throw error
    printError(error, io)
    return { code: 2, ...printed, asked, read }
  }
}

const answer = (): Response => Response.json({ object: 'list', data: served })

describe('toolwire usage', () => {
  test('Usage is a table by model, with the cost where a price is known, and whose price it is.', async () => {
    const { stdout, asked } = await usage([], { answer })
    expect(asked).toEqual(['http://127.0.0.1:4141/toolwire/usage?since=0'])
    expect(stdout.split('\n')).toEqual([
      'model                requests  failed      in  cached    out      cost',
      'claude-opus-5\\u001b         3          45 200  30 000  2 100    $0.083',
      'qwen3                      12       1  45 200  30 000  2 100',
      'total                      15       1  90 400  60 000  4 200  ≥ $0.083',
      '',
      'from the beginning, from http://127.0.0.1:4141',
      'claude-opus-5\\u001b: price from somewhere, 2026-11',
      'No price is known of qwen3; "prices" in the configuration takes yours.',
      '',
    ])
  })

  test.each([
    ['client', ['claude-cli', 'codex']],
    ['key', ['aaaaaaaaaaaa']],
  ])('With --by %s, there is a row for each.', async (by, names) => {
    const { stdout } = await usage(['--by', by], { answer })
    for (const name of names) expect(stdout).toMatch(new RegExp(`^${name} `, 'm'))
  })

  test.each([
    ['24h', now - 24 * hourMs],
    ['7d', now - 7 * 24 * hourMs],
    ['2026-11-01', Date.UTC(2026, 10, 1)],
  ])('With --since %s, only what came later is asked for.', async (since, time) => {
    expect((await usage(['--since', since], { answer })).asked[0]).toContain(`since=${time}`)
  })

  test('With --json, the rows are written as JSON, and an unknown cost is null.', async () => {
    const { rows, by } = JSON.parse((await usage(['--json'], { answer })).stdout)
    expect(by).toBe('model')
    expect(rows).toMatchObject([
      { model: 'claude-opus-5\u001b', cost_usd: 0.0825, price },
      { model: 'qwen3', requests: 12, cached_tokens: 30_000, cost_usd: null, price: null },
    ])
  })

  test('Requests that reported no tokens are counted, as far as the rows can tell.', async () => {
    const silent = { requests: 3, failures: 1, input: 0, output: 0, cacheRead: 0, unpriced: 0 }
    const data = [
      { ...row, unpriced: 8 },
      { ...row, ...silent, client: 'curl' },
      { ...row, ...silent, model: 'priced', input: 5, cost: 7 },
    ]
    const answer = (): Response => Response.json({ object: 'list', data })
    expect((await usage([], { answer })).stdout).toContain('\nAt least 5 requests reported no tokens. A Chat')
    const { rows } = JSON.parse((await usage(['--json'], { answer })).stdout)
    expect(rows).toMatchObject([
      { model: 'priced', unreported_requests: null },
      { model: 'qwen3', unreported_requests: 5 },
    ])
  })

  test('Where no gateway runs, the store is read.', async () => {
    const { stdout, read } = await usage(['--since', '1h'], {
      stored: [row, { ...row, hour: 5, model: 'old' }],
    })
    expect(read[0]).toMatch(/responses\.sqlite$/)
    expect(stdout).toContain('qwen3')
    expect(stdout).not.toContain('old')
    expect(stdout).toContain('(no gateway runs)')
    expect((await usage([])).stderr).toContain('nothing listens there')
  })

  test('The prices are listed with their sources, those of the configuration first.', async () => {
    const own = { prices: [{ model: 'qwen*', input: 0.1, output: 0.2, source: 'my contract' }] }
    const files = { 'toolwire.config.json': JSON.stringify(own) }
    const { stdout } = await usage(['--prices'], { files })
    const [, first = '', second = ''] = stdout.split('\n')
    expect(first).toMatch(/^qwen\* +\$0\.1 +\$0\.2 {2}my contract$/)
    expect(second).toMatch(/at anthropic .*platform\.claude\.com.*, 2026-\d\d$/)
  })

  test.each([
    [['--since', 'never'], '--since must be such as 24h'],
    [['--by', 'moon'], '--by must be one of model, client, key'],
    [['more'], '"usage" takes no "more"'],
  ])('The arguments %j are refused.', async (argv, message) => {
    expect((await usage(argv, { answer })).stderr).toContain(message)
  })
})
