import { expect, test } from 'vitest'
import { builtInWireSet } from '../../config/wires.ts'
import { argumentsOf, createStage, type Setup } from '../serve/environment.test-helper.ts'
import { printEnv } from './env.ts'

async function printed(argv: readonly string[], setup: Setup = {}): Promise<string> {
  const stage = createStage(setup)
  await printEnv(argumentsOf('env', argv), stage.io, stage.world, builtInWireSet)
  return stage.printed.stdout
}

test('The lines are for the gateway of the configuration.', async () => {
  const files = { 'toolwire.config.json': '{"port": 5151}' }
  const text = await printed(['claude'], { files })
  expect(text).toContain('export ANTHROPIC_BASE_URL=http://127.0.0.1:5151\n')
  expect(text).toContain('export ANTHROPIC_AUTH_TOKEN=toolwire\n')
  expect(text.trimEnd().split('\n').at(-1)).toBe('# claude')
})

test('Where the gateway asks for a key, the variable that holds it is named, and not the key.', async () => {
  const files = { 'toolwire.config.json': '{"keysEnv": "MY_KEY"}' }
  const text = await printed(['codex'], { files, env: { MY_KEY: 'canary' } })
  expect(text).toContain('export TOOLWIRE_KEY="$MY_KEY"\n')
  expect(text).not.toContain('canary')
})

test('Flags that a shell would split are one word each.', async () => {
  const text = await printed(['codex', '--model', "it's"])
  expect(text).toContain(String.raw`-c 'model="it'\''s"'`)
})

test('An agent that needs a model gets a place for one, and that is said.', async () => {
  for (const [argv, told] of [
    [['qwen'], 'MODEL stands for the name of a model: --model gives it.\n'],
    [['qwen', '--model', 'm'], ''],
    [['claude'], ''],
  ] as const) {
    const stage = createStage()
    await printEnv(argumentsOf('env', argv), stage.io, stage.world, builtInWireSet)
    expect(stage.printed.stderr).toBe(told)
  }
})

test('As JSON the same is for programs.', async () => {
  const all = JSON.parse(await printed(['claude', '--json', '--model', 'm']))
  expect(all).toMatchObject({ command: 'claude', env: { ANTHROPIC_MODEL: 'm' }, args: [] })
  expect(all.unset).toContain('ANTHROPIC_API_KEY')
})

test.each([
  [[], 'Say for which agent.'],
  [['codexx'], 'There is no agent "codexx".'],
  [['codex', 'claude'], 'One agent at a time, please.'],
])('The words %j are refused.', async (argv, message) => {
  await expect(printed(argv)).rejects.toThrow(message)
})
