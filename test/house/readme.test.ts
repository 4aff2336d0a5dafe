/** Everything the README shows runs, against the packages as installed. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
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

  // The others need a model server, or run until they are stopped.
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

test('Every file the README links to exists.', () => {
  const links = [...readme.matchAll(/\]\((?!http)([^)#]+)\)/g)].map(match => match[1] ?? '')
  expect(links.length).toBeGreaterThan(3)
  for (const link of links) expect(() => execFileSync('test', ['-e', link], { cwd: root })).not.toThrow()
})
