/** Arguments and structured answers satisfy their schema, whatever the tool and the message. */
import { readFileSync } from 'node:fs'
import { createValidator } from '@toolwire/core/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toolsOf } from '../../../../test/support/arbitraries/tools.ts'
import { fixtures } from '../../../../test/support/fixtures/fixtures.ts'
import type { Answer } from './demo-client.test-helper.ts'
import { answerTo, postDemo } from './demo-client.test-helper.ts'

interface ChatTool {
  readonly type: 'function' | 'custom'
  readonly function?: { readonly name: string; readonly parameters?: unknown; readonly strict?: boolean }
  readonly custom?: { readonly name: string }
}

function readable(tools: readonly unknown[]): ChatTool[] {
  return (tools as readonly (ChatTool | null)[]).filter(
    tool => typeof (tool?.function ?? tool?.custom)?.name === 'string',
  ) as ChatTool[]
}

/** Every fixture of tools as a Chat upstream gets it. */
const stories = fixtures.flatMap(({ wire, story, golden }) => {
  const { value } = JSON.parse(readFileSync(golden('chat'), 'utf8')) as {
    value: { tools?: unknown[]; functions?: object[] }
  }
  const legacy = (value.functions ?? []).map(inside => ({ type: 'function', function: inside }))
  return readable([...(value.tools ?? []), ...legacy]).map(tool => {
    const name = (tool.function ?? tool.custom)?.name ?? ''
    return { title: `${wire}/${story}: ${name}`, name, tool }
  })
})

const messages = [
  'Please do it.',
  'The weather in Oslo and Rome, 3 days, in celsius',
  'Search "cats & dogs" in src/index.ts for bob@example.com on 2026-12-24',
  '',
]

function checkCalls({ choices }: Answer, tool: ChatTool): void {
  const { tool_calls: calls = [], content } = choices[0]?.message ?? {}
  // The model declines tools that do not say that they only read.
  if (content?.includes('I do not call')) return
  expect(calls.length).toBeGreaterThan(0)
  for (const call of calls) {
    if (tool.custom !== undefined) {
      expect(call.custom?.input).toBeTypeOf('string')
      continue
    }
    const args: unknown = JSON.parse(call.function?.arguments ?? '')
    expect(args).toBeTypeOf('object')
    const checked = createValidator(tool.function?.parameters ?? { type: 'object' }).validate(args)
    expect(checked, JSON.stringify(args)).toEqual({ ok: true })
  }
}

describe('Tools of the fixtures', () => {
  test('The fixtures have more than 40 tools.', () => expect(stories.length).toBeGreaterThan(40))

  test.each(stories)('The tool $title gets valid arguments.', async ({ name, tool }) => {
    const tool_choice = { type: tool.type, [tool.type]: { name } }
    for (const content of messages)
      checkCalls(await answerTo({ messages: [{ role: 'user', content }], tools: [tool], tool_choice }), tool)
  })
})

test('A generated tool gets valid arguments for any message.', async () => {
  const message = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 80 }), fc.constantFrom(...messages))
  await fc.assert(
    fc.asyncProperty(toolsOf('chat'), message, async (tools, content) => {
      for (const tool of readable(tools)) {
        const name = (tool.function ?? tool.custom)?.name
        if (name === '') continue
        const tool_choice = { type: tool.type, [tool.type]: { name } }
        const body = { messages: [{ role: 'user', content }], tools: [tool], tool_choice }
        checkCalls(await answerTo(body), tool)
      }
    }),
    { numRuns: 60 },
  )
})

test('An answer with a JSON Schema satisfies it.', async () => {
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      score: { type: 'integer', minimum: 3, maximum: 4 },
      tags: { type: 'array', items: { type: 'string' }, minItems: 2 },
      place: { $ref: '#/$defs/place' },
    },
    required: ['city', 'score', 'tags', 'place'],
    additionalProperties: false,
    $defs: {
      place: { type: 'object', properties: { country: { type: 'string' } }, required: ['country'] },
    },
  }
  const response_format = { type: 'json_schema', json_schema: { name: 'a', schema, strict: true } }
  const { choices } = await answerTo({
    messages: [{ role: 'user', content: 'Rate the city Oslo' }],
    response_format,
  })
  const value = JSON.parse(choices[0]?.message.content ?? '') as { city: string }
  expect(createValidator(schema).validate(value)).toEqual({ ok: true })
  expect(value.city).toBe('Oslo')
})

test('An answer in JSON without a schema is an object.', async () => {
  const body = {
    messages: [{ role: 'user', content: 'Cats in JSON' }],
    response_format: { type: 'json_object' },
  }
  const { choices } = await answerTo(body)
  expect(JSON.parse(choices[0]?.message.content ?? '')).toMatchObject({ topic: 'Cats in JSON' })
})

test('A schema that nothing satisfies gives empty arguments and no failure.', async () => {
  const parameters = { type: 'object', properties: { a: false }, required: ['a'] }
  const { status, text } = await postDemo({
    model: 'demo',
    messages: [{ role: 'user', content: 'go' }],
    tools: [{ type: 'function', function: { name: 'find_impossible', parameters } }],
    tool_choice: 'required',
  })
  expect(status).toBe(200)
  expect(text).toContain('"arguments":"{}"')
})
