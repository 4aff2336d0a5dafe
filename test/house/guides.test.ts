/** What the guides show works: programs run against the demo model, commands run, the image's tree serves. */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blocksOf, deadLinksOf, documents, shellLinesOf } from '../support/house/documents.ts'
import { root } from '../support/house/source.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolwire-guides-'))
const bin = 'node_modules/toolwire/bin/toolwire.js'
const guides = documents.filter(file => file.startsWith('docs/'))
const jsonHeaders = { 'content-type': 'application/json' }
const name = (file: string, index: number): string => `${file}, block ${index + 1}`

beforeAll(() => {
  // The image holds what this makes.
  execFileSync('sh', ['deploy/build-tree.sh', folder], { cwd: root, stdio: 'pipe' })
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Served {
  readonly url: string
  stop(): Promise<void>
}

/** Starts the tree's gateway and waits for the line with its address. */
function serve(args: readonly string[], options: object = {}): Promise<Served> {
  const child = spawn(process.execPath, [join(folder, bin), 'serve', '--port', '0', ...args], {
    env: { PATH: process.env.PATH, HOME: folder },
    ...options,
  })
  const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
  return new Promise((resolve, reject) => {
    let printed = ''
    const onText = (chunk: Buffer): void => {
      printed += String(chunk)
      const url = printed.match(/http:\/\/127\.0\.0\.1:\d+/)?.[0]
      if (url !== undefined)
        resolve({
          url,
          stop() {
            child.kill('SIGTERM')
            return exited
          },
        })
    }
    child.stdout?.on('data', onText)
    child.stderr?.on('data', onText)
    child.once('exit', code => reject(new Error(`serve ended with ${code}: ${printed}`)))
  })
}

describe('The programs of the guides', () => {
  let gateway: Served
  beforeAll(async () => {
    gateway = await serve(['--demo', '--store', 'memory'])
  })
  afterAll(() => gateway.stop())

  const programs = guides.flatMap(file => blocksOf(file, 'js').map((block, i) => ({ ...block, i })))
  test.each(programs.map(({ file, i, code }) => [name(file, i), code]))(
    'The program of %s prints an answer.',
    async (_, code) => {
      const program = code.replaceAll('http://127.0.0.1:4141', gateway.url)
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        // Where the clients are.
        cwd: join(root, 'test'),
      })
      let printed = ''
      child.stdout.on('data', chunk => (printed += String(chunk)))
      child.stderr.on('data', chunk => (printed += String(chunk)))
      expect([await new Promise(resolve => child.once('exit', resolve)), printed]).toEqual([
        0,
        expect.stringMatching(/\w/),
      ])
    },
  )
})

describe('The commands of the README and the guides', () => {
  const lines = documents.flatMap(shellLinesOf).map(line => line.replace(/^npx /, ''))
  const commands = [...new Set(lines)].filter(line => line.startsWith('toolwire '))
  const withServers = new Set(['codex', 'claude', 'opencode', 'qwen', 'continue'])
  const env = { PATH: process.env.PATH, HOME: folder }

  test.each(commands.filter(line => withServers.has(line.split(' ')[1] ?? '')))(
    'The command `%s` would start its agent.',
    line => {
      // No model server runs here; the demo model stands in for it.
      const [word, agent, ...rest] = line.split(' ')
      const tried = [word, agent, '--demo', '--dry-run', ...rest].join(' ')
      const script = `toolwire() { '${process.execPath}' '${join(folder, bin)}' "$@"; }; ${tried}`
      expect(execFileSync('sh', ['-c', script], { env, encoding: 'utf8', stdio: 'pipe' })).toContain(
        '127.0.0.1',
      )
    },
  )

  test.each(commands.filter(line => line.startsWith('toolwire serve ')))(
    'The command `%s` serves.',
    async line => {
      const gateway = await serve([...line.split(' ').slice(2), '--store', 'memory'])
      expect((await fetch(`${gateway.url}/live`)).status).toBe(200)
      await gateway.stop()
    },
  )

  test('The commands for the store work on what a gateway has stored.', async () => {
    const gateway = await serve(['--demo'])
    const body = JSON.stringify({ model: 'demo', input: 'Say hello.' })
    await fetch(`${gateway.url}/v1/responses`, { method: 'POST', headers: jsonHeaders, body })
    await gateway.stop()
    const stored = commands.filter(line => line.startsWith('toolwire store '))
    expect(stored).toHaveLength(3)
    for (const line of stored) {
      const args = line.replace('/backups', folder).split(' ').slice(1)
      expect(() =>
        execFileSync(process.execPath, [join(folder, bin), ...args], { env, stdio: 'pipe' }),
      ).not.toThrow()
    }
  })
})

test.runIf(process.getuid?.() === 0)(
  'The tree of the image serves as another user than root, with nothing to write but the folder for data.',
  async () => {
    const data = mkdtempSync(join(tmpdir(), 'toolwire-data-'))
    chmodSync(data, 0o777)
    chmodSync(folder, 0o755)
    const nobody = 65_534
    const gateway = await serve(['--demo', '--store', join(data, 'responses.sqlite')], {
      cwd: data,
      uid: nobody,
      gid: nobody,
    })
    const body = JSON.stringify({ model: 'demo', input: 'Say hello.' })
    const made = (await (
      await fetch(`${gateway.url}/v1/responses`, { method: 'POST', headers: jsonHeaders, body })
    ).json()) as { id: string }
    const stored = await fetch(`${gateway.url}/v1/responses/${made.id}`)
    await gateway.stop()
    rmSync(data, { recursive: true })
    expect(stored.status).toBe(200)
  },
)

test.each(documents)('Every file that %s links to exists.', file => expect(deadLinksOf(file)).toEqual([]))
