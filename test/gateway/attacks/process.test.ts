/** The process as a whole: what tools leave behind does not end it, and its health is known however busy it is. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  type BuiltCommand,
  buildCommand,
} from '../../../packages/toolwire/src/cli/serve/built-command.test-helper.ts'
import { type Served, send, startServed } from '../../support/attacks/served.ts'
import { close, listen } from '../../support/gateway/upstream.ts'

let command: BuiltCommand
let upstream: Server
let baseUrl: string
let folder: string
let served: Served

/** Calls the tool that is named in the request, and then repeats what it returned. */
function answer(body: { messages: { role: string; content: string }[] }): object {
  const last = body.messages.at(-1)
  const call = { id: 'call_1', type: 'function', function: { name: last?.content, arguments: '{}' } }
  const message =
    last?.role === 'tool'
      ? { role: 'assistant', content: `The tool returned: ${last.content}` }
      : { role: 'assistant', content: null, tool_calls: [call] }
  const finish_reason = last?.role === 'tool' ? 'stop' : 'tool_calls'
  return {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message, finish_reason }],
  }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolwire-process-'))
  command = await buildCommand()
  upstream = createServer((incoming, outgoing) => {
    let text = ''
    incoming.on('data', chunk => {
      text += String(chunk)
    })
    incoming.on('end', () => {
      // The command asks for models when it starts.
      if (text === '') outgoing.writeHead(404).end()
      else {
        outgoing
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify(answer(JSON.parse(text))))
      }
    })
  })
  baseUrl = `${await listen(upstream)}/v1`
}, 60_000)

afterEach(() => served.stop())

afterAll(async () => {
  command.remove()
  rmSync(folder, { recursive: true, force: true })
  await close(upstream)
})

async function start(tools: string, more = '', ...argv: string[]): Promise<Served> {
  const config = `
    import { existsSync, writeFileSync } from 'node:fs'
    export default {
      upstreams: [{ name: 'up', wire: 'chat', baseUrl: '${baseUrl}' }],
      store: { kind: 'none' },
      tools: [${tools}],
    }
    ${more}`
  served = await startServed(command, { config, argv })
  return served
}

const call = (tool: string): ReturnType<typeof send> =>
  send(`${served.url}/v1/chat/completions`, {
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: tool }] }),
  })

/** Each leaves a failure behind that no caller gets, during its call. */
const strays = {
  timer: 'setTimeout(() => { throw new Error("late") })',
  rejection: 'Promise.reject(new Error("late"))',
  'rejection in a timer': 'setTimeout(() => Promise.reject(new Error("late")))',
  'missing function': 'setImmediate(() => nothing())',
}

test.each(Object.entries(strays))(
  'A stray failure of a tool (%s) fails its call with a line in the log, and the process goes on.',
  async (_, stray) => {
    await start(`
      { name: 'stray', handler() { ${stray}; return new Promise(() => {}) } },
      { name: 'after', handler() { ${stray}; return 'done' } },
      { name: 'good', handler: () => 'fine' }`)
    expect(await call('stray')).toMatchObject({ status: 200, text: expect.stringContaining('returned:') })
    expect(await call('after')).toMatchObject({ status: 200 })
    expect(await call('good')).toMatchObject({ status: 200, text: expect.stringContaining('fine') })
    expect(served.log()).toContain('The tool "stray" failed outside of its call')
    expect(served.child.exitCode).toBeNull()
  },
)

test.each(['throw new Error("elsewhere")', 'Promise.reject(new Error("elsewhere"))'])(
  'A stray failure that is not a tool’s (%s) still ends the process as a bug.',
  async failure => {
    const sign = join(folder, `sign-${Math.random()}`)
    await start('', `setInterval(() => { if (existsSync(${JSON.stringify(sign)})) { ${failure} } }, 20)`)
    writeFileSync(sign, '')
    expect(await served.exit).toBe(70)
    expect(served.log()).toContain('elsewhere')
  },
)

test('The health port answers while a tool keeps the gateway busy, and the gateway’s own port answers after it.', async () => {
  const [begun, end] = [join(folder, 'begun'), join(folder, 'end')]
  await start(
    `{ name: 'busy', handler() { writeFileSync('${begun}', ''); while (!existsSync('${end}')); return 'done' } }`,
    '',
    '--health-port',
    '0',
  )
  const health = served.healthUrl ?? ''
  expect(await send(`${health}/ready`)).toMatchObject({
    status: 200,
    text: expect.stringContaining('"ready"'),
  })
  const busy = call('busy')
  while (!existsSync(begun)) await new Promise(resolve => setTimeout(resolve, 10))
  let isAnswered = false
  const own = send(`${served.url}/live`).then(reply => {
    isAnswered = true
    return reply
  })
  for (let i = 0; i < 5; i++) {
    expect(await send(`${health}/live`)).toMatchObject({ status: 200, text: '{"status":"live"}' })
    expect((await send(`${health}/ready`)).status).toBeGreaterThan(0)
  }
  expect((await send(`${health}/other`)).status).toBe(404)
  expect(isAnswered).toBe(false)
  writeFileSync(end, '')
  expect(await own).toMatchObject({ status: 200 })
  expect(await busy).toMatchObject({ status: 200 })
})
