import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { encodeTools } from '../convert-tools.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { runConversation } from '../run-conversation.ts'
import { ToolRegistry } from '../runtime/tools/registry.ts'
import { createToolSchemas, ToolManager, toolSchemasForOpenAI, toolSchemasForResponses } from './index.ts'

const registry = new ToolRegistry([
  {
    name: 'Read',
    description: 'Read a file',
    parameters: {
      type: 'object',
      properties: { file_path: { type: 'string' }, filePath: { type: 'string' }, limit: { type: 'integer' } },
    },
  },
  { name: 'Write', parameters: z.object({ path: z.string(), text: z.string().default('') }) },
  { type: 'function', function: { name: 'Run', strict: true } },
])

describe('seed 003, task 1', () => {
  test('The generator writes Responses definitions without nesting. [S003.1] [S003.3] [S003.4] [S003.8]', () => {
    const [tool, ...others] = toolSchemasForResponses(['Read'], registry)
    expect(others).toEqual([])
    expect(tool).toMatchObject({ type: 'function', name: 'Read' })
    expect(tool).not.toHaveProperty('function')
  })

  test('Both generators write the same parameters, names and descriptions. [S003.5] [S003.6]', () => {
    const responses = toolSchemasForResponses(registry.names(), registry)
    const chat = toolSchemasForOpenAI(registry.names(), registry)
    expect(responses).toHaveLength(3)
    for (const [i, tool] of responses.entries()) {
      const { name, description, parameters } = chat[i]?.function ?? {}
      expect(tool.name).toBe(name)
      expect(tool.description).toBe(description)
      expect(JSON.stringify(tool.parameters)).toBe(JSON.stringify(parameters))
    }
  })

  test('The Chat generator writes nested functions. [S003.3]', () => {
    expect(toolSchemasForOpenAI(['Read'], registry)).toEqual([
      {
        type: 'function',
        function: {
          name: 'Read',
          description: 'Read a file',
          parameters: registry.get('Read')?.parameters,
        },
      },
    ])
  })

  test('The generator writes strict: false unless the tool says true. [S003.7] [C1] [C26]', () => {
    const strictOf = (name: string) => toolSchemasForResponses([name], registry)[0]?.strict
    expect(strictOf('Read')).toBe(false)
    expect(strictOf('Run')).toBe(true)
    expect(toolSchemasForOpenAI(['Run'], registry)[0]?.function.strict).toBe(true)
    expect(toolSchemasForResponses(['Read'], registry, { strict: 'omit' })[0]).not.toHaveProperty('strict')
  })
})

describe('seed 003, task 2', () => {
  const closed = { type: 'object', properties: {}, required: [], additionalProperties: false } as const
  const ready = new ToolRegistry([
    ...['Read', 'Write'].flatMap(name => registry.get(name) ?? []),
    { name: 'Run', strict: true, parameters: closed },
    { name: 'Find', description: 'Finds', parameters: { type: 'object' }, outputSchema: { type: 'string' } },
  ])
  const answer = { id: 'r', object: 'response', status: 'completed', error: null, output: [] }

  test('The generator writes exactly the tools that a conversation sends. [S003.9]', async () => {
    const generated = toolSchemasForResponses(undefined, ready)
    expect(generated).toEqual([
      {
        type: 'function',
        name: 'Read',
        description: 'Read a file',
        strict: false,
        parameters: {
          type: 'object',
          properties: {
            file_path: { type: 'string' },
            filePath: { type: 'string' },
            limit: { type: 'integer' },
          },
        },
      },
      { type: 'function', name: 'Write', strict: false, parameters: ready.get('Write')?.parameters },
      { type: 'function', name: 'Run', strict: true, parameters: closed },
      {
        type: 'function',
        name: 'Find',
        description: 'Finds',
        strict: false,
        parameters: { type: 'object', properties: {} },
        output_schema: { type: 'string' },
      },
    ])
    const sent: unknown[] = []
    const { error } = await runConversation({
      wire: 'responses',
      request: { model: 'm', input: 'hi' },
      tools: ready,
      send: async body => {
        sent.push(body)
        return answer
      },
    })
    expect(error).toBeUndefined()
    expect(sent).toMatchObject([{ tools: generated }])
    expect(JSON.stringify(sent)).toContain(JSON.stringify(generated))
    expect(encodeTools(ready, { to: 'responses' }).value).toEqual(generated)
    expect(new ToolManager().transformTools(ready)).toEqual(generated)
  })

  test('The Chat generator writes exactly the tools that a conversation sends. [S003.9]', async () => {
    const generated = toolSchemasForOpenAI(undefined, ready)
    const sent: unknown[] = []
    const message = { role: 'assistant', content: 'ok' }
    await runConversation({
      wire: 'chat',
      request: { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
      tools: ready,
      send: async body => {
        sent.push(body)
        return { id: 'c', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }] }
      },
    })
    expect(generated).toHaveLength(4)
    expect(sent).toMatchObject([{ tools: generated }])
  })
})

