/** A request of the neutral model gets the same answer on every wire, streamed or not. */
import { describe, expect, test } from 'vitest'
import { native, speaker, streamed, wires } from '../../../../test/conversation/native.ts'
import { connectModel } from '../connect-model.ts'
import type { JsonObject } from '../json/object.ts'
import type { Part, Turn } from '../model/conversation.ts'
import type { Request } from '../model/request.ts'
import type { StreamEvent } from '../model/stream-event.ts'
import { ModelError } from '../runtime/conversation/model-port.ts'

const say = (role: Turn['role'], text: string): Turn => ({
  role,
  parts: [{ kind: 'text', text, path: [] }],
  root: [],
  plain: true,
})
const tool = {
  kind: 'function',
  name: 'make palette',
  root: [],
  path: [],
  parameters: { type: 'object', properties: { colors: { type: 'array', items: { type: 'string' } } } },
  parametersPath: [],
} as const
const request: Request = {
  turns: [say('system', 'You paint.'), say('user', 'A palette, please.')],
  tools: {
    tools: [tool],
    choice: { mode: 'tool', tool: { kind: 'function', name: tool.name, path: [] }, path: [] },
  },
  settings: { maxOutputTokens: { value: 500, path: [] } },
}
const nameIn = (body: JsonObject): string => {
  const [first] = body.tools as { name?: string; function?: { name: string } }[]
  return first?.name ?? first?.function?.name ?? ''
}
const ways = wires.flatMap(wire => [false, true].map(stream => ({ wire, stream })))

describe.each(ways)('on $wire, streamed: $stream', ({ wire, stream }) => {
  const base = { model: 'm', ...(wire === 'messages' && { max_tokens: 7 }) }
  const calling = (body: JsonObject): unknown => {
    const calls = [{ id: 'call_1', name: nameIn(body), input: { colors: ['red'] } }]
    return speaker(wire, [{ id: 'id_1', text: 'Here.', calls }]).send(body)
  }

  test('A tool with an illegal name is declared, chosen and called by its own name.', async () => {
    const model = speaker(wire, [calling])
    const events: StreamEvent[] = []
    const port = connectModel({ wire, stream, request: base, send: model.send })
    const { answer, body, diagnostics } = await port.ask(request, { onEvent: event => events.push(event) })
    const [sent] = model.asked
    expect(nameIn(sent ?? {})).toMatch(/^make_palette/)
    expect(JSON.stringify(sent?.tool_choice)).toContain(nameIn(sent ?? {}))
    expect(sent).toMatchObject({ model: 'm' })
    expect(JSON.stringify(sent)).toContain('500')
    expect(JSON.stringify(sent)).not.toContain(':7')
    const parts = answer.turns.flatMap(turn => turn.parts)
    expect(parts).toMatchObject([
      { kind: 'text', text: 'Here.' },
      { kind: 'call', id: 'call_1', name: 'make palette', input: '{"colors":["red"]}' },
    ])
    expect(answer).toMatchObject({ finish: { reason: 'calls' }, usage: { input: 10, output: 5 } })
    expect(body).toMatchObject({ model: 'm' })
    expect(diagnostics.map(({ code }) => code)).toEqual(expect.arrayContaining(['tool_renamed']))
    const ended = events.flatMap((event): Part[] => (event.type === 'part-end' ? [event.part] : []))
    expect(ended.at(-1)).toMatchObject({ kind: 'call', name: 'make palette' })
    expect([events[0]?.type, events.at(-1)?.type]).toEqual(['start', 'finish'])
  })

  test('An answer is sent back unchanged, followed by its result in the form of the wire.', async () => {
    const model = speaker(wire, [calling, { text: 'Better.' }])
    const port = connectModel({ wire, stream, request: base, send: model.send })
    const { answer } = await port.ask(request)
    const result: Turn = {
      role: 'tool',
      parts: [
        {
          kind: 'result',
          form: 'function',
          callId: 'call_1',
          content: [{ kind: 'text', text: 'Too red.', path: [] }],
          plain: true,
          path: [],
        },
      ],
      root: [],
    }
    await port.ask({ ...request, turns: [...request.turns, ...answer.turns, result, say('user', 'Again.')] })
    const [, second] = model.asked
    const history = (second?.messages ?? second?.input) as JsonObject[]
    const roles = history.map(item => item.role ?? item.type)
    expect(roles).toEqual(
      {
        chat: ['system', 'user', 'assistant', 'tool', 'user'],
        responses: ['system', 'user', 'assistant', 'function_call', 'function_call_output', 'user'],
        messages: ['user', 'assistant', 'user'],
      }[wire],
    )
    expect(JSON.stringify(history)).toContain(nameIn(second ?? {}))
    if (wire === 'responses' && !stream)
      expect(history).toContainEqual(expect.objectContaining({ id: 'msg_id_1' }))
  })

  test('An error rejects the request, and a failure inside an answer does not.', async () => {
    const message = 'You may not.'
    const error =
      wire === 'messages' ? { type: 'permission_error', message } : { message, type: 'permission_error' }
    const refusing = connectModel({ wire, stream, send: () => ({ type: 'error', error }) })
    const refused = await refusing.ask(request).catch((thrown: unknown) => thrown)
    expect(refused).toBeInstanceOf(ModelError)
    expect(refused).toMatchObject({ kind: 'permission', message })
  })

  test('A listener that throws or rejects does not disturb the request.', async () => {
    const port = connectModel({ wire, stream, request: base, send: calling as never })
    const failure = new Error('not my business')
    const fail = (): never => {
      throw failure
    }
    for (const onEvent of [fail, () => Promise.reject(failure) as never])
      await expect(port.ask(request, { onEvent })).resolves.toMatchObject({
        answer: { finish: { reason: 'calls' } },
      })
  })

  test("A tool stays strict only if its schema obeys the target's strict rules.", async () => {
    const strictTool = (keyword: object): Request => ({
      ...request,
      tools: {
        tools: [
          {
            ...tool,
            strict: true,
            parameters: {
              type: 'object',
              properties: { share: { type: 'number', ...keyword } },
              required: ['share'],
              additionalProperties: false,
            },
          },
        ],
      },
    })
    const asked = async (keyword: object): Promise<[strict: boolean, codes: string[]]> => {
      const model = speaker(wire, [{ text: 'Yes.' }])
      const port = connectModel({ wire, stream, request: base, send: model.send })
      const { diagnostics } = await port.ask(strictTool(keyword))
      const codes = diagnostics.map(({ code }) => code).filter(code => code === 'strict_dropped')
      return [JSON.stringify(model.asked).includes('"strict":true'), codes]
    }
    const ranges = wire === 'messages' ? [false, ['strict_dropped']] : [true, []]
    expect(await asked({ minimum: 0 })).toEqual(ranges)
    expect(await asked({ description: 'A share.' })).toEqual([true, []])
    expect(await asked({ not: { const: 1 } })).toEqual([false, ['strict_dropped']])
  })
})

