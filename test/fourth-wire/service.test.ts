/** What every wire owes the gateway in its service facet, the built-in ones and the fourth alike. */
import { builtInWires } from '@toolwire/core'
import { fillPath, matchPath, parsePath, splitPath } from '@toolwire/core/wires'
import { describe, expect, test } from 'vitest'
import { relay } from './wire/index.ts'

const wires = [...Object.values(builtInWires), relay].map(wire => ({ wire, name: wire.name }))

test.each(wires)(
  'A request of $name that was written is read with the same model and stream flag.',
  ({ wire }) => {
    const { http } = wire.service
    for (const streamed of [false, true]) {
      const route = http.routes.find(
        ({ job, streams = streamed }) => job === 'exchange' && streams === streamed,
      )
      const body = http.write({ model: 'a/b', streamed, body: { x: [1] } })
      const segments = splitPath(fillPath(route?.path ?? '', { model: 'a/b' }))
      const params = matchPath(parsePath(route?.path ?? ''), segments) ?? {}
      const read = http.read({ body, params, query: {}, headers: {}, streams: route?.streams })
      expect(read).toMatchObject({ model: 'a/b', streamed, body: { x: [1] } })
      // The codec finds both where `read` has put them.
      const { model, settings } = wire.conversation.decodeRequest(read.body, () => undefined)
      expect([model, settings.stream?.value ?? false]).toEqual(['a/b', streamed])
    }
  },
)

test.each(wires)('The example of $name goes to a route of the wire and offers a tool.', ({ wire }) => {
  const { http } = wire.service
  const { path, body } = wire.service.example('qwen3')
  const segments = splitPath(path)
  const route = http.routes.find(({ path: below }) => matchPath(parsePath(http.prefix + below), segments))
  expect(route?.job).toBe('exchange')
  const { tools } = wire.conversation.decodeRequest(body, () => undefined)
  expect(tools.tools).toMatchObject([{ kind: 'function', name: 'get_weather' }])
})

test.each(wires)('The routes of $name name schemas that its OpenAPI has.', ({ wire }) => {
  const { openApi, http } = wire.service
  const names = http.routes.flatMap(({ operation }) => [operation.request, operation.answer])
  for (const name of [...names, openApi.error]) expect(Object.keys(openApi.schemas)).toContain(name)
})

test.each(wires)('A list of models that $name encodes is decoded to its ids.', ({ wire }) => {
  const { models } = wire.service.http
  const listed = ['a', 'b'].map(id => ({ id, owner: 'local' }))
  expect(models?.decodeIds(models.encodeList(listed))).toEqual(['a', 'b'])
  for (const odd of [null, [], {}, { data: 1 }, { data: [null, {}] }, { names: 1 }]) {
    expect(models?.decodeIds(odd)).toEqual([])
  }
})

test.each(wires)('An error that $name encodes counts as an error body.', ({ wire }) => {
  const { http } = wire.service
  const failed = {
    turns: [],
    finish: { reason: 'failed' },
    error: { kind: 'server', message: 'No.' },
  } as const
  const context = { newId: (prefix: string) => `${prefix}1`, now: () => 0 }
  const body = wire.conversation.encodeAnswer(failed, context, () => undefined)
  expect(http.isErrorBody(body)).toBe(true)
  expect(Object.keys(body)).toContain(http.errorField)
})

test.each(wires)('Keep-alives and comments of $name are skipped or recognised by its reader.', ({ wire }) => {
  const { frames } = wire.conversation
  const reader = frames.createReader(1000)
  const read = reader.push(frames.keepAlive + frames.comment('a\nb') + frames.keepAlive)
  expect([...read, ...reader.end()].filter(frame => !frames.isKeepAlive(frame))).toEqual([])
})

describe('paths', () => {
  const fits = (pattern: string, path: string): unknown => matchPath(parsePath(pattern), splitPath(path))

  test('A parameter takes one segment, decoded, and never an empty one.', () => {
    expect(fits('/v1/models/{model}', '/v1/models/a%2Fb')).toEqual({ model: 'a/b' })
    expect(fits('/v1/models/{model}', '/v1/models/a/')).toEqual({ model: 'a' })
    expect(fits('/v1/models/{model}', '/v1/models//')).toBeUndefined()
    expect(fits('/v1/models/{model}', '/v1/models/a/b')).toBeUndefined()
    expect(fits('/v1/models/{model}', '/v1/models/%ff')).toEqual({ model: '%ff' })
  })

  test('A parameter ends where the rest of its segment begins.', () => {
    expect(fits('/models/{model}:run', '/models/llama:8b:run')).toEqual({ model: 'llama:8b' })
    expect(fits('/models/{model}:run', '/models/:run')).toBeUndefined()
    expect(fits('/models/{model}:run', '/models/llama:stop')).toBeUndefined()
    expect(fillPath('/models/{model}:run', { model: 'a b/c' })).toBe('/models/a%20b%2Fc:run')
  })
})
