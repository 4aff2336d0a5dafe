/** Paths that no wire here has: they pass to an upstream of the caller's vendor that names them, byte by byte, or are refused. */
import OpenAI, { toFile } from 'openai'
import { describe, expect, test } from 'vitest'
import { adapters } from '../../support/faults/adapters.ts'
import { answerJson, closing, key, openBeforeVendor as open } from '../../support/gateway/vendor.ts'

const embed = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"model":"e","input":"x"}',
}

describe.each(adapters)('through %s', (_, adapter) => {
  test('A request for embeddings passes with the upstream’s key, and its answer comes back as it is.', async () => {
    const { request, asked, nothingLeft } = await open({ adapter })
    const response = await request('/v1/embeddings?x=1', {
      ...embed,
      headers: { ...embed.headers, authorization: 'Bearer of-the-client', cookie: 'a=b' },
    })
    expect([response.status, response.headers.get('x-toolwire-upstream')]).toEqual([200, 'vendor'])
    expect(await response.json()).toMatchObject({ data: [{ embedding: [0.5] }] })
    expect(asked).toMatchObject([{ line: 'POST /v1/embeddings?x=1', body: embed.body }])
    expect(asked[0]?.headers).toMatchObject({
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
    })
    expect(asked[0]?.headers.cookie).toBeUndefined()
    await nothingLeft()
  })

  test('A long body and a long answer pass in pieces, and take no memory.', async () => {
    const size = 5_000_000
    const { request, asked, nothingLeft } = await open({
      adapter,
      limits: { memoryBytes: 1_000_000 },
      answer(_request, response, body) {
        response.setHeader('content-type', 'audio/mpeg')
        for (let sent = 0; sent < size; sent += 100_000) response.write(Buffer.alloc(100_000, 7))
        response.end(String(body.length))
      },
    })
    const response = await request('/v1/audio/speech', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: Buffer.alloc(size, 'x').toString(),
    })
    expect(response.headers.get('content-type')).toBe('audio/mpeg')
    expect((await response.arrayBuffer()).byteLength).toBe(size + String(size).length)
    expect(asked[0]?.body.length).toBe(size)
    await nothingLeft()
  })

  test('A body beyond the limit is not sent on to its end.', async () => {
    const { request, nothingLeft, asked } = await open({ adapter, limits: { bodyBytes: 1_000 } })
    const body = 'x'.repeat(100_000)
    const status = await request('/v1/files', {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body,
    }).then(
      response => response.status,
      () => 'cut',
    )
    expect([413, 'cut']).toContain(status)
    expect(asked).toEqual([])
    await nothingLeft()
  })
})

