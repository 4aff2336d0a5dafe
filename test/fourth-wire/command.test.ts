/** The command with a wire that it does not know, from a module or from a configuration. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { runConfig } from '../../packages/toolwire/src/cli/config.ts'
import { toolwire } from '../../packages/toolwire/src/cli/memory-io.test-helper.ts'
import { argumentsOf, createStage } from '../../packages/toolwire/src/cli/serve/environment.test-helper.ts'
import { serve } from '../../packages/toolwire/src/cli/serve/serve.ts'
import { queryModels } from '../../packages/toolwire/src/cli/upstreams/ask-models.ts'
import { WireSet } from '../../packages/toolwire/src/config/wires.ts'
import { relay } from './wire/index.ts'

const programs = { 'relay.js': () => ({ relay }), 'list.js': () => ({ default: [relay] }) }
const request = {
  talk: [{ by: 'human', say: 'Weather in Oslo?' }],
  toolbox: [
    { called: 'get_weather', about: 'Tells the weather.', takes: { type: 'object', properties: {} } },
  ],
}

async function run(argv: readonly string[], input: unknown): Promise<{ stdout: string; stderr: string }> {
  const stdin = typeof input === 'string' ? input : JSON.stringify(input)
  const { code, stdout, stderr } = await toolwire([...argv, '--wires', 'relay.js'], { programs, stdin })
  expect([code, stderr.replace(/^.*\.$/gm, '').trim()]).toEqual([0, expect.any(String)])
  return { stdout, stderr }
}

test('A Relay request is recognised and converted, and comes back as it was.', async () => {
  const there = await run(['convert', 'request', '--to', 'chat'], request)
  expect(there.stderr).toContain('Read as relay')
  expect(JSON.parse(there.stdout)).toMatchObject({
    messages: [{ role: 'user', content: 'Weather in Oslo?' }],
  })
  const back = await run(['convert', 'request', '--to', 'relay'], there.stdout)
  expect(JSON.parse(back.stdout)).toMatchObject({ talk: request.talk })
})

test('The tools of a Relay body are converted, and named by their fields.', async () => {
  const { stdout, stderr } = await run(['convert', 'tools', '--to', 'messages'], request)
  expect(stderr).toContain('only its tool part (toolbox)')
  expect(JSON.parse(stdout)).toMatchObject({ tools: [{ name: 'get_weather' }] })
})

test('A Relay answer and a Relay stream are recognised and converted.', async () => {
  const answer = { reply: 'r1', model: 'm', say: 'Rain', ended: 'done' }
  const whole = await run(['convert', 'response', '--to', 'chat'], answer)
  expect(JSON.parse(whole.stdout)).toMatchObject({ choices: [{ message: { content: 'Rain' } }] })
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
  const delta = { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: 'Rain' } }] }
  const end = { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
  const events = `data: ${JSON.stringify(delta)}\n\ndata: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`
  const lines = await run(['convert', 'stream', '--to', 'relay'], events)
  expect(lines.stdout).toContain('{"say":"Rain"}\n')
  const back = await run(['convert', 'stream', '--to', 'chat'], lines.stdout)
  expect(back.stderr).toContain('Read as relay')
  expect(back.stdout).toContain('"content":"Rain"')
})

test('A document is compared on all four wires.', async () => {
  const { stdout } = await run(['diff', '--json'], request)
  expect(Object.keys(JSON.parse(stdout))).toEqual(['chat', 'responses', 'messages', 'relay'])
  const shown = await run(['diff'], { messages: [{ role: 'user', content: 'Hi' }], logprobs: true })
  expect(shown.stdout).toMatch(/Chat · source.*Responses.*Messages.*Relay/)
  // R is taken by Responses.
  expect(shown.stdout).toContain('E: lost on Relay.')
})

test('Lint and tokens take the wire by its name and by its looks.', async () => {
  const lint = await toolwire(['lint', '--wires', 'relay.js', '--target', 'relay,chat'], {
    programs,
    stdin: JSON.stringify(request),
  })
  expect([lint.code, lint.stderr]).toEqual([0, expect.stringContaining('Read as relay')])
  const { stdout } = await run(['tokens', '--wire', 'relay', '--encoding', 'estimate', '--json'], request)
  expect(JSON.parse(stdout)).toMatchObject({ wire: 'relay', parts: expect.any(Array) })
})

test('Help lists the wire beside the built-in ones, and unknown names are answered with all of them.', async () => {
  const help = await toolwire(['convert', '--help', '--wires', 'list.js'], { programs })
  expect(help.stdout).toContain('chat, responses, messages, relay')
  const wrong = await toolwire(['diff', '--wires', 'list.js', '--from', 'rela'], { programs, stdin: '{}' })
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Did you mean "relay"?')])
})

/** The facets of the wire under another name, with the routes they had. */
function facetsNamed(wire: string): object {
  return { tools: { ...relay.tools, wire }, conversation: { ...relay.conversation, wire } }
}

