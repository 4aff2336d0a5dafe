/** What the service facets of most wires have in common. */
import type { JsonObject } from '../../json/object.ts'
import { isObject, own } from '../../json/object.ts'
import type { FinishReason } from '../../model/answer.ts'
import type { ModelFacts, OpenApiSchema, PlainAnswer, WireHttp } from '../service.ts'
import { reasonOfWord } from './finish-words.ts'

/** Requests name their model, and ask for a stream, in fields of the body, where the codec reads them too. */
export function bodyFields(
  modelField: string,
  streamField: string,
): Pick<WireHttp, 'peek' | 'read' | 'write'> {
  return {
    peek: { model: { field: modelField }, stream: { field: streamField } },
    read({ body }) {
      const model = own(body, modelField)
      const streamed = own(body, streamField) === true
      return typeof model === 'string' && model !== '' ? { model, streamed, body } : { streamed, body }
    },
    write({ model, streamed, body }) {
      const says = own(body, streamField) === true
      return says === streamed
        ? { ...body, [modelField]: model }
        : { ...body, [modelField]: model, [streamField]: streamed }
    },
  }
}

export function decodeModelIds(body: unknown): string[] {
  return entriesOf(body).map(({ id }) => id)
}

interface Entry {
  readonly id: string
  readonly entry: JsonObject
}

function entriesOf(body: unknown): Entry[] {
  const data = isObject(body) ? own(body, 'data') : undefined
  if (!Array.isArray(data)) return []
  return data.flatMap(entry => {
    const id = isObject(entry) ? own(entry, 'id') : undefined
    return isObject(entry) && typeof id === 'string' ? [{ id, entry }] : []
  })
}

/** As Groq, OpenRouter, vLLM, LM Studio, Mistral and Anthropic name it. */
const windowNames = [
  'context_window',
  'context_length',
  'max_model_len',
  'max_context_length',
  'max_input_tokens',
]
const outputNames = ['max_output_tokens', 'max_completion_tokens', 'max_tokens']

/** What servers add to the entries of their lists, each under names of its own. */
export function decodeModelFacts(body: unknown): ReadonlyMap<string, ModelFacts> {
  return new Map(
    entriesOf(body).map(({ id, entry }) => {
      const contextWindow = tokensIn(entry, windowNames)
      const largestOutput = tokensIn(entry, outputNames)
      const images = takesImages(entry)
      return [
        id,
        {
          ...(contextWindow !== undefined && { contextWindow }),
          ...(largestOutput !== undefined && { largestOutput }),
          ...(images !== undefined && { images }),
        },
      ]
    }),
  )
}

function tokensIn(entry: JsonObject, names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = own(entry, name)
    if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value
  }
  return undefined
}

function takesImages(entry: JsonObject): boolean | undefined {
  const architecture = own(entry, 'architecture')
  for (const holder of [entry, isObject(architecture) ? architecture : {}]) {
    const modalities = own(holder, 'input_modalities')
    if (Array.isArray(modalities)) return modalities.includes('image')
  }
  const capabilities = own(entry, 'capabilities')
  const image = isObject(capabilities) ? own(capabilities, 'image_input') : undefined
  const supported = isObject(image) ? own(image, 'supported') : undefined
  return typeof supported === 'boolean' ? supported : undefined
}

/** Error bodies of all kinds of servers that imitate one of the big providers. */
export const isCommonErrorBody: WireHttp['isErrorBody'] = body =>
  Object.hasOwn(body, 'error') || Object.hasOwn(body, 'message') || Object.hasOwn(body, 'detail')

/** What examples for people ask, and the tool that they offer for it. */
export const exampleQuestion = 'Weather in Oslo?'
export const exampleTool: { readonly name: string } = { name: 'get_weather' }
export const exampleSchema: OpenApiSchema = { type: 'object', properties: { city: { type: 'string' } } }

/** A call has a name, or is not plain. */
export function isName(name: unknown): name is string {
  return typeof name === 'string' && name !== ''
}

/** Whether the model wants its calls to be run is decided by the calls. */
export function plainFinish(word: unknown, calls: readonly string[]): FinishReason | undefined {
  if (typeof word !== 'string') return undefined
  const reason = reasonOfWord(word)
  if (reason === 'length') return reason
  if (reason !== 'stop' && reason !== 'calls') return undefined
  return calls.length > 0 ? 'calls' : 'stop'
}

/** `usage`: as the wire counts; `counted`: what is plain of it. */
export function plainAnswer(
  finish: FinishReason | undefined,
  calls: readonly string[],
  usage: unknown,
  counted: PlainAnswer['usage'],
): PlainAnswer | undefined {
  if (finish === undefined || (isObject(usage) && counted === undefined)) return undefined
  return counted === undefined ? { finish, calls } : { finish, calls, usage: counted }
}

interface UsageNames {
  readonly input: string
  readonly output: string
  readonly inputDetails: string
  readonly outputDetails: string
}

/** On the OpenAI wires the totals include what was cached and what was reasoned. */
export function plainUsage(usage: unknown, names: UsageNames): PlainAnswer['usage'] {
  if (!isObject(usage)) return undefined
  const input = usage[names.input]
  const output = usage[names.output]
  if (typeof input !== 'number' || typeof output !== 'number') return undefined
  const inputs = detailsOf(usage[names.inputDetails])
  const reasoning = detailsOf(usage[names.outputDetails]).reasoning_tokens
  const { cached_tokens: cacheRead, cache_write_tokens: cacheWrite } = inputs
  return {
    input,
    output,
    ...(typeof cacheRead === 'number' && { cacheRead }),
    ...(typeof cacheWrite === 'number' && { cacheWrite }),
    ...(typeof reasoning === 'number' && { reasoning }),
  }
}

function detailsOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}
