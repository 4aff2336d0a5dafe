/**
 * `deploy/compose.scale.yaml` without its engine: a real nginx with the file that it mounts, two gateways that are started as it
 * starts them, and a real server for the store.
 */
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { parse } from 'yaml'
import type { BuiltCommand } from '../../packages/toolwire/src/cli/serve/built-command.test-helper.ts'
import { buildCommand } from '../../packages/toolwire/src/cli/serve/built-command.test-helper.ts'
import { root } from '../support/house/source.ts'
import { startNginx } from '../support/servers/nginx.ts'
import { ask, Member } from './members.ts'
import { openPlace } from './places.ts'

let command: BuiltCommand

beforeAll(async () => {
  command = await buildCommand()
})

afterAll(() => command.remove())

/** The words of a gateway in the file, with a store and a model server of this test. */
function wordsFor(store: string, upstream: string): readonly string[] {
  const { services } = parse(readFileSync(join(root, 'deploy/compose.scale.yaml'), 'utf8'), { merge: true })
  const [serve, ...words]: string[] = services['gateway-1'].command
  expect(serve).toBe('serve')
  const own: Record<string, string> = {
    // Two of them are on one machine here.
    '--host': '127.0.0.1',
    '--health-port': '0',
    '--store': store,
    '--upstream': `chat=${upstream}`,
  }
  return words.map(word => {
    const [name = '', value = ''] = word.split(/=(.*)/s)
    return `${name}=${own[name] ?? value}`
  })
}

interface Model {
  readonly url: string
  /** Lets the answers go on that wait after their first word. */
  goOn(): void
  stop(): void
}

/** Says one word, and the other one when it is told to. */
async function startModel(): Promise<Model> {
  const waiting: (() => void)[] = []
  const server = createServer((request, response) => {
    request.resume().once('end', () => answer(response, waiting))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    goOn: () => waiting.splice(0).forEach(goOn => void goOn()),
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function answer(response: ServerResponse, waiting: (() => void)[]): void {
  response.setHeader('content-type', 'text/event-stream')
  const say = (delta: object, finish_reason: string | null): void => {
    const choices = [{ index: 0, delta, finish_reason }]
    response.write(
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`,
    )
  }
  say({ role: 'assistant', content: 'Once ' }, null)
  waiting.push(() => {
    say({ content: 'upon.' }, null)
    say({}, 'stop')
    response.end('data: [DONE]\n\n')
  })
}

/** The text of a response that is made on a WebSocket. */
function askSocket(address: string, onWord: () => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address, { headers: { authorization: 'Bearer key-0' } })
    socket.once('error', reject)
    socket.once('open', () =>
      socket.send(JSON.stringify({ type: 'response.create', model: 'm', input: 'Hi.', store: true })),
    )
    socket.on('message', data => {
      const text = String(data)
      const { type } = JSON.parse(text)
      if (type === 'response.output_text.delta' && text.includes('Once')) onWord()
      if (type !== 'response.completed' && type !== 'error') return
      socket.close()
      resolve(text)
    })
  })
}

const idIn = (text: string): string => /"id":"(resp_\w+)"/.exec(text)?.[1] ?? ''
const body = { model: 'm', input: 'Hi.', stream: true }

// Both wait for a lease to run out.
test.concurrent.each(['redis', 'postgres'] as const)(
  'Behind nginx, two gateways on %s stream without delay, go on with what the other began, and one is enough.',
  async name => {
    const place = await openPlace(name)
    if (place === undefined) return
    const model = await startModel()
    const words = wordsFor(place.store, model.url)
    const start: BuiltCommand['start'] = (argv, env) =>
      command.start(argv, { TOOLWIRE_KEYS: 'key-0,key-1', ...env })
    const one = new Member(start, words)
    const other = new Member(start, words)
    try {
      for (const member of [one, other]) await member.begin()
      const hostOf = async (member: Member): Promise<string> => new URL(await member.url).host
      const nginx = await startNginx(join(root, 'deploy/nginx.scale.conf'), {
        'gateway-1:4141': await hostOf(one),
        'gateway-2:4141': await hostOf(other),
      })
      if (nginx === undefined) return
      try {
        const path = `${nginx.url}/v1/responses`
        // The model goes on only when the client has its first word: a balancer that held it back would wait for ever.
        const onWord = (text: string): boolean => {
          if (text.includes('"delta":"Once "')) model.goOn()
          return false
        }
        const streamed = await ask(path, 0, { body, enough: onWord })
        expect(streamed.text).toContain('Once upon.')
        expect(await askSocket(path.replace('http', 'ws'), () => model.goOn())).toContain('Once upon.')

        const begun = await one.ask('/v1/responses', 0, {
          body: { ...body, background: true },
          enough: text => text.includes('"delta":"Once "'),
        })
        const listen = `${path}/${idIn(begun.text)}?stream=true&starting_after=1`
        const heard = await ask(listen, 0, { enough: onWord })
        expect(heard.text).toContain('response.completed')
        expect((await ask(`${path}/${idIn(begun.text)}`, 1)).status).toBe(404)

        const left = await one.ask('/v1/responses', 0, {
          body: { ...body, background: true },
          enough: text => text.includes('"delta":"Once "'),
        })
        await one.kill()
        // No request is lost with it: those that were not sent go to the other one.
        for (let n = 0; n < 6; n++) {
          const next = { ...body, previous_response_id: idIn(streamed.text) }
          const reply = await ask(path, 0, { body: next, enough: onWord })
          expect([reply.status, reply.isWhole, reply.text.includes('response.completed')]).toEqual([
            200,
            true,
            true,
          ])
        }
        const ended = await ask(`${path}/${idIn(left.text)}?stream=true`, 0)
        expect(ended.text).toContain('"code":"server_restart"')
      } finally {
        await nginx.stop()
      }
    } finally {
      await Promise.all([one.kill(), other.kill()])
      model.stop()
      await place.stop()
    }
  },
  120_000,
)
