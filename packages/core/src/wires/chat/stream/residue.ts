/** The unknown fields of all chunks, collected over the stream: Chat clients get them back, for others they are reported. */
import type { JsonObject } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import type { ResidueEntry } from '../../../model/residue.ts'
import { detailsIn } from '../reasoning.ts'

const chunkKeys: ReadonlySet<string> = new Set([
  'id',
  'object',
  'created',
  'model',
  'choices',
  'usage',
  'error',
  'service_tier',
  // Random padding that hides the length of a chunk from eavesdroppers.
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
  'tool_calls',
  'function_call',
  'annotations',
])
/** Whatever else than text stands in them is unknown. */
const textKeys: ReadonlySet<string> = new Set(['refusal', 'reasoning_content', 'reasoning'])

export class StreamResidue {
  readonly #ofChunk = new Map<string, unknown>()
  readonly #ofChoice = new Map<string, unknown>()
  readonly #ofMessage = new Map<string, unknown[]>()
  /** Fields of the message that are arrays. */
  readonly #arrays = new Set<string>()

  readChunk(chunk: JsonObject): void {
    storeUnknown(this.#ofChunk, chunk, chunkKeys)
  }

  readChoice(choice: JsonObject): void {
    storeUnknown(this.#ofChoice, choice, choiceKeys)
  }

  readDelta(delta: JsonObject): void {
    const details = detailsIn(delta)
    for (const key of Object.keys(delta)) {
      const value = own(delta, key)
      if (deltaKeys.has(key) || value === null || value === undefined) continue
      if (textKeys.has(key) && typeof value === 'string') continue
      if (key === details?.field) continue
      const values = this.#ofMessage.get(key) ?? []
      this.#ofMessage.set(key, values)
      if (Array.isArray(value)) {
        this.#arrays.add(key)
        for (const item of value) values.push(item)
      } else values.push(value)
    }
  }

  entries(): ResidueEntry[] {
    return [
      ...[...this.#ofChunk].map(([key, value]): ResidueEntry => [[key], value]),
      ...[...this.#ofChoice].map(([key, value]): ResidueEntry => [['choices', 0, key], value]),
      ...[...this.#ofMessage].map(([key, values]): ResidueEntry => {
        return [['choices', 0, 'message', key], this.#arrays.has(key) ? values : joined(values)]
      }),
    ]
  }
}

/** The last value counts. */
function storeUnknown(target: Map<string, unknown>, source: JsonObject, known: ReadonlySet<string>): void {
  for (const key of Object.keys(source)) {
    const value = source[key]
    if (!known.has(key) && value !== null && value !== undefined) target.set(key, value)
  }
}

/** Strings are concatenated; objects, such as audio, are joined field by field; of anything else the last one counts. */
function joined(values: readonly unknown[]): unknown {
  if (values.every(value => typeof value === 'string')) return values.join('')
  if (!values.every(isObject)) return values.at(-1)
  const fields = new Map<string, unknown[]>()
  for (const [key, value] of values.flatMap(value => Object.entries(value))) {
    const pieces = fields.get(key) ?? []
    pieces.push(value)
    fields.set(key, pieces)
  }
  return Object.fromEntries(
    [...fields].map(([key, pieces]) => [key, streamedFields.has(key) ? joined(pieces) : pieces.at(-1)]),
  )
}

/** Fields of audio that arrive in pieces. */
const streamedFields: ReadonlySet<string> = new Set(['data', 'transcript'])
