import { expect, test } from 'vitest'
import { connectMcpServers } from './connect-servers.ts'
import { loadClient } from './load-client.ts'
import { mistakeIn } from './settings.ts'

test.each([
  [{ command: 'node' }],
  [{ command: 'node', args: ['a', ''], env: { A: '' }, cwd: '/tmp', timeoutMs: 5 }],
  [{ url: 'https://example.com/mcp', headers: { a: 'b' } }],
  [{ url: 'http://127.0.0.1:1/' }],
])('The server %j is valid.', server => expect(mistakeIn(server)).toBeUndefined())

test.each([
  ['text', 'must be an object'],
  [null, 'must be an object'],
  [[], 'must be an object'],
  [{}, 'either "command"'],
  [{ command: 'node', url: 'http://localhost' }, 'either "command"'],
  [{ command: ' ' }, '"command" must'],
  [{ command: ['node'] }, '"command" must'],
  [{ command: 'node', args: 'a b' }, '"args" must'],
  [{ command: 'node', args: [1] }, '"args" must'],
  [{ command: 'node', env: { A: 1 } }, '"env" must'],
  [{ command: 'node', cwd: 1 }, '"cwd" must'],
  [{ command: 'node', timeoutMs: 0 }, '"timeoutMs" must'],
  [{ url: 'example.com' }, '"url" must'],
  [{ url: 'file:///etc/passwd' }, '"url" must'],
  [{ url: 'http://localhost', headers: ['a'] }, '"headers" must'],
])('The server %j is invalid, and the message names the field.', async (server, words) => {
  expect(mistakeIn(server)).toContain(words)
  const { problems, tools } = await connectMcpServers({ bad: server as never })
  expect(problems).toMatchObject([{ server: 'bad', message: expect.stringContaining(words) }])
  expect(tools).toEqual([])
})

test('Without servers there are no tools.', async () => {
  const servers = await connectMcpServers({})
  expect(servers).toMatchObject({ tools: [], problems: [] })
  await servers.close()
})

test('The error for a missing package names the command to install it.', async () => {
  const missing = Object.assign(
    new Error("Cannot find package '@modelcontextprotocol/client' imported from x"),
    {
      code: 'ERR_MODULE_NOT_FOUND',
    },
  )
  await expect(loadClient(() => Promise.reject(missing))).rejects.toMatchObject({
    code: 'mcp_not_installed',
    // Also for `lint --mcp`, where nothing is configured.
    message: expect.stringMatching(/^(?!.*configur).*"npm install @modelcontextprotocol\/client@\^2\.4\.0"/),
  })
})

test('Another error while loading is thrown unchanged.', async () => {
  const defect = Object.assign(new Error("Cannot find package 'zod' imported from x"), {
    code: 'ERR_MODULE_NOT_FOUND',
  })
  await expect(loadClient(() => Promise.reject(defect))).rejects.toBe(defect)
})
