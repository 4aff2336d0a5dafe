/**
 * Blocks of the README and the guides that are no programs: configurations are checked as the command does, and files of
 * agents hold what the launchers give them. Programs and commands run in `readme.test.ts` and `guides.test.ts`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { toolwire } from '../../packages/toolwire/src/cli/memory-io.test-helper.ts'
import { blocksOf, documents, shellLinesOf } from '../support/house/documents.ts'
import { root } from '../support/house/source.ts'

interface Given {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly file?: string
}

/** What the launcher of an agent gives it. */
async function givenTo(agent: string, ...args: readonly string[]): Promise<Given> {
  const { stdout } = await toolwire(['env', agent, '--json', ...args])
  return JSON.parse(stdout) as Given
}

const withModel = ['--model', 'qwen3:8b']
const blockIn = (file: string, language: string): string => blocksOf(file, language)[0]?.code ?? ''

/** Keys differ: any text will do, unless the gateway has keys. */
const withoutKeys = (text: string): string =>
  text.replaceAll(/"apiKey":\s*"[^"]*",?/g, '').replaceAll(/,\s*}/g, '}')

describe('The configurations of the README and the guides', () => {
  const isOurs = ({ code }: { readonly code: string }): boolean => !code.includes('opencode.ai')
  const configurations = documents.flatMap(file =>
    blocksOf(file, 'json')
      .filter(isOurs)
      .map(({ code }, i) => [`${file}, block ${i + 1}`, code] as const),
  )

  test.each(configurations)(
    'The configuration of %s passes `toolwire config check` without a warning.',
    async (_, code) => {
      const keys = [...code.matchAll(/"\w*[kK]eyEnv": "(\w+)"/g)].map(([, key = '']) => [key, `sk-${key}`])
      const files = { 'toolwire.config.json': code }
      const {
        code: exit,
        stdout,
        stderr,
      } = await toolwire(['config', 'check', '--json'], {
        files,
        env: Object.fromEntries(keys),
      })
      expect([exit, stderr]).toEqual([0, ''])
      expect(JSON.parse(stdout)).toMatchObject({ warnings: [] })
    },
  )

  test('A setting that does not exist would be found.', async () => {
    const files = { 'toolwire.config.json': '{ "upstream": [] }' }
    expect((await toolwire(['config', 'check'], { files })).code).not.toBe(0)
  })
})

describe('The files of agents in the guides', () => {
  test('The TOML of Codex says what `toolwire env codex` gives as flags.', async () => {
    const { args } = await givenTo('codex', ...withModel)
    const lines = blockIn('docs/clients/codex.md', 'toml').split('\n')
    const [table = ''] = args.flatMap(arg => /^model_providers\.toolwire=\{(.*)\}$/.exec(arg)?.[1] ?? [])
    const settings = args.filter(arg => /^model(_provider)?=/.test(arg))
    const wanted = [...settings, ...table.split(',')]
      // The page tells of keys below the block.
      .filter(setting => !setting.startsWith('env_key='))
      .map(setting => setting.replace('=', ' = '))
    expect(lines.filter(line => line.includes(' = ')).sort()).toEqual(wanted.sort())
    expect(lines).toContain('[model_providers.toolwire]')
  })

  test('The JSON of opencode says what `toolwire env opencode` gives in a variable.', async () => {
    const { env } = await givenTo('opencode', ...withModel)
    const { small_model: _, ...given } = JSON.parse(withoutKeys(env.OPENCODE_CONFIG_CONTENT ?? '')) as Record<
      string,
      unknown
    >
    const { $schema, ...shown } = JSON.parse(blockIn('docs/clients/opencode.md', 'json')) as Record<
      string,
      unknown
    >
    expect($schema).toBe('https://opencode.ai/config.json')
    expect(shown).toEqual(given)
  })

  test('The YAML of Continue says what `toolwire env continue` gives as a file.', async () => {
    const { file = '' } = await givenTo('continue', ...withModel)
    expect(parse(blockIn('docs/clients/continue.md', 'yaml'))).toMatchObject(
      JSON.parse(file.replace('"apiKey": "toolwire"', '"apiKey": "any"')) as object,
    )
  })

  test.each([
    ['claude', 'docs/clients/claude-code.md'],
    ['qwen', 'docs/clients/qwen-code.md'],
  ])('The variables for %s are those of its launcher.', async (agent, file) => {
    const { args, env } = await givenTo(agent, ...withModel)
    const [line = ''] = shellLinesOf(file).filter(shown => /^\w+=/.test(shown))
    const shown = [...line.matchAll(/(\w+)=(\S+)/g)].map(
      ([, name = '', value = '']) => [name, value] as const,
    )
    expect(shown.length).toBeGreaterThan(1)
    for (const [name, value] of shown) expect(value === 'any' ? 'toolwire' : value).toBe(env[name])
    expect(line.endsWith([agent, ...args].join(' '))).toBe(true)
  })
})

/** What no test runs, and why. */
const notRun: readonly (readonly [beginning: string, why: string])[] = [
  ['npm ci && npm run check', 'this is the check'],
  ['npm ci && sudo sh deploy/build-tree.sh', 'the script runs in guides.test.ts, without becoming root'],
  ['docker ', 'no engine runs here; its steps run in guides.test.ts, its files are read in deploy.test.ts'],
  ['sudo ', 'it would change the machine; the unit is read in deploy.test.ts'],
  ['llama-server ', 'a server of somebody else'],
  ['vllm ', 'a server of somebody else'],
]
/** What `readme.test.ts`, `guides.test.ts` and the tests above run. */
const run = [/^npm ci && npm start$/, /^(npx )?toolwire \w+/, /^\w+=\S+ /]

test('Every block of the README and the guides is of a kind that some test runs or reads.', () => {
  const known = new Set(['sh', 'json', 'js', 'ts', 'toml', 'yaml', ''])
  const unknown = documents.flatMap(file => {
    const fences = [...readFileSync(join(root, file), 'utf8').matchAll(/^\s*```(\S*)$/gm)]
    return fences.map(([, language = '']) => language).filter(language => !known.has(language))
  })
  expect(unknown).toEqual([])
})

test('Every command of the README and the guides runs in some test, or it is said here why not.', () => {
  const lines = documents.flatMap(shellLinesOf)
  const isExcused = (line: string): boolean => notRun.some(([beginning]) => line.startsWith(beginning))
  expect(lines.filter(line => !isExcused(line) && !run.some(pattern => pattern.test(line)))).toEqual([])
  for (const [beginning] of notRun) expect(lines.some(line => line.startsWith(beginning))).toBe(true)
})
