/** Paths beside the wires with several keys: what one made at the upstream is nobody else's. */
import { expect, test } from 'vitest'
import { type Answer, openBeforeVendor } from '../../support/gateway/vendor.ts'

const embed = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"model":"e","input":"x"}',
}

const keys = ['one', 'two']
const json = { 'content-type': 'application/json' }
const as = (name: string, method = 'GET', body?: object): RequestInit => ({
  method,
  headers: { authorization: `Bearer ${name}`, ...(body && json) },
  ...(body && { body: JSON.stringify(body) }),
})

test('With several keys only what is a client’s own, or leaves nothing at the upstream, passes.', async () => {
  const { request, asked } = await openBeforeVendor({ keys })
  expect((await request('/v1/embeddings', embed)).status).toBe(401)
  for (const path of ['embeddings', 'audio/translations', 'images/generations', 'moderations'])
    expect((await request(`/v1/${path}`, as('one', 'POST', { input: 'x' }))).status, path).toBe(200)
  const before = asked.length
  for (const [method, path] of [
    ['GET', 'embeddings'],
    ['GET', 'organization/users'],
    ['POST', 'audio/unheard_of'],
    ['POST', 'images/unheard_of'],
    ['POST', 'batches'],
    ['POST', 'evals'],
    ['GET', 'models/ft:x/permissions'],
  ] as const) {
    const response = await request(`/v1/${path}`, as('one', method))
    expect([response.status, await response.text()], path).toEqual([
      403,
      expect.stringContaining('shared_path'),
    ])
  }
  expect(asked).toHaveLength(before)
})

/** A vendor that keeps files and vector stores, for whoever has its key. */
function keepingVendor(): Answer {
  const kept = new Map<string, object>()
  return (request, response, body) => {
    const [, , collection = '', id, more] = (request.url ?? '').split('?', 1)[0]?.split('/') ?? []
    const send = (status: number, value: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(value))
    }
    if (collection === 'responses')
      return send(200, { id: 'resp_x', object: 'response', output: [], echo: body })
    if (request.method === 'POST' && id === undefined) {
      const made = {
        id: `${collection}-${kept.size + 1}`,
        object: collection,
        output_file_id: `out-${kept.size + 1}`,
      }
      kept.set(made.id, made)
      return send(200, made)
    }
    if (id === undefined)
      return send(200, { object: 'list', data: [...kept.values()], first_id: 'a', last_id: 'b' })
    const found = kept.get(id)
    if (found === undefined && !id.startsWith('out-'))
      return send(404, { error: { message: 'No such thing.' } })
    if (more === 'content') return response.end('the secret text')
    if (request.method === 'DELETE') kept.delete(id)
    return send(200, found ?? { id })
  }
}