test('The openai client uploads, lists and deletes a file, and asks for embeddings.', async () => {
  const { gateway, asked, address } = await open({
    answer(request, response, body) {
      response.setHeader('content-type', 'application/json')
      if (request.url?.startsWith('/v1/embeddings')) return answerJson(request, response, body)
      const file = {
        id: 'file-1',
        object: 'file',
        bytes: 3,
        created_at: 1,
        filename: 'a.txt',
        purpose: 'batch',
      }
      const list = { object: 'list', data: [file], has_more: false, first_id: 'file-1', last_id: 'file-1' }
      response.end(
        JSON.stringify(
          request.method === 'GET'
            ? list
            : request.method === 'DELETE'
              ? { id: 'file-1', deleted: true }
              : file,
        ),
      )
    },
  })
  expect(address).toContain('127.0.0.1')
  const [, openNode] = adapters[0] ?? []
  const adapter = await openNode?.(gateway)
  closing.push(async () => adapter?.close())
  const client = new OpenAI({
    apiKey: 'client',
    baseURL: 'http://gateway.invalid/v1',
    fetch: (url, init) => {
      const { pathname, search } = new URL(String(url))
      if (adapter === undefined) throw new Error('There is an adapter.')
      return adapter.request(pathname + search, init)
    },
    maxRetries: 0,
  })
  const made = await client.files.create({
    file: await toFile(Buffer.from('abc'), 'a.txt'),
    purpose: 'batch',
  })
  expect(made.id).toBe('file-1')
  expect((await client.files.list()).data).toHaveLength(1)
  expect((await client.files.delete('file-1')).deleted).toBe(true)
  expect(
    (await client.embeddings.create({ model: 'e', input: 'x', encoding_format: 'float' })).data,
  ).toHaveLength(1)
  expect(asked.map(({ line }) => line)).toEqual([
    'POST /v1/files',
    'GET /v1/files',
    'DELETE /v1/files/file-1',
    'POST /v1/embeddings',
  ])
  expect(asked[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
  expect(asked[0]?.body).toContain('abc')
})

const paths = ['embeddings', 'files', 'completions', 'audio/speech', 'batches']
const cases = [
  ['openai', {}, 'not_found_error'],
  ['anthropic', { 'anthropic-version': '2023-06-01' }, 'not_found_error'],
] as const

test.each(cases)(
  'By default nothing passes, and a client of %s gets an error of its wire.',
  async (_, headers, type) => {
    const { request, asked } = await open({ upstream: { otherPaths: [] } })
    for (const path of paths) {
      const response = await request(`/v1/${path}`, { ...embed, headers: { ...embed.headers, ...headers } })
      const body = (await response.json()) as { error: { type: string; message: string } }
      expect([response.status, body.error.type]).toEqual([404, type])
      expect(body.error.message).toContain(`POST /v1/${path}`)
      expect(body.error.message).toContain('otherPaths')
    }
    expect(asked).toEqual([])
  },
)

test('Only the paths that are named pass, and only to an upstream of the caller’s vendor.', async () => {
  const { request, asked } = await open({ upstream: { otherPaths: ['embeddings'] } })
  expect((await request('/v1/embeddings', embed)).status).toBe(200)
  expect((await request('/v1/files', embed)).status).toBe(404)
  const anthropic = { ...embed, headers: { ...embed.headers, 'anthropic-version': '2023-06-01' } }
  expect((await request('/v1/embeddings', anthropic)).status).toBe(404)
  expect(asked).toHaveLength(1)
})

test.each([
  '/v1/../admin',
  '/v1/%2e%2e/admin',
  '/v1/files/..%2fadmin',
  '/v1//files',
  '/v1/files/%00',
  '/v1/files\\x',
  '/v2/files',
  '/files',
])('The path %s does not pass: it could be read as another.', async target => {
  const { gateway, asked } = await open()
  const { sendTo } = await import('../../support/faults/request.ts')
  const sent = sendTo(gateway, target, { method: 'GET', headers: {} })
  await sent.done
  expect([sent.status, asked]).toEqual([404, []])
})

test('A refusal of the vendor passes with its status and its headers about retries, and without the key.', async () => {
  const { request } = await open({
    answer(_request, response) {
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '7', 'set-cookie': 'a=b' })
      response.end(JSON.stringify({ error: { message: `Slow down, ${key}.` } }))
    },
  })
  const response = await request('/v1/embeddings', embed)
  expect([response.status, response.headers.get('retry-after'), response.headers.get('set-cookie')]).toEqual([
    429,
    '7',
    null,
  ])
  expect(await response.text()).toBe('{"error":{"message":"Slow down, ***."}}')
})

test('A redirect is not followed, and an answer that breaks off does not look complete.', async () => {
  const redirect = await open({
    answer(_request, response) {
      response.writeHead(302, { location: 'http://elsewhere.invalid/' })
      response.end()
    },
  })
  const told = await redirect.request('/v1/files', {})
  expect([told.status, await told.text()]).toEqual([502, expect.stringContaining('upstream_redirect')])
  const cut = await open({
    answer(_request, response) {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' })
      response.write('half')
      setImmediate(() => response.destroy())
    },
  })
  await expect(cut.request('/v1/files/f/content', {}).then(response => response.text())).rejects.toThrow()
  await cut.nothingLeft()
})
