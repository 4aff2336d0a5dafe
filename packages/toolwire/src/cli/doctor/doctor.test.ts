import { describe, expect, test } from 'vitest'
import type { Store } from '../../store/store.ts'
import { StoreError } from '../../store/store-error.ts'
import type { Setup } from '../serve/environment.test-helper.ts'
import { argumentsOf, createStage } from '../serve/environment.test-helper.ts'
import { openStore } from '../serve/open-store.ts'
import type { Check, DoctorEnvironment } from './check-machine.ts'
import { checkNode } from './check-machine.ts'
import { doctor } from './doctor.ts'

interface Patient extends Setup {
  readonly world?: Partial<DoctorEnvironment>
  readonly config?: object
}

async function visit(patient: Patient, ...argv: string[]): Promise<{ code: number; stdout: string }> {
  const { config, world: more, ...setup } = patient
  const files = config === undefined ? setup.files : { 'toolwire.config.json': JSON.stringify(config) }
  const { io, world, printed } = createStage({ ...setup, ...(files && { files }) })
  const whole: DoctorEnvironment = {
    ...world,
    nodeVersion: '20.19.0',
    openStore: settings => openStore({ ...settings, kind: 'memory' }),
    verifyStore: async () => [],
    tryPort: async () => {},
    after: () => () => {},
    ...more,
  }
  const code = await doctor(argumentsOf('doctor', argv), io, whole)
  return { code, stdout: printed.stdout }
}

async function checksOf(patient: Patient): Promise<Check[]> {
  const { checks } = JSON.parse((await visit(patient, '--json')).stdout) as { checks: Check[] }
  return checks
}

const about = async (name: string, patient: Patient): Promise<Check[]> =>
  (await checksOf(patient)).filter(check => check.name === name)

const local = { name: 'local', wire: 'chat', baseUrl: 'http://127.0.0.1:11434/v1' }
const answering =
  (status: number, body: object = {}) =>
  async () =>
    Response.json(body, { status })
const failing = (code: string) => async () => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
}

test('The doctor finds no problem on a fresh machine.', async () => {
  const { code, stdout } = await visit({})
  expect(code).toBe(0)
  expect(stdout).toMatchInlineSnapshot(`
    "  ✓ node           Node 20.19.0.
      ✓ config         No configuration file, which is fine.
      ✓ upstream demo  The embedded demo model answers.
      ✓ store          memory, gone when the gateway stops.
      ✓ port           Port 4141 of 127.0.0.1 is free.
      ✓ access         127.0.0.1, from this machine only.

    All is well.
    "
  `)
})

test('The doctor reports each problem with a remedy, and exits with 1.', async () => {
  const config = { upstreams: [{ ...local, apiKeyEnv: 'LOCAL_KEY' }], host: '0.0.0.0' }
  const { code, stdout } = await visit({ config, fetch: failing('ECONNREFUSED') })
  expect(code).toBe(1)
  expect(stdout).toContain('✗ key             LOCAL_KEY, for upstream local, is missing.')
  expect(stdout).toContain('Set it before starting: export LOCAL_KEY=…')
  expect(stdout).toContain(
    '✗ upstream local  http://127.0.0.1:11434/v1 cannot be reached: nothing listens there.',
  )
  expect(stdout).toMatch(/✗ access .*toolwire\.config\.json:1:\d+: Listening on 0\.0\.0\.0/)
  expect(stdout).toContain('3 problems.')
})

test.each([
  ['key', 'problem', 'LOCAL_KEY, for upstream local, is missing.', []],
  ['config', 'warning', 'Upstream local is left out.', [{ ...local, name: 'other', models: ['a*'] }]],
])('The doctor tells of a missing key once, as a matter of %s.', async (name, status, message, others) => {
  const config = { upstreams: [{ ...local, apiKeyEnv: 'LOCAL_KEY' }, ...others] }
  const fetch: Setup['fetch'] = answering(others.length === 0 ? 401 : 200)
  const wrong = (await checksOf({ config, fetch })).filter(check => check.status !== 'ok')
  expect(wrong).toMatchObject([{ name, status, message: expect.stringContaining(message) }])
})