test.each([
  ['responses', { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' }],
  ['messages', { type: 'thinking', thinking: 'Hm.', signature: 'signed' }],
] as const)('On %s, sealed reasoning of an earlier answer is sent back.', async (wire, sealed) => {
  const model = speaker(wire, [{ before: [sealed], text: 'First.' }, { text: 'Second.' }])
  const port = connectModel({ wire, request: { model: 'm' }, send: model.send })
  const { answer } = await port.ask(request)
  await port.ask({ ...request, turns: [...request.turns, ...answer.turns, say('user', 'Again.')] })
  const sent = (model.asked[1]?.messages ?? model.asked[1]?.input) as JsonObject[]
  const items = sent.flatMap(item => (Array.isArray(item.content) ? item.content : [item]) as unknown[])
  expect(items).toContainEqual(sealed)
})

const resultOf = (callId: string): Turn => ({
  role: 'tool',
  parts: [
    {
      kind: 'result',
      form: 'function',
      callId,
      content: [{ kind: 'text', text: 'Done.', path: [] }],
      plain: true,
      path: [],
    },
  ],
  root: [],
})

test('A call goes back under the id that the server gave it, and its result has the same id.', async () => {
  const id = `call_${'x'.repeat(60)}`
  const model = speaker('chat', [{ calls: [{ id, name: 'f', input: {} }] }, { text: 'Yes.' }])
  const port = connectModel({ wire: 'chat', request: { model: 'm' }, send: model.send })
  const { answer } = await port.ask(request)
  await port.ask({ ...request, turns: [...request.turns, ...answer.turns, resultOf(id)] })
  const messages = model.asked[1]?.messages as JsonObject[]
  expect(messages.slice(-2)).toMatchObject([
    { role: 'assistant', tool_calls: [{ id }] },
    { role: 'tool', tool_call_id: id },
  ])
})

test('An answer goes back without item ids to a server that stores no items.', async () => {
  const model = speaker('responses', [{ id: 'id_1', text: 'First.' }, { text: 'Second.' }])
  const profile = { itemIds: false }
  const port = connectModel({ wire: 'responses', request: { model: 'm' }, send: model.send, profile })
  const { answer } = await port.ask(request)
  await port.ask({ ...request, turns: [...request.turns, ...answer.turns, say('user', 'Again.')] })
  const input = model.asked[1]?.input as JsonObject[]
  expect(JSON.stringify(input)).toContain('First.')
  expect(input.filter(item => 'id' in item)).toEqual([])
})

test('Sealed reasoning of an answer on one wire is not sent to a model on another.', async () => {
  const sealed = { type: 'thinking', thinking: 'Hm.', signature: 'signed' }
  const first = speaker('messages', [{ before: [sealed], text: 'First.' }])
  const second = speaker('responses', [{ text: 'Second.' }])
  const { answer } = await connectModel({ wire: 'messages', request: { model: 'm' }, send: first.send }).ask(
    request,
  )
  const port = connectModel({ wire: 'responses', request: { model: 'm' }, send: second.send })
  const { diagnostics } = await port.ask({ ...request, turns: [...request.turns, ...answer.turns] })
  expect(JSON.stringify(second.asked)).not.toContain('signed')
  expect(diagnostics.map(({ code }) => code)).toContain('reasoning_sealed')
})

describe('options', () => {
  test('Wrong options throw when the model is connected.', () => {
    const connect = (options: object) => () => connectModel(options as never)
    expect(connect({ wire: 'smtp', send: () => ({}) })).toThrow(
      '"wire" must be one of chat, responses, messages',
    )
    expect(connect({ wire: 'chat' })).toThrow('"send" must be a function')
    expect(connect({ wire: 'chat', send: () => ({}), request: 'm' })).toThrow('"request"')
    expect(connect({ wire: 'chat', send: () => ({}), strict: 'very' })).toThrow('"strict"')
    expect(connect({ wire: 'chat', send: () => ({}), profile: { nameMaxLength: 3 } })).toThrow('at least 16')
  })

  test('The common request may contain instructions, tools and settings.', async () => {
    const model = speaker('messages', [{ text: 'Yes.' }])
    const every = {
      model: 'm',
      max_tokens: 9,
      system: 'Be brief.',
      temperature: 0.1,
      tools: [{ name: 'a', input_schema: { type: 'object' } }],
    }
    const port = connectModel({ wire: 'messages', request: every, send: model.send })
    await port.ask({ turns: [say('user', 'Hi.')], tools: {}, settings: {} })
    expect(model.asked[0]).toMatchObject({ ...every, messages: [{ role: 'user', content: 'Hi.' }] })
  })

  test('Diagnostics of the common request are reported with every answer.', async () => {
    const model = speaker('chat', [{ text: 'Yes.' }, { text: 'Yes.' }])
    const port = connectModel({ wire: 'chat', request: { model: 'm', tools: 5 }, send: model.send })
    for (const _ of [1, 2]) {
      const { diagnostics } = await port.ask({ turns: [say('user', 'Hi.')], tools: {}, settings: {} })
      expect(diagnostics).toMatchObject([{ code: 'not_a_list', path: ['tools'] }])
    }
  })

  test('A Response that is not a success is an error, whatever its body.', async () => {
    for (const [body, kind] of [
      ['<html>', 'overloaded'],
      ['', 'overloaded'],
      ['{"a":1}', 'overloaded'],
    ] as const) {
      const port = connectModel({ wire: 'chat', send: () => new Response(body, { status: 503 }) })
      await expect(port.ask(request)).rejects.toMatchObject({ kind, status: 503 })
    }
  })

  test('A stream that fails before its first event is an error with its status.', async () => {
    // biome-ignore lint/correctness/useYield: what is sent lazily fails when it is first read.
    const send = async function* () {
      throw Object.assign(new Error('No key.'), { status: 401 })
    }
    const port = connectModel({ wire: 'chat', send })
    await expect(port.ask(request)).rejects.toMatchObject({
      name: 'ModelError',
      status: 401,
      kind: 'authentication',
    })
  })

  test('A stream without an async iterator is read by its reader.', async () => {
    const chunks = streamed('chat', native('chat', { text: 'By hand.' })).map(piece =>
      new TextEncoder().encode(piece),
    )
    let cancelled = false
    const send = () => ({
      getReader: () => ({
        read: async () => {
          const value = chunks.shift()
          return { done: value === undefined, value }
        },
        cancel: async () => {
          cancelled = true
        },
      }),
    })
    const { answer } = await connectModel({ wire: 'chat', send }).ask(request)
    expect(answer.turns[0]?.parts).toMatchObject([{ kind: 'text', text: 'By hand.' }])
    expect(cancelled).toBe(true)
  })
})
