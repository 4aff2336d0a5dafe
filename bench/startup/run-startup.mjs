/** From the start of the process to the first answered request; the size of what is installed; the size of bundles. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { startLoad, startUpstream } from '../gateway/run-gateway.mjs'
import { requestFor, upstreamModes } from '../gateway/scenes.mjs'
import { folderBytes } from '../lib/folder-bytes.mjs'
import { spread } from '../lib/stats.mjs'
import { startPeer } from '../peers/peer.mjs'
import { toolwireServe } from '../peers/toolwire-serve.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

async function measureReady(runs) {
  const upstream = startUpstream()
  const load = startLoad()
  const { port: upstreamPort } = await upstream.ask('listen')
  await upstream.ask('set', upstreamModes.json)
  const stage = {
    upstreamPort,
    once: given => load.ask('once', { ...given, timeoutMs: 5000 }),
    request: ({ from }, model) => requestFor(from, model),
  }
  const times = []
  try {
    for (let i = 0; i < runs; i++) {
      const running = await startPeer(toolwireServe, '', stage)
      times.push(running.readyMs)
      await running.close()
    }
  } finally {
    await Promise.all([upstream.stop(), load.stop()])
  }
  return spread(times)
}

function bareNode(runs) {
  const times = []
  for (let i = 0; i < runs; i++) {
    const started = performance.now()
    spawnSync(process.execPath, ['-e', '0'])
    times.push(performance.now() - started)
  }
  return spread(times)
}

/** Packs both packages and installs them as a user would, in a folder of its own. */
function measureInstalled() {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-bench-install-'))
  const npm = (args, cwd) => {
    const { status, stdout, stderr } = spawnSync('npm', [...args, '--loglevel=error'], {
      cwd,
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`npm ${args[0]} failed: ${stderr.trim().split('\n').at(-1)}`)
    return stdout.trim().split('\n').at(-1) ?? ''
  }
  try {
    const packed = ['core', 'toolwire'].map(name =>
      join(folder, npm(['pack', '--pack-destination', folder], join(root, 'packages', name))),
    )
    const sizes = {}
    for (const [name, tarballs] of Object.entries({
      '@toolwire/core': packed.slice(0, 1),
      toolwire: packed,
    })) {
      const place = join(folder, name.replace('/', '-'))
      mkdirSync(place)
      writeFileSync(join(place, 'package.json'), '{"private":true}')
      npm(['install', '--no-audit', '--no-fund', '--ignore-scripts', ...tarballs], place)
      sizes[name] = folderBytes(join(place, 'node_modules'))
    }
    return sizes
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const entries = {
  'convertTools alone': "export { convertTools } from '@toolwire/core'",
  'createExchange alone': "export { createExchange } from '@toolwire/core'",
  'all of @toolwire/core': "export * from '@toolwire/core'",
}

async function measureBundles() {
  const out = {}
  for (const [name, contents] of Object.entries(entries)) {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: root },
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      platform: 'browser',
    })
    const [{ contents: bytes }] = outputFiles
    out[name] = { bytes: bytes.length, gzip: gzipSync(bytes).length }
  }
  return out
}

/** @param {{ quick: boolean, say: (text: string) => void }} options */
export async function runStartup({ quick, say }) {
  const runs = quick ? 3 : 9
  const node = bareNode(runs)
  const ready = await measureReady(runs)
  say('start-up: timed')
  const bundles = await measureBundles()
  const installed = measureInstalled()
  say('start-up: sizes taken')
  return { node, ready, bundles, installed }
}
