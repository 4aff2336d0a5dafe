/** What a program gets to read when it hands over something that is not a wire. */
import { describe, expect, test } from 'vitest'
import { createExchange } from '../exchange.ts'
import { builtInWires } from '../index.ts'
import { chat as chatConversation, runConversation } from '../run.ts'
import { chat as chatTools, convertTools } from '../tools.ts'
import { defineWire } from './define-wire.ts'

const { chat } = builtInWires

describe('defineWire', () => {
  test.each(['tools', 'conversation', 'service'] as const)(
    'A wire without its facet %s is refused by name.',
    facet => {
      const { [facet]: _, ...rest } = chat
      expect(() => defineWire(rest as never)).toThrow(`The wire "chat" has no facet "${facet}".`)
    },
  )

  test('A wire without routes is refused.', () => {
    expect(() => defineWire({ ...chat, service: {} } as never)).toThrow('The wire "chat" has no route.')
  })

  test('A name that cannot stand in a flag is refused.', () => {
    expect(() => defineWire({ ...chat, name: 'My Wire' } as never)).toThrow('got "My Wire"')
    expect(() => defineWire(undefined as never)).toThrow(TypeError)
  })
})

describe('entry points that take definitions', () => {
  test('A name instead of a definition is refused with the remedy.', async () => {
    const named = { from: 'chat', to: 'responses' } as never
    expect(() => createExchange(named)).toThrow('"from" must be the definition of a wire')
    expect(() => convertTools([], named)).toThrow('"from" must be the definition of a wire')
    const run = { wire: 'chat', request: {}, send: () => ({}) } as never
    await expect(runConversation(run)).rejects.toThrow('"wire" must be the definition of a wire')
  })

  test('A complete definition serves as well as its facet.', () => {
    const body = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }
    const whole = createExchange({ from: chat, to: builtInWires.responses }).request(body)
    expect(whole.value).toMatchObject({ model: 'm' })
    expect(createExchange({ from: chatConversation, to: chat }).request(body).value).toEqual(body)
    const tool = { type: 'function', function: { name: 'f' } }
    expect(convertTools([tool], { from: chat, to: chatTools }).value).toEqual([tool])
  })
})
