/** Everything the README shows runs, against the packages as installed. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { blocksOf, documents } from '../support/house/documents.ts'
import { entryPoints, exportsOf } from '../support/house/exported.ts'
import { installPacked } from '../support/house/packed.ts'
import { root } from '../support/house/source.ts'

const readme = readFileSync(`${root}README.md`, 'utf8')
const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(match => match[1] ?? '')

describe('The snippets of the README', () => {
  const printed = blocks('js').map(code =>
    installPacked().run(process.execPath, ['--input-type=module', '-e', code]),
  )

  test('The first snippet serves a gateway.', () => expect(printed[0]).toContain("status: 'ready'"))

  test('The second snippet converts a request, reports a loss, and restores a call in the answer.', () => {
    expect(printed[1]).toContain("content: 'Fix the typo'")
    expect(printed[1]).toContain("'hosted_tool_dropped'")
    expect(printed[1]).toContain("type: 'custom_tool_call'")
    expect(printed[1]).toContain("input: '*** Begin Patch'")
  })

  test('The third snippet converts between two wires that are given as definitions.', () =>
    expect(printed[2]).toContain("content: 'Hi'"))

  test('The fourth snippet defines a tool and encodes it for each wire.', () => {
    expect(printed[3]?.match(/name: 'add'/g)).toHaveLength(3)
    for (const form of ['function: {', 'strict: false', 'input_schema: {']) expect(printed[3]).toContain(form)
  })

  test('The fifth snippet runs a conversation with a tool.', () =>
    expect(printed[4]).toMatch(/^It is 5\. 5 \d+/))

  test('The README has no other snippets.', () => expect(printed).toHaveLength(5))
})

describe('The examples in the comments of exports', () => {
  const examples = new Map(
    [...entryPoints().values()].flatMap(exportsOf).flatMap(({ name, file, comment = '' }) => {
      const lines = comment.replaceAll(/^ \* ?/gm, '')
      return [...lines.matchAll(/```js\n(.*?)```/gs)].map(match => [`${name} in ${file}`, match[1] ?? ''])
    }),
  )

  test.each([...examples])('The example of %s runs.', (_, code) => {
    expect(installPacked().run(process.execPath, ['--input-type=module', '-e', code])).toMatch(/\w/)
  })
})

describe('The commands of the README', () => {
  const commands = blocks('sh').flatMap(block => block.trim().split('\n'))

  test('Starting and checking take one command line each.', () => {
    expect(commands.slice(0, 2)).toEqual(['npm ci && npm start', 'npm ci && npm run check'])
  })

  // It builds first.
  test('`npm start` serves the demo model on every wire.', { timeout: 240_000 }, async () => {
    const home = mkdtempSync(join(tmpdir(), 'toolwire-start-'))
    const child = spawn('npm', ['start', '--', '--port', '0', '--store', 'memory'], {
      cwd: root,
      env: { PATH: process.env.PATH, HOME: home },
      // npm, a shell and the gateway are stopped together.
      detached: true,
    })
    const exited = new Promise(resolve => child.once('exit', resolve))
    try {
      const url = await new Promise<string>((resolve, reject) => {
        let printed = ''
        const onText = (chunk: Buffer): void => {
          printed += String(chunk)
          const found = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0]
          if (found !== undefined) resolve(found)
        }
        child.stdout.on('data', onText)
        child.stderr.on('data', onText)
        child.once('exit', code => reject(new Error(`npm start ended with ${code}: ${printed}`)))
      })
      const messages = [{ role: 'user', content: 'Say hello.' }]
      const bodies = {
        'chat/completions': { messages },
        responses: { input: 'Say hello.' },
        messages: { messages, max_tokens: 100 },
      }
      for (const [path, body] of Object.entries(bodies)) {
        const answer = await fetch(`${url}/v1/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'demo', ...body }),
        })
        expect([path, answer.status, await answer.text()]).toEqual([
          path,
          200,
          expect.stringMatching(/hello/i),
        ])
      }
    } finally {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
      await exited
      rmSync(home, { recursive: true, force: true })
    }
  })

  // `guides.test.ts` runs the others, which need a model server or run until they are stopped.
  test.each(commands.filter(command => /^npx toolwire (?!codex|claude|serve)/.test(command)))(
    'The command `%s` runs.',
    command => {
      installPacked()
      try {
        expect(execFileSync('sh', ['-c', command], { cwd: root, encoding: 'utf8', stdio: 'pipe' })).not.toBe(
          '',
        )
      } catch (error) {
        // Findings are what `lint` is shown for; any other exit is a mistake in the README.
        expect(error).toMatchObject({ status: 1, stdout: expect.stringContaining('mixed_shape') })
      }
    },
  )
})

describe('The blocks of TypeScript in the README and the guides', () => {
  const typed = documents.flatMap(file => blocksOf(file, 'ts'))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')

  test.each(typed)('The block of $file has no mistakes of types.', ({ code }) => {
    const { directory, run } = installPacked()
    // The facets of a wire are what its author writes.
    const facets = ['tools', 'conversation', 'service']
      .map(facet => `declare const ${facet}: import('@toolwire/core/wires').WireDefinition['${facet}']\n`)
      .join('')
    writeFileSync(join(directory, 'block.ts'), code.includes('defineWire(') ? facets + code : code)
    const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023']
    expect(run(process.execPath, [compiler, ...flags, 'block.ts'])).toBe('')
  })

  test('The configuration in TypeScript passes `toolwire config check`.', () => {
    const [block] = typed.filter(({ code }) => code.includes('defineConfig('))
    const { directory, run } = installPacked()
    // Node 20 reads no TypeScript.
    const { code } = transformSync(block?.code ?? '', { loader: 'ts', format: 'esm' })
    writeFileSync(join(directory, 'toolwire.config.js'), code)
    expect(run('npx', ['toolwire', 'config', 'check', '--json'])).toContain('"warnings": []')
  })
})

test('Every file the README links to exists.', () => {
  const links = [...readme.matchAll(/\]\((?!http)([^)#]+)\)/g)].map(match => match[1] ?? '')
  expect(links.length).toBeGreaterThan(3)
  for (const link of links) expect(() => execFileSync('test', ['-e', link], { cwd: root })).not.toThrow()
})
