import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
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
  it.each(stories('answers'))('%s/%s', (wire, _story, body) => {
    // Both wires of OpenAI word an error alike.
    const shared = 'error' in body && !('object' in body) && !('type' in body)
    expect(wires.detect(body, 'answer')?.name).toBe(shared ? 'chat' : wire)
    expect(kindOf(body, wires)).toBe('answer')
  })

  it.each([
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
  ])('%j', (body, wire) => expect(wires.detect(body, 'answer')?.name).toBe(wire))
})

describe('what a document holds', () => {
  it.each(stories('requests'))('%s/%s is a request', (_wire, _story, body) =>
    expect(kindOf(body, wires)).toBe('request'),
  )

  it.each([
    [[], 'tools'],
    [{ tools: [] }, undefined],
    [{ previous_response_id: 'r' }, 'request'],
    [{ instructions: 'i' }, 'request'],
    [{ object: 'response', instructions: 'i' }, 'answer'],
    [7, undefined],
  ])('%j', (value, kind) => expect(kindOf(value, wires)).toBe(kind))
})

it.each([
  ['data: {}', true],
  ['\n: ping\n', true],
  ['event: x\ndata: y', true],
  ['{"data": 1}', false],
  ['database', false],
  ['', false],
])('%j are events: %s', (text, events) => expect(looksLikeEvents(text)).toBe(events))
