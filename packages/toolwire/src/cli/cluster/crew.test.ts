/** The supervision of worker processes, with workers that are objects and a clock that stands still. */
import type { Worker } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { ConfigError } from '../../config/config-error.ts'
import { Calls } from './calls.ts'
import { Crew, type CrewOptions, restartDelayMs } from './crew.ts'
import { CrewMetrics } from './crew-metrics.ts'

interface FakeWorker {
  readonly worker: Worker
  /** The end of the worker process. */
  readonly calls: Calls
  readonly signals: string[]
  exit(code: number | null, signal?: string): void
}

const task = { port: 1 }

function stage(count: number, parts: Partial<CrewOptions> = {}) {
  const forked: FakeWorker[] = []
  const told: string[] = []
  const looks: (() => void)[] = []
  const later: { readonly ms: number; run(): void }[] = []
  let now = 0
  const waiting: (() => void)[] = []
  const fork = (): Worker => {
    const emitter = new EventEmitter()
    const calls: Calls = new Calls(message => queueMicrotask(() => emitter.emit('message', message)))
    const signals: string[] = []
    const worker = Object.assign(emitter, {
      process: { pid: 100 + forked.length },
      send: (message: object) => queueMicrotask(() => calls.receive(message)),
      kill: (signal: string) => {
        signals.push(signal)
        fake.exit(null, signal)
      },
    }) as unknown as Worker
    const fake: FakeWorker = {
      worker,
      calls,
      signals,
      exit: (code, signal) => void emitter.emit('exit', code, signal),
    }
    forked.push(fake)
    for (const wake of waiting.splice(0)) wake()
    return worker
  }
  const crew: Crew = new Crew({
    count,
    fork,
    task: () => task,
    renew: () => undefined,
    world: {
      uptimeMs: () => now,
      every: (_, look) => {
        looks.push(look)
        return () => {}
      },
      after(ms, run) {
        const entry = { ms, run }
        later.push(entry)
        return () => void later.splice(later.indexOf(entry), 1)
      },
    },
    tell: line => void told.push(line),
    answers: {},
    onReady: () => {},
    onSilence: () => {},
    onEnd: () => {},
    ...parts,
  })
  const wait = (ms: number): void => {
    now += ms
  }
  const at = async (index: number): Promise<FakeWorker> => {
    while (forked[index] === undefined) await new Promise<void>(resolve => waiting.push(resolve))
    return forked[index]
  }
  const ready = async (index: number): Promise<FakeWorker> => {
    const fake = await at(index)
    await fake.calls.ask('ready', [{ storeDescription: 'here', toolCount: 0, warnings: [] }])
    return fake
  }
  return { crew, told, later, looks, forked, at, ready, wait }
}

test('The first worker begins alone and speaks for all; the others are told the same.', async () => {
  const { crew, at, ready, forked } = stage(3)
  const started = crew.start()
  const first = await at(0)
  expect(await first.calls.ask('begin')).toEqual({ port: 1, count: 3, isSpeaker: true })
  expect(forked.length).toBe(1)
  await ready(0)
  const second = await at(1)
  expect(await second.calls.ask('begin')).toEqual({ port: 1, count: 3, isSpeaker: false })
  await Promise.all([ready(1), ready(2)])
  expect(await started).toMatchObject({ storeDescription: 'here' })
  expect(crew.ready.map(({ number }) => number)).toEqual([1, 2, 3])
})

test('What is wrong with the settings rejects the start, and so does a worker that ends at once.', async () => {
  const wrong = stage(1)
  const refused = wrong.crew.start()
  const first = await wrong.at(0)
  void first.calls.ask('failed', [[{ message: 'The port is in use.' }]])
  await expect(refused).rejects.toThrow(ConfigError)
  first.exit(3)
  const dead = stage(1)
  const started = dead.crew.start()
  ;(await dead.at(0)).exit(null, 'SIGSEGV')
  await expect(started).rejects.toThrow('SIGSEGV')
  expect([wrong.later, dead.later]).toEqual([[], []])
})

test('A worker that does not answer gets no connections until it does, and is ended after a minute.', async () => {
  const turns: string[] = []
  const { crew, told, later, looks, ready } = stage(1, {
    onReady: () => turns.push('on'),
    onSilence: () => turns.push('off'),
  })
  const started = crew.start()
  const fake = await ready(0)
  await started
  const look = async (): Promise<void> => {
    looks[0]?.()
    await new Promise(resolve => setImmediate(resolve))
  }
  for (let n = 0; n < 30; n++) await look()
  expect([turns, fake.signals]).toEqual([['on'], []])
  let answer = (): void => {}
  fake.calls.on('active', () => new Promise<void>(resolve => (answer = resolve)))
  for (let n = 0; n < 3; n++) await look()
  expect(turns).toEqual(['on', 'off'])
  answer()
  await look()
  expect(turns).toEqual(['on', 'off', 'on'])
  for (let n = 0; n < 12; n++) await look()
  expect(fake.signals).toEqual([])
  await look()
  expect([fake.signals, later.length]).toEqual([['SIGKILL'], 1])
  expect(told[0]).toContain('has not answered for a minute')
})

