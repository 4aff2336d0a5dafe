/** Everything that the official client libraries of these versions can send or get is known here. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../packages/core/src/json/object.ts'
import type { Part } from '../../packages/core/src/model/conversation.ts'
import { builtInConversations } from '../../packages/core/src/wires/registry.ts'
import { readDeclarations } from '../support/house/type-unions.ts'
import {
  chatParts,
  messagesBlocks,
  messagesDeltas,
  messagesEvents,
  responsesEvents,
  responsesItems,
} from './vendor-types.ts'

const responses = readDeclarations('openai/resources/responses/responses.d.ts')
const agents = readDeclarations('openai/resources/beta/responses/responses.d.ts')
const chat = readDeclarations('openai/resources/chat/completions/completions.d.ts')
const messages = readDeclarations('@anthropic-ai/sdk/resources/messages/messages.d.ts')
const beta = readDeclarations('@anthropic-ai/sdk/resources/beta/messages/messages.d.ts')

const ignore = (): void => {}
const sorted = (...lists: (readonly string[])[]): string[] => [...new Set(lists.flat())].toSorted()

function only(turns: readonly { readonly parts: readonly Part[] }[]): Part {
  const [part] = turns.flatMap(({ parts }) => parts)
  if (part === undefined) throw new Error('Nothing was read.')
  return part
}

const readItem = (type: string): Part =>
  only(builtInConversations.responses.decodeRequest({ input: [{ type }] }, ignore).turns)

const readBlock = (type: string): Part => {
  const message = { role: 'assistant', content: [{ type }] }
  return only(builtInConversations.messages.decodeRequest({ messages: [message] }, ignore).turns)
}

const isReadable = (part: Part): boolean =>
  (part.kind === 'hosted' || part.kind === 'opaque') && part.read !== undefined

describe.each([
  ['item of Responses', responsesItems, readItem],
  ['block of Messages', messagesBlocks, readBlock],
] as const)('every %s', (what, fates, read) => {
  test.each(fates.text)(`The ${what} of type "%s" can be read as text.`, type => {
    expect(isReadable(read(type))).toBe(true)
  })

  test.each(fates.reported)(`The ${what} of type "%s" is left to its own wire.`, type => {
    expect(read(type)).toMatchObject({ kind: expect.stringMatching(/^(hosted|opaque)$/) })
    expect(isReadable(read(type))).toBe(false)
  })
})

test('Every item that the client library of Responses knows is listed with what becomes of it.', () => {
  const known = sorted(
    ...['ResponseInputItem', 'ResponseOutputItem', 'ResponseItem'].map(responses.typesOf),
    ...['BetaResponseInputItem', 'BetaResponseOutputItem', 'BetaResponseItem'].map(agents.typesOf),
  )
  expect(sorted(...Object.values(responsesItems))).toEqual(known)
})

test('Every block that the client library of Messages knows is listed with what becomes of it.', () => {
  const known = sorted(
    ...['ContentBlockParam', 'ContentBlock'].map(messages.typesOf),
    ...['BetaContentBlockParam', 'BetaContentBlock'].map(beta.typesOf),
    beta.typesOfField('BetaToolResultBlockParam', 'content'),
    beta.typesOfField('BetaSystemMessageParam', 'content'),
  )
  expect(sorted(...Object.values(messagesBlocks))).toEqual(known)
})

test('Every part that the client library of Chat knows is listed.', () => {
  const names = ['ChatCompletionContentPart', 'ChatCompletionContentPartRefusal']
  expect(sorted(...names.map(chat.typesOf))).toEqual(chatParts)
})

test('Every event of a stream that the client libraries know is listed.', () => {
  const events = sorted(responses.typesOf('ResponseStreamEvent'), agents.typesOf('BetaResponseStreamEvent'))
  expect(events.length).toBeGreaterThan(50)
  const { content, progress } = responsesEvents
  expect(events.filter(event => content.test(event) === progress.test(event))).toEqual([])
  expect(beta.typesOf('BetaRawMessageStreamEvent')).toEqual(messagesEvents)
  expect(beta.typesOf('BetaRawContentBlockDelta')).toEqual(messagesDeltas)
})

describe('tools', () => {
  const decodeWith = (wire: keyof typeof builtInConversations, tool: JsonObject): string =>
    builtInConversations[wire].decodeTool(tool, ['tools', 0], ignore).kind

  test.each(sorted(responses.typesOf('Tool'), agents.typesOf('BetaTool')))(
    'The tool type "%s" of Responses is known.',
    type => expect(decodeWith('responses', { type, name: 'x', tools: [] })).not.toBe('opaque'),
  )

  test.each(sorted(messages.typesOf('ToolUnion'), beta.typesOf('BetaToolUnion')))(
    'The tool type "%s" of Messages is known.',
    type => expect(decodeWith('messages', { type, name: 'x', input_schema: {} })).not.toBe('opaque'),
  )

  test.each(responses.typesOfField('ResponseCreateParamsBase', 'tool_choice'))(
    'The tool choice "%s" of Responses is known.',
    type => {
      const isWord = type === 'auto' || type === 'none' || type === 'required'
      const tool_choice = isWord ? type : { type, name: 'x', server_label: 'x', mode: 'auto', tools: [] }
      const { choice } = builtInConversations.responses.decodeToolParams({ tool_choice }, ignore)
      expect(choice?.mode).not.toBe('opaque')
    },
  )

  test.each(beta.typesOf('BetaToolChoice'))('The tool choice "%s" of Messages is known.', type => {
    const { choice } = builtInConversations.messages.decodeToolParams(
      { tool_choice: { type, name: 'x' } },
      ignore,
    )
    expect(choice?.mode).not.toBe('opaque')
  })
})
