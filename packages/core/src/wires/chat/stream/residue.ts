/** What chunks say beside the message: gathered over the stream, so that Chat gets it back and others hear of it. */
import type { JsonObject } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import type { ResidueEntry } from '../../../model/residue.ts'

export interface StreamLeftovers {
  readChunk(chunk: JsonObject): void
  readChoice(choice: JsonObject): void
  readDelta(delta: JsonObject): void
  entries(): ResidueEntry[]
}

const chunkKeys: ReadonlySet<string> = new Set([
  'id',
  'object',
  'created',
  'model',
  'choices',
  'usage',
  'error',
  // Noise against eavesdroppers, new with every chunk.
  'obfuscation',
])
const choiceKeys: ReadonlySet<string> = new Set([
  'index',
  'delta',
  'message',
  'finish_reason',
  'logprobs',
  'error',
  'usage',
])
const deltaKeys: ReadonlySet<string> = new Set([
  'role',
  'content',
  'refusal',
  'tool_calls',
  'function_call',
  'reasoning_content',
  'reasoning',
  'annotations',
])

export function createStreamLeftovers(): StreamLeftovers {
  const ofChunk = new Map<string, unknown>()
  const ofChoice = new Map<string, unknown>()
  const ofMessage = new Map<string, unknown[]>()
  const lists = new Set<string>()
  return {
    readChunk: chunk => keepLast(ofChunk, chunk, chunkKeys),
    readChoice(choice) {
      keepLast(ofChoice, choice, choiceKeys)
    },
    readDelta(delta) {
      for (const key of Object.keys(delta)) {
        const value = own(delta, key)
        if (deltaKeys.has(key) || value === null || value === undefined) continue
        const kept = ofMessage.get(key) ?? []
        ofMessage.set(key, kept)
        if (Array.isArray(value)) {
          lists.add(key)
          for (const item of value) kept.push(item)
        } else kept.push(value)
      }
    },
    entries: () => [
      ...[...ofChunk].map(([key, value]): ResidueEntry => [[key], value]),
      ...[...ofChoice].map(([key, value]): ResidueEntry => [['choices', 0, key], value]),
      ...[...ofMessage].map(([key, values]): ResidueEntry => {
        return [['choices', 0, 'message', key], lists.has(key) ? values : joined(values)]
      }),
    ],
  }
}

function keepLast(kept: Map<string, unknown>, source: JsonObject, known: ReadonlySet<string>): void {
  for (const key of Object.keys(source)) {
    const value = source[key]
    if (!known.has(key) && value !== null && value !== undefined) kept.set(key, value)
  }
}

/** Pieces of text are one text; pieces of an object, such as audio, are joined field by field; else the last counts. */
function joined(values: readonly unknown[]): unknown {
  if (values.every(value => typeof value === 'string')) return values.join('')
  if (!values.every(isObject)) return values.at(-1)
  const fields = new Map<string, unknown[]>()
  for (const [key, value] of values.flatMap(value => Object.entries(value))) {
    const kept = fields.get(key) ?? []
    kept.push(value)
    fields.set(key, kept)
  }
  return Object.fromEntries(
    [...fields].map(([key, pieces]) => [key, streamedFields.has(key) ? joined(pieces) : pieces.at(-1)]),
  )
}

/** Fields of audio that come in pieces. */
const streamedFields: ReadonlySet<string> = new Set(['data', 'transcript'])
