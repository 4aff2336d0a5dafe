/** What keeping a response costs in each store, beside keeping none, and how storage grows with a conversation. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { startLoad, startUpstream } from '../gateway/run-gateway.mjs'
import { requestFor, upstreamModes } from '../gateway/scenes.mjs'
import { growthExponent, median, spread } from '../lib/stats.mjs'
import { startServed } from './served.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const load = createRequire(import.meta.url)
const model = 'bench-model'

/** Like those of the other parts, which keep nothing, but for that. */
function storedRequest() {
  const request = requestFor('responses', model)
  return { ...request, body: JSON.stringify({ ...JSON.parse(request.body), store: true }) }
}

/** The servers that the tests start too; a store whose server is not installed is left out. */
async function startServers() {
  const folder = mkdtempSync(join(root, 'node_modules/.cache-servers-'))
  const outfile = join(folder, 'servers.mjs')
  await build({
    entryPoints: [join(root, 'test/support/servers/servers.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    outfile,
    logLevel: 'error',
  })
  const { startRedis, startPostgres } = await import(pathToFileURL(outfile).href)
  rmSync(folder, { recursive: true, force: true })
  return { redis: await startRedis(), postgres: await startPostgres() }
}

async function redisBytes(url) {
  const client = load('@redis/client').createClient({ url })
  await client.connect()
  const script = `local sum = 0
    for _, key in ipairs(redis.call('KEYS', '{toolwire}:*')) do sum = sum + redis.call('MEMORY', 'USAGE', key, 'SAMPLES', 0) end
    return sum`
  const bytes = await client.sendCommand(['EVAL', script, '0'])
  client.destroy()
  return Number(bytes)
}

async function postgresBytes(url) {
  const client = new (load('pg').Client)({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(
    `SELECT ((SELECT coalesce(sum(pg_column_size(r.*)), 0) FROM toolwire.records r)
       + (SELECT coalesce(sum(pg_column_size(i.*)), 0) FROM toolwire.items i))::text AS bytes`,
  )
  await client.end()
  return Number(rows[0].bytes)
}

/** A copy without gaps, as large as what is kept. */
function sqliteBytes(path) {
  const copy = `${path}-copy-${Date.now()}`
  const bin = join(root, 'packages/toolwire/bin/toolwire.js')
  const { status, stderr } = spawnSync(process.execPath, [bin, 'store', 'backup', copy, '--store', path], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`toolwire store backup failed: ${stderr}`)
  const { size } = statSync(copy)
  rmSync(copy)
  return size
}

async function growth(store, { port }, longest) {
  const points = []
  const empty = await store.bytes()
  let previous
  /** The model of the benchmark calls tools, whose results come with the next turn. */
  let results = []
  for (let turn = 1; turn <= longest; turn++) {
    const said = { role: 'user', content: `Turn ${turn}. ${'It rained all day. '.repeat(50)}` }
    const body = { model, input: [...results, said], ...(previous && { previous_response_id: previous }) }
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`http://127.0.0.1:${port}/v1/responses`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${store.name}, turn ${turn}: ${answer.status} ${text}`)
    const { id, output } = JSON.parse(text)
    previous = id
    results = output
      .filter(({ type }) => type === 'function_call')
      .map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'done' }))
    if (turn >= longest / 8 && Number.isInteger(Math.log2(longest / turn))) {
      points.push({ size: turn, cost: (await store.bytes()) - empty })
    }
  }
  return { points, exponent: growthExponent(points) }
}

export async function runStores({ quick, say }) {
  const servers = await startServers()
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-bench-stores-'))
  const path = join(folder, 'responses.sqlite')
  const stores = [
    { name: 'none', args: ['--store', 'none'] },
    { name: 'memory', args: ['--store', 'memory'] },
    { name: 'sqlite', args: ['--store', path], bytes: async () => sqliteBytes(path) },
    ...Object.entries(servers).flatMap(([name, server]) =>
      server === undefined
        ? []
        : [
            {
              name,
              args: ['--store', server.url],
              bytes: () => (name === 'redis' ? redisBytes(server.url) : postgresBytes(server.url)),
            },
          ],
    ),
  ]
  const upstream = startUpstream()
  const asker = startLoad()
  const { port: upstreamPort } = await upstream.ask('listen')
  await upstream.ask('set', upstreamModes.json)
  const rows = []
  try {
    for (const store of stores) {
      const served = await startServed({ upstreamPort, args: store.args })
      rows.push({ store, served, cost: [], runs: [] })
      const grown = store.bytes === undefined ? undefined : await growth(store, served, quick ? 64 : 256)
      rows.at(-1).growth = grown
      say(
        `stores: ${store.name}${grown === undefined ? '' : `, storage grows with exponent ${grown.exponent.toFixed(3)}`}`,
      )
      await asker.ask('run', {
        ...storedRequest(),
        port: served.port,
        connections: 16,
        warmMs: 0,
        durationMs: quick ? 4000 : 15_000,
      })
    }
    for (let round = 0; round < (quick ? 3 : 8); round++) {
      for (const { served, cost, runs } of rows) {
        const given = { ...storedRequest(), port: served.port, pids: served.pids() }
        cost.push(
          (await asker.ask('batch', { ...given, connections: 16, answers: quick ? 600 : 3000 })).cpuMsEach,
        )
        runs.push(
          await asker.ask('run', { ...given, connections: 16, warmMs: 200, durationMs: quick ? 1000 : 3000 }),
        )
      }
      say(
        `stores: round ${round + 1}, CPU ms each ${rows.map(({ store, cost }) => `${store.name} ${cost.at(-1).toFixed(3)}`).join(', ')}`,
      )
    }
  } finally {
    await Promise.all([...rows.map(({ served }) => served.stop()), upstream.stop(), asker.stop()])
    await Promise.all(Object.values(servers).map(server => server?.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
  const embedded = rows.find(({ store }) => store.name === 'sqlite')
  return rows.map(({ store, cost, runs, growth: grown }) => ({
    store: store.name,
    cpuMsEach: median(cost),
    overEmbedded: spread(cost.map((each, round) => each / embedded.cost[round])),
    perSecond: median(runs.map(({ perSecond }) => perSecond)),
    p50: median(runs.map(({ p50 }) => p50)),
    p99: median(runs.map(({ p99 }) => p99)),
    wrong: runs.reduce((sum, { wrong }) => sum + wrong, 0),
    exponent: grown?.exponent,
    points: grown?.points,
  }))
}