test.each(['refuse', 'pass', undefined] as const)(
  'What one key made there is nobody else’s: not to read, list, delete or refer to; unknown ids: %s.',
  async unknownIds => {
    const { request, asked } = await openBeforeVendor({
      keys,
      answer: keepingVendor(),
      upstream: { wire: 'responses', ...(unknownIds && { unknownIds }) },
    })
    const form = new FormData()
    form.append('purpose', 'assistants')
    form.append('file', new Blob(['the secret text']), 'a.txt')
    const uploaded = await request('/v1/files', { ...as('one', 'POST'), body: form })
    const { id, output_file_id: output } = (await uploaded.json()) as { id: string; output_file_id: string }
    const { id: others } = (await (await request('/v1/vector_stores', as('two', 'POST', {}))).json()) as {
      id: string
    }

    const lists = async (name: string): Promise<unknown> =>
      ((await (await request('/v1/files', as(name))).json()) as { data: { id: string }[] }).data.map(
        each => each.id,
      )
    expect(await lists('one')).toEqual([id])
    expect(await lists('two')).toEqual([others])

    const before = asked.length
    for (const [method, path, body] of [
      ['GET', `files/${id}`],
      ['GET', `files/${id.replace('f', '%66')}`],
      ['GET', `files/${id}/content`],
      ['DELETE', `files/${id}`],
      ['GET', `files/${output}/content`],
      ['POST', `vector_stores/${others}/files/${id}`, {}],
      ['POST', `vector_stores/${others}/files`, { file_id: id }],
      ['POST', 'vector_stores', { file_ids: ['x', id] }],
      ['POST', 'containers', { name: 'c', file_ids: [id] }],
      ['POST', 'fine_tuning/jobs', { model: 'm', training_file: id }],
      ['POST', 'images/edits', { prompt: 'x', images: [{ file_id: id }] }],
      ['POST', 'audio/speech', { input: 'x', voice: { id } }],
      [
        'POST',
        'responses',
        { model: 'm', input: [{ role: 'user', content: [{ type: 'input_file', file_id: id }] }] },
      ],
    ] as const) {
      const response = await request(`/v1/${path}`, as('two', method, body))
      const told = await response.text()
      expect([400, 404], `${path} ${told}`).toContain(response.status)
      expect(told, path).toMatch(/unknown_id|_not_found/)
    }
    expect(asked).toHaveLength(before)

    expect(await (await request(`/v1/files/${id}/content`, as('one'))).text()).toBe('the secret text')
    expect((await request(`/v1/files/${output}/content`, as('one'))).status).toBe(200)
    expect((await request('/v1/vector_stores', as('one', 'POST', { file_ids: [id] }))).status).toBe(200)
    const used = await request(
      '/v1/responses',
      as('one', 'POST', {
        model: 'm',
        input: [{ role: 'user', content: [{ type: 'input_file', file_id: id }] }],
      }),
    )
    expect(await used.text()).toContain(id)
    // What nobody made here is not for everybody to read, unless the settings say so.
    expect((await request('/v1/files/out-77', as('two'))).status).toBe(unknownIds === 'pass' ? 200 : 404)
    expect((await request(`/v1/files/${id}`, as('one', 'DELETE'))).status).toBe(200)
  },
)

test('With several keys a form that could name a file of another’s is not passed on.', async () => {
  const { request, asked } = await openBeforeVendor({ keys, answer: keepingVendor() })
  const { id } = (await (await request('/v1/containers', as('two', 'POST', {}))).json()) as { id: string }
  const form = new FormData()
  form.append('file_id', 'files-1')
  const response = await request(`/v1/containers/${id}/files`, { ...as('two', 'POST'), body: form })
  expect(response.status).toBe(415)
  expect(asked).toHaveLength(1)
})

test('What nobody made here stays everybody’s to use: who adds it to a store of its own does not own it.', async () => {
  const { request } = await openBeforeVendor({
    keys,
    upstream: { wire: 'responses' },
    answer(asked, response, body) {
      const { file_id: id = 'vs_1' } = body === '' ? {} : (JSON.parse(body) as { file_id?: string })
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ id, object: asked.method, output: [] }))
    },
  })
  expect((await request('/v1/vector_stores', as('two', 'POST', {}))).status).toBe(200)
  const added = await request('/v1/vector_stores/vs_1/files', as('two', 'POST', { file_id: 'file-of-all' }))
  expect(await added.json()).toMatchObject({ id: 'file-of-all' })
  expect((await request('/v1/vector_stores/vs_1/files/file-of-all', as('two'))).status).toBe(200)

  expect((await request('/v1/files/file-of-all/content', as('two'))).status).toBe(404)
  expect((await request('/v1/files/file-of-all', as('two', 'DELETE'))).status).toBe(404)
  const content = [{ type: 'input_file', file_id: 'file-of-all' }]
  const used = await request(
    '/v1/responses',
    as('one', 'POST', { model: 'm', input: [{ role: 'user', content }] }),
  )
  expect(used.status).toBe(200)
})

test.each([
  ['another type', 'text/plain', '{"object":"list","data":[{"id":"file-of-one"}]}'],
  ['no object', 'application/json', '[{"id":"file-of-one"}]'],
  ['no JSON', 'text/csv', 'file-of-one'],
])('A list that comes as %s shows nothing of others.', async (_, type, body) => {
  const { request } = await openBeforeVendor({
    keys,
    answer(_request, response) {
      response.setHeader('content-type', type)
      response.end(body)
    },
  })
  const response = await request('/v1/files', as('two'))
  expect([response.status, await response.text()]).toEqual([
    502,
    expect.stringMatching(/^(?!.*file-of-one).*upstream_malformed/),
  ])
})
