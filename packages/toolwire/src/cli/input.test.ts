import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { builtInWireSet as wires } from '../config/wires.ts'
import { kindOf, looksLikeEvents } from './input.ts'

const fixtures = new URL('../../../../fixtures/', import.meta.url)
const stories = (
  kind: 'answers' | 'requests',
): [wire: string, story: string, body: Record<string, unknown>][] =>
  ['chat', 'responses', 'messages'].flatMap(wire => {
    const directory = new URL(`${kind}/${wire}/`, fixtures)
    const files = readdirSync(directory).filter(file => file.endsWith('.json'))
    return files.map((file): [string, string, Record<string, unknown>] => [
      wire,
      file,
      JSON.parse(readFileSync(new URL(file, directory), 'utf8')),
    ])
  })

describe('the wire of an answer', () => {
  test.each(stories('answers'))('The answer %s/%s is detected as one of its wire.', (wire, _story, body) => {
    // Both wires of OpenAI word an error alike.
    const shared = 'error' in body && !('object' in body) && !('type' in body)
    expect(wires.detect(body, 'answer')?.name).toBe(shared ? 'chat' : wire)
    expect(kindOf(body, wires)).toBe('answer')
  })

  test.each([
    [{ choices: [] }, 'chat'],
    [{ output: [] }, 'responses'],
    [{ object: 'response', error: { message: 'm' } }, 'responses'],
    [{ role: 'assistant', content: [] }, 'messages'],
    [{ type: 'error', error: { type: 'overloaded_error', message: 'm' } }, 'messages'],
    [{ error: { message: 'm', type: 'server_error' } }, 'chat'],
    [{ error: null }, undefined],
    [{ role: 'assistant', content: 'a message of a request' }, undefined],
    [{}, undefined],
    [[], undefined],
    [null, undefined],
    ['chat.completion', undefined],
  ])('The answer %j is detected as %s.', (body, wire) =>
    expect(wires.detect(body, 'answer')?.name).toBe(wire),
  )
})

describe('what a document holds', () => {
  test.each(stories('requests'))('The body %s/%s is a request.', (_wire, _story, body) =>
    expect(kindOf(body, wires)).toBe('request'),
  )

  test.each([
    [[], 'tools'],
    [{ tools: [] }, undefined],
    [{ previous_response_id: 'r' }, 'request'],
    [{ instructions: 'i' }, 'request'],
    [{ object: 'response', instructions: 'i' }, 'answer'],
    [7, undefined],
  ])('The document %j holds: %s.', (value, kind) => expect(kindOf(value, wires)).toBe(kind))
})

test.each([
  ['data: {}', true],
  ['\n: ping\n', true],
  ['event: x\ndata: y', true],
  ['{"data": 1}', false],
  ['database', false],
  ['', false],
])('The text %j is a stream of events: %s.', (text, events) => expect(looksLikeEvents(text)).toBe(events))