test.each(['http://PLACE/v1', 'http://127.0.0.1:PLACE/v1', 'PLACE'])(
  'The doctor asks nobody at the address %s while its variable is not set, and says so once.',
  async address => {
    const baseUrl = address.replace('PLACE', () => `\${PLACE}`)
    const config = {
      upstreams: [
        { ...local, baseUrl, models: ['a'] },
        { ...local, name: 'other' },
      ],
    }
    const asked: string[] = []
    const fetch: Setup['fetch'] = async url => {
      asked.push(url)
      return Response.json({})
    }
    const wrong = (await checksOf({ config, fetch })).filter(check => check.status !== 'ok')
    expect(wrong).toMatchObject([{ name: 'config', message: expect.stringContaining('variable PLACE') }])
    expect(asked).toEqual(['http://127.0.0.1:11434/v1/models'])
  },
)

test('The doctor never shows a key.', async () => {
  const env = { OPENAI_API_KEY: 'alpha-beta-gamma', KEYS: 'delta-epsilon', OPERATORS: 'delta-omega' }
  const operators = { operatorKeysEnv: 'OPERATORS', operatorKeys: ['zeta-psi'] }
  const config = {
    ...operators,
    keysEnv: 'KEYS',
    keys: ['zeta-eta'],
    upstreams: [{ ...local, apiKey: 'theta-iota' }],
  }
  const seen = [
    await visit({ env }),
    await visit({ env, config, fetch: answering(401, { error: 'no' }) }),
    await visit({ env, config: { ...config, wrong: 1 } }, '--json'),
    await visit({ env, config, fetch: failing('ENOTFOUND') }, '--json'),
  ]
  expect(JSON.stringify(seen)).not.toMatch(/alpha|delta|zeta|theta/)
  expect(seen[0]?.stdout).toContain('OPENAI_API_KEY, for upstream openai, is set.')
  expect(seen[1]?.stdout).toContain('KEYS, for clients, is set.')
  expect(seen[1]?.stdout).toContain('OPERATORS, for operators, is set.')
})

test('The doctor checks nothing else when the configuration is wrong.', async () => {
  const checks = await checksOf({ files: { 'toolwire.config.json': '{ "prot": 1 }' } })
  expect(checks.map(({ name, status }) => [name, status])).toEqual([
    ['node', 'ok'],
    ['config', 'problem'],
    ['others', 'warning'],
  ])
  expect(checks[1]?.message).toContain('toolwire.config.json:1:3: There is no setting "prot"')
  expect(checks[1]?.remedy).toBe('Did you mean "port"?')
})

describe('an upstream', () => {
  const withKey = { ...local, apiKey: 'k' }
  test.each([
    [local, answering(200, { data: [{ id: 'a' }, { id: 'b' }] }), 'ok', 'answers in 0 ms, 2 models.'],
    [local, answering(200, { unexpected: true }), 'ok', 'answers in 0 ms.'],
    [{ ...local, models: ['a', 'x*'] }, answering(200, { data: [{ id: 'a' }] }), 'ok', '1 model.'],
    [{ ...local, models: ['z'] }, answering(200, { data: [{ id: 'a' }] }), 'warning', 'does not list z.'],
    [
      { ...local, models: ['z'], rename: { z: 'a' } },
      answering(200, { data: [{ id: 'a' }] }),
      'ok',
      '1 model.',
    ],
    [local, answering(401), 'problem', 'asks for a key (401).'],
    [withKey, answering(401), 'problem', 'refuses the key (401).'],
    [withKey, answering(403), 'problem', 'refuses the key (403).'],
    [{ ...local, forwardKey: true }, answering(401), 'ok', 'clients bring their own keys.'],
    [local, answering(404), 'warning', 'lists no models (404).'],
    [local, answering(429), 'warning', 'too many requests (429).'],
    [local, answering(502), 'problem', 'answers with 502.'],
    [local, failing('ENOTFOUND'), 'problem', 'there is no such host.'],
    [local, failing('EWHATEVER'), 'problem', 'EWHATEVER'],
    [local, () => Promise.reject(new DOMException('x', 'TimeoutError')), 'problem', 'no answer within 5 s.'],
  ])('The doctor describes the upstream of %j.', async (upstream, fetch, status, message) => {
    const [check] = await about('upstream local', { config: { upstreams: [upstream] }, fetch })
    expect(check).toMatchObject({ status, message: expect.stringContaining(message) })
  })

  test('The doctor requests the models of an upstream with its key.', async () => {
    const asked: unknown[] = []
    const fetch: Setup['fetch'] = async (url, { headers }) => {
      asked.push([url, headers.authorization, headers['x-api-key']])
      return Response.json({ data: [] })
    }
    const upstreams = [withKey, { ...withKey, name: 'b', wire: 'messages', baseUrl: 'http://b.test/v1/' }]
    await visit({ config: { upstreams }, fetch })
    expect(asked).toEqual([
      ['http://127.0.0.1:11434/v1/models', 'Bearer k', undefined],
      ['http://b.test/v1/models', undefined, 'k'],
    ])
  })
})