test.each([
  ['missing.js', {}, 'missing.js: no such file.', 'Name a module by its path'],
  ['no-such-package', {}, 'no-such-package: no such file.', 'or an installed package'],
  ['empty.js', { 'empty.js': () => ({ other: 1 }) }, 'empty.js exports no wire.', '"defineWire"'],
  ['taken.js', { 'taken.js': () => ({ relay: { ...relay, name: 'chat' } }) }, 'not a wire', '"defineWire"'],
  [
    'double.js',
    { 'double.js': () => ({ copy: { ...relay, ...facetsNamed('copy'), name: 'copy' }, relay }) },
    'has the route POST',
    'another path',
  ],
  ['broken.js', { 'broken.js': () => Promise.reject(new Error('No.')) }, 'It cannot be loaded: No.', ''],
])('"--wires %s" is refused with a reason and a remedy.', async (name, programs, message, remedy) => {
  const { code, stderr } = await toolwire(['diff', '--wires', name], { programs, stdin: '{}' })
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  expect(stderr).toContain(remedy)
})

const upstream = { name: 'mine', wire: 'relay', baseUrl: 'http://127.0.0.1:9/relay' }

async function config(argv: readonly string[], settings: object): Promise<[number, string]> {
  const { io, world, printed } = createStage({
    programs: { 'toolwire.config.js': () => ({ default: settings }) },
  })
  const code = await runConfig(argumentsOf('config', argv), io, world)
  return [code, printed.stdout + printed.stderr]
}

test('A configuration adds the wire and speaks it.', async () => {
  expect(await config(['check'], { wires: [relay], upstreams: [upstream] })).toEqual([
    0,
    'toolwire.config.js is fine: 1 upstream.\n',
  ])
  const [, printed] = await config(['print', '--json'], { wires: [relay], upstreams: [upstream] })
  expect(JSON.parse(printed)).toMatchObject({ wires: ['relay'], upstreams: [{ wire: 'relay' }] })
})

test('A configuration that names a wire which nobody adds is refused, and so is a wire that is none.', async () => {
  expect(await config(['check'], { upstreams: [upstream] })).toEqual([
    3,
    expect.stringContaining('"upstreams[0].wire" must be one of chat, responses, messages; got "relay".'),
  ])
  expect(await config(['check'], { wires: [{ name: 'x' }] })).toEqual([
    3,
    expect.stringContaining('"wires[0]" is not a wire'),
  ])
  expect(await config(['check'], { wires: [relay, { ...relay }] })).toEqual([
    3,
    expect.stringContaining('"wires[1]" has the name "relay", which is taken.'),
  ])
})

test('A wire of the configuration and another of --wires cannot have one name.', async () => {
  const programs = { 'toolwire.config.js': () => ({ default: { wires: [{ ...relay }] } }) }
  const { io, world, printed } = createStage({ programs })
  const check = argumentsOf('config', ['check'])
  expect(await runConfig(check, io, world, new WireSet([relay]))).toBe(3)
  expect(printed.stderr).toContain('has a wire "relay", and so has a module of --wires.')
})

test('A profile in the configuration is checked against the wire.', async () => {
  const [code, text] = await config(['check'], {
    wires: [relay],
    upstreams: [{ ...upstream, profile: { customTools: true } }],
  })
  expect([code, text]).toEqual([3, expect.stringContaining('customTools')])
})

async function withGateway(
  settings: object,
  use: (url: string, printed: string) => Promise<void>,
): Promise<void> {
  const stage = createStage({ programs: { 'toolwire.config.js': () => ({ default: settings }) } })
  const code = serve(argumentsOf('serve', ['--port', '0', '--store', 'memory']), stage.io, stage.world)
  await Promise.race([stage.until('# Relay'), code])
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(stage.printed.stdout)?.[0] ?? ''
  try {
    await use(url, stage.printed.stdout)
  } finally {
    stage.signal()
    expect(await code).toBe(0)
  }
}

async function post(url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json()
}

test('A gateway with the wire serves its clients, and prints a request to try.', async () => {
  await withGateway({ wires: [relay] }, async (url, printed) => {
    expect(printed).toMatch(/# Relay\n {2}curl -sS http:.*\/relay\/demo\/run /)
    const { path, body } = relay.service.example('demo')
    expect(await post(url + path, body)).toMatchObject({ use: [{ tool: 'get_weather' }], ended: 'use' })
  })
})

test('A gateway reaches a model on the wire, and the models of such an upstream can be listed.', async () => {
  const seen: unknown[] = []
  const server = createServer((request, response) => {
    seen.push([request.method, request.url, request.headers['x-relay-pass']])
    const answer = { reply: 'r1', model: 'm', say: 'Rain', ended: 'done' }
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(request.url === '/relay/models' ? { names: ['m'] } : answer))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const baseUrl = `http://127.0.0.1:${port}/relay`
  const upstreams = [{ ...upstream, baseUrl, apiKey: 'secret', models: ['m'] }]
  await withGateway({ wires: [relay], upstreams }, async url => {
    const body = { model: 'm', messages: [{ role: 'user', content: 'Weather?' }] }
    expect(await post(`${url}/v1/chat/completions`, body)).toMatchObject({
      choices: [{ message: { content: 'Rain' } }],
    })
  })
  expect(seen).toEqual([['POST', '/relay/m/run', 'secret']])
  const wires = new WireSet([relay])
  const listed = await queryModels({ ...upstream, baseUrl, apiKey: 'secret' }, wires, fetch, 5_000)
  expect(listed).toEqual({ status: 200, models: ['m'] })
  await new Promise(resolve => server.close(resolve))
})