describe('over a registry', () => {
  test('The generator keeps the order of the names, and takes all tools without names.', () => {
    const names = (list: Iterable<string> | undefined) =>
      toolSchemasForResponses(list, registry).map(t => t.name)
    expect(names(['Run', 'Read'])).toEqual(['Run', 'Read'])
    expect(names(undefined)).toEqual(['Read', 'Write', 'Run'])
    expect(names([])).toEqual([])
  })

  test('An unregistered name throws with a suggestion.', () => {
    expect(() => toolSchemasForResponses(['Raed', 'read'], registry)).toThrow('No tool named "Raed"')
    expect(() => toolSchemasForOpenAI(['read'], registry)).toThrow('Did you mean "Read"?')
  })

  test('Wrong names or a wrong registry throw with a message that says what to pass.', () => {
    const error = (code: string, message: string) =>
      expect.objectContaining({ name: 'ToolError', code, message })
    for (const generate of [toolSchemasForResponses, toolSchemasForOpenAI]) {
      // @ts-expect-error a text is a list of letters to JavaScript
      expect(() => generate('Read', registry)).toThrowError(
        error('not_a_list', 'Names must be given as a list; got "Read". Write ["Read"].'),
      )
      // @ts-expect-error a number is no list
      expect(() => generate(5, registry)).toThrowError(
        error('not_a_list', 'Names must be given as a list; got 5.'),
      )
      const missing = error(
        'invalid_definition',
        `${generate.name} needs the ToolRegistry as its second argument; got nothing. To call it with names alone, take it from createToolSchemas(registry).`,
      )
      // @ts-expect-error the registry is missing
      expect(() => generate(['Read'])).toThrowError(missing)
      // @ts-expect-error the registry is missing, and the names are no list
      expect(() => generate('Read')).toThrowError(missing)
    }
    // @ts-expect-error the registry is missing
    expect(() => createToolSchemas()).toThrowError(
      error('invalid_definition', 'createToolSchemas needs a ToolRegistry; got nothing.'),
    )
  })

  test('Names that the server refuses are reported and stay unchanged.', () => {
    const odd = new ToolRegistry([{ name: 'a b' }, { name: 'x'.repeat(65) }, { name: 'fine' }])
    for (const generate of [toolSchemasForResponses, toolSchemasForOpenAI]) {
      const said: Diagnostic[] = []
      const tools = generate(undefined, odd, { onDiagnostic: diagnostic => void said.push(diagnostic) })
      expect(JSON.stringify(tools)).toContain('"name":"a b"')
      expect(said.map(({ code, path, message }) => [code, path, message])).toEqual([
        [
          'name_characters',
          [0, 'name'],
          'The server refuses the name "a b": it may hold only the characters a-zA-Z0-9_-. Rename the tool, or use convertTools, whose undo brings the name back.',
        ],
        [
          'name_too_long',
          [1, 'name'],
          'The server refuses this name: it has 65 characters, and 64 are taken. Rename the tool, or use convertTools, whose undo brings the name back.',
        ],
      ])
    }
  })

  test('createToolSchemas binds both generators to a registry. [S003.4]', () => {
    const { toolSchemasForResponses: forResponses, toolSchemasForOpenAI: forOpenAI } =
      createToolSchemas(registry)
    expect(forResponses(['Read'])).toEqual(toolSchemasForResponses(['Read'], registry))
    expect(forOpenAI(['Read'])).toEqual(toolSchemasForOpenAI(['Read'], registry))
    expect(forResponses()).toHaveLength(3)
  })

  test("A result's schema is sent on Responses and reported on Chat. [C18]", () => {
    const typed = new ToolRegistry([{ name: 'a', outputSchema: { type: 'string' } }])
    expect(toolSchemasForResponses(['a'], typed)[0]?.output_schema).toEqual({ type: 'string' })
    const said: Diagnostic[] = []
    const [chat] = toolSchemasForOpenAI(['a'], typed, {
      onDiagnostic: diagnostic => void said.push(diagnostic),
    })
    expect(JSON.stringify(chat)).not.toContain('output')
    expect(said.map(({ code, path }) => [code, path])).toEqual([['field_dropped', [0, 'output_schema']]])
  })
})