test('A worker that crashes is started again at once, then later and later, and that is told.', async () => {
  const { crew, told, later, ready } = stage(1)
  const started = crew.start()
  await ready(0)
  await started
  for (let crash = 0; crash < 4; crash++) {
    const fake = crash === 0 ? await ready(0) : await ready(crash)
    fake.exit(1)
    const again = later.shift()
    expect(again?.ms).toBe(restartDelayMs(crash + 1))
    again?.run()
  }
  expect(told.filter(line => line.includes('ended'))).toEqual([
    'Worker 1 (process 100) ended: code 1. It is started again now.',
    'Worker 1 (process 101) ended: code 1. It is started again in 0.25 s.',
    'Worker 1 (process 102) ended: code 1. That was 3 times in a row. It is started again in 0.5 s.',
    'Worker 1 (process 103) ended: code 1. That was 4 times in a row. It is started again in 1 s.',
  ])
  expect(crew.restarts).toBe(4)
  expect(restartDelayMs(50)).toBe(30_000)
})

test('A worker that has lived for long counts as sound again, and one that fails to begin is tried again.', async () => {
  const { crew, later, ready, at, wait, told } = stage(1)
  const started = crew.start()
  const first = await ready(0)
  await started
  first.exit(1)
  later.shift()?.run()
  const second = await at(1)
  await second.calls.ask('failed', [[{ message: 'The file is wrong.' }]])
  second.exit(3)
  expect(later[0]?.ms).toBe(250)
  later.shift()?.run()
  const third = await ready(2)
  wait(60_000)
  third.exit(1)
  expect(later[0]?.ms).toBe(0)
  await Promise.resolve()
  expect(told).toContain('The file is wrong.')
})

test('A worker that began before the settings changed gets them before it is given connections.', async () => {
  let given: object = { config: 'old' }
  const seen: unknown[] = []
  const { crew, at, ready, later } = stage(1, {
    task: () => given,
    renew: calls => calls.ask('reload', [given]),
    onReady: () => void seen.push('ready'),
  })
  const started = crew.start()
  const first = await ready(0)
  await started
  first.exit(1)
  later.shift()?.run()
  const again = await at(1)
  again.calls.on('reload', (config: object) => void seen.push(config))
  expect(await again.calls.ask('begin')).toMatchObject({ config: 'old' })
  given = { config: 'new' }
  await ready(1)
  expect(seen).toEqual(['ready', { config: 'new' }, 'ready'])
})

test('Questions go to all others that answer, and a worker that has ended is left out.', async () => {
  const { crew, ready } = stage(3)
  const started = crew.start()
  const workers = [await ready(0), await ready(1), await ready(2)]
  await started
  for (const [index, { calls }] of workers.entries()) calls.on('who', (text: string) => `${text}${index}`)
  expect(await workers[1]?.calls.ask('others', ['who', 'w'])).toEqual(['w0', 'w2'])
  workers[0]?.exit(1)
  expect((await crew.askAll('who', ['w'])).map(([, value]) => value)).toEqual(['w1', 'w2'])
  expect(await crew.askAny('who', ['w'])).toBe('w1')
})

test('Stopping asks those that serve, kills those that do not or never end, and restarts none.', async () => {
  const { crew, ready, at, later } = stage(3)
  const started = crew.start()
  const first = await ready(0)
  const [, second] = [started.catch(() => {}), await ready(1)]
  const third = await at(2)
  const asked: number[] = []
  first.calls.on('stop', (ms: number) => {
    asked.push(ms)
    queueMicrotask(() => first.exit(0))
  })
  second.calls.on('stop', () => new Promise(() => {}))
  const stopped = crew.stop(1000)
  expect(third.signals).toEqual(['SIGKILL'])
  while (asked.length === 0) await Promise.resolve()
  const deadline = later.find(({ ms }) => ms > 1000)
  deadline?.run()
  for (const { run } of [...later]) run()
  await stopped
  expect(second.signals).toContain('SIGKILL')
  expect(asked).toEqual([1000])
})

test('Counters never go down: not by a crash, and not by a worker that is too busy to answer.', async () => {
  const member = (number: number) =>
    ({
      number,
      worker: undefined,
      calls: undefined,
      isReady: true,
      startedAt: 0,
      crashes: 0,
      silences: 0,
    }) as const
  const [one, two] = [member(1), member(2)]
  const text = (count: number): string =>
    `# HELP toolwire_requests_total R\n# TYPE toolwire_requests_total counter\ntoolwire_requests_total{route="a"} ${count}\n`
  let answers: readonly (readonly [typeof one | typeof two, unknown])[] = [
    [one, text(3)],
    [two, text(4)],
  ]
  const crew = { askAll: async () => answers, ready: [one, two], restarts: 1 }
  const metrics = new CrewMetrics(() => crew as unknown as Crew)
  expect(await metrics.text()).toContain('toolwire_requests_total{route="a"} 7')
  answers = [[one, text(5)]]
  expect(await metrics.text()).toContain('toolwire_requests_total{route="a"} 9')
  metrics.keep(two)
  answers = [
    [one, text(5)],
    [two, text(1)],
  ]
  const last = await metrics.text()
  expect(last).toContain('toolwire_requests_total{route="a"} 10')
  expect(last).toContain('toolwire_worker_requests_total{worker="2"} 5')
  expect(last).toContain('toolwire_worker_restarts_total 1')
})