describe('the machine', () => {
  test.each([
    ['20.19.0', 'ok'],
    ['20.18.9', 'problem'],
    ['18.20.0', 'problem'],
    ['22.0.0', 'ok'],
  ])('The doctor calls Node %s %s.', (version, status) => {
    expect(checkNode(version).status).toBe(status)
  })

  const busy = async (): Promise<void> => {
    throw Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE' })
  }

  test('The doctor reports a port in use.', async () => {
    const [check] = await about('port', { world: { tryPort: busy } })
    expect(check).toMatchObject({ status: 'problem', message: 'Port 4141 of 127.0.0.1 is in use.' })
    expect(check?.remedy).toContain('--port')
  })

  test('The doctor reports a gateway that is running already.', async () => {
    const fetch = answering(200, { name: 'toolwire', version: '0.1.0' })
    expect(await about('port', { world: { tryPort: busy }, fetch })).toEqual([
      {
        name: 'port',
        status: 'warning',
        message: 'toolwire 0.1.0 is running on port 4141 of 127.0.0.1 already.',
        remedy:
          'Use that one, stop it, or choose another port with "toolwire serve --port" (0 takes any free one).',
      },
    ])
  })

  test('The doctor reports a store that cannot be written, and closes it.', async () => {
    let closed = false
    const store = {
      check: async () => {
        throw new StoreError('unavailable', 'The disk is full.')
      },
      close: async () => {
        closed = true
      },
    } as unknown as Store
    const [check] = await about('store', { world: { openStore: async () => ({ store, description: 'x' }) } })
    expect([check?.status, check?.message, closed]).toEqual(['problem', 'The disk is full.', true])
  })

  test('The doctor reports a store that is damaged, and one that is too large to be verified here.', async () => {
    const store = { kind: 'sqlite', check: async () => {}, close: async () => {} } as unknown as Store
    const seen = async (problems: readonly string[] | undefined): Promise<Check | undefined> => {
      const world = {
        openStore: async () => ({ store, description: 'x' }),
        verifyStore: async () => problems,
      }
      const [check] = await about('store', { config: { store: { path: '/s.db' } }, world })
      return check
    }
    expect(await seen([])).toMatchObject({ status: 'ok', message: '/s.db can be written, and is sound.' })
    expect(await seen(['A.', 'B.'])).toMatchObject({
      status: 'problem',
      message: '/s.db is damaged: A., and 1 more like it',
      remedy: expect.stringContaining('toolwire store verify'),
    })
    expect(await seen(undefined)).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('store verify'),
    })
  })

  test.each([
    ['store', { openStore: () => new Promise<never>(() => {}) }],
    ['port', { tryPort: () => new Promise<never>(() => {}) }],
  ])('The doctor reports a %s that never answers.', async (name, stuck) => {
    const after: DoctorEnvironment['after'] = (_milliseconds, callback) => {
      const timer = setImmediate(callback)
      return () => clearImmediate(timer)
    }
    const checks = await checksOf({ world: { ...stuck, after } })
    expect(checks.filter(({ status }) => status === 'problem')).toEqual([
      { name, status: 'problem', message: 'No answer within 40 s.', remedy: expect.any(String) },
    ])
  })

  test('The doctor warns of open access that was configured.', async () => {
    const [check] = await about('access', { config: { host: '0.0.0.0', insecure: true } })
    expect(check).toMatchObject({ status: 'warning', message: expect.stringContaining('without a key') })
  })
})

test('The doctor reports an MCP server that cannot be started.', async () => {
  const config = { mcpServers: { files: { command: '/no/such/program' } } }
  const [check] = await about('mcp files', { config })
  expect(check?.status).toBe('problem')
})

test('The doctor takes no arguments.', async () => {
  await expect(visit({}, 'now')).rejects.toThrow('The doctor takes no arguments.')
})
