/** The parameters of a request. Some stand in `reasoning`, `text` and `include`, beside others of this wire only. */
import type { Path, Report } from '../../model/diagnostic.ts'
import type { JsonObject } from '../../model/json.ts'
import { compact, isObject, own } from '../../model/json.ts'
import type { OutputFormat, Setting, Settings } from '../../model/request.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import type { FieldReader } from '../field-reader.ts'
import { createFieldReader } from '../field-reader.ts'
import { readList, readNumber } from './fields.ts'

const logprobsInclude = 'message.output_text.logprobs'

export interface ReadSettings {
  readonly settings: Settings
  readonly entries: ResidueEntry[]
  readonly quiet: ResidueEntry[]
}

export function readSettings(body: JsonObject, fields: FieldReader): ReadSettings {
  const number = (key: string): Setting<number> | undefined => at(readNumber(body, fields, key), [key])
  const string = (key: string): Setting<string> | undefined => at(fields.string(key), [key])
  const boolean = (key: string): Setting<boolean> | undefined => at(fields.boolean(key), [key])
  const reasoning = openObject(fields, 'reasoning')
  const text = openObject(fields, 'text')
  const format = readFormat(text.fields.object('format'))
  const include = readInclude(readList(body, fields, 'include'))
  const settings = compact({
    maxOutputTokens: number('max_output_tokens'),
    temperature: number('temperature'),
    topP: number('top_p'),
    stream: boolean('stream'),
    effort: at(reasoning.fields.string('effort'), ['reasoning', 'effort']),
    format: at(format.value, ['text', 'format']),
    verbosity: at(text.fields.string('verbosity'), ['text', 'verbosity']),
    logprobs: include.logprobs,
    topLogprobs: number('top_logprobs'),
    store: boolean('store'),
    metadata: at(fields.object('metadata'), ['metadata']),
    serviceTier: string('service_tier'),
    safetyIdentifier: string('safety_identifier'),
    promptCacheKey: string('prompt_cache_key'),
    promptCacheRetention: string('prompt_cache_retention'),
    user: string('user'),
  })
  return {
    settings,
    entries: [
      ...reasoning.fields.rest(['reasoning']),
      ...text.fields.rest(['text']),
      ...format.entries,
      ...include.entries,
    ],
    quiet: [...reasoning.quiet, ...text.quiet, ...include.quiet],
  }
}

function at<T>(value: T | undefined, path: Path): Setting<T> | undefined {
  return value === undefined ? undefined : { value, path }
}

/** The fields of an object inside the body; an empty one says nothing but goes back. */
function openObject(fields: FieldReader, key: string): { fields: FieldReader; quiet: ResidueEntry[] } {
  const value = fields.object(key)
  const empty = value !== undefined && Object.keys(value).length === 0
  return { fields: createFieldReader(value ?? {}), quiet: empty ? [[[key], {}]] : [] }
}

function readFormat(format: JsonObject | undefined): { value?: OutputFormat; entries: ResidueEntry[] } {
  if (format === undefined) return { entries: [] }
  const path = ['text', 'format']
  const fields = createFieldReader(format)
  const type = fields.string('type')
  if (type === 'text' || type === 'json_object') return { value: { type }, entries: fields.rest(path) }
  if (type !== 'json_schema') return { entries: [[path, format]] }
  const said = compact({
    name: fields.string('name'),
    schema: fields.value('schema'),
    strict: fields.boolean('strict'),
    description: fields.string('description'),
  })
  return { value: { type, ...said }, entries: fields.rest(path) }
}

/** Of what may be included only the logprobs have a name elsewhere. The list is restored last, in its order. */
function readInclude(list: readonly unknown[] | undefined): {
  logprobs?: Setting<boolean>
  entries: ResidueEntry[]
  quiet: ResidueEntry[]
} {
  if (list === undefined) return { entries: [], quiet: [] }
  const index = list.indexOf(logprobsInclude)
  const entries = list.flatMap((value, i): ResidueEntry[] => (i === index ? [] : [[['include', i], value]]))
  const quiet: ResidueEntry[] = [[['include'], list]]
  return { ...(index >= 0 && { logprobs: { value: true, path: ['include', index] } }), entries, quiet }
}

/** Writes the settings over a body that already holds its residue. */
export function writeSettings(
  settings: Settings,
  body: Record<string, unknown>,
  isOwn: boolean,
  report: Report,
): void {
  const { effort, format, verbosity, logprobs } = settings
  const text = compact({
    format: format && writeFormat(format.value, body, isOwn),
    verbosity: verbosity?.value,
  })
  const written = compact({
    max_output_tokens: settings.maxOutputTokens?.value,
    temperature: settings.temperature?.value,
    top_p: settings.topP?.value,
    reasoning: effort && { ...inner(body, 'reasoning'), effort: effort.value },
    text: format || verbosity ? { ...inner(body, 'text'), ...text } : undefined,
    include: writeInclude(own(body, 'include'), logprobs?.value === true),
    top_logprobs: settings.topLogprobs?.value,
    // Left out, the server would keep what the other wires do not keep.
    store: settings.store?.value ?? (isOwn ? undefined : false),
    stream: settings.stream?.value,
    metadata: settings.metadata?.value,
    service_tier: settings.serviceTier?.value,
    safety_identifier: settings.safetyIdentifier?.value,
    prompt_cache_key: settings.promptCacheKey?.value,
    prompt_cache_retention: settings.promptCacheRetention?.value,
    user: settings.user?.value,
  })
  Object.assign(body, written)
  reportUnsaid(settings, report)
}

function inner(body: JsonObject, key: string): JsonObject {
  const value = own(body, key)
  return isObject(value) ? value : {}
}

/** A schema needs a name here, which other wires do without. */
function writeFormat(format: OutputFormat, body: JsonObject, isOwn: boolean): JsonObject {
  const left = inner(inner(body, 'text'), 'format')
  if (format.type !== 'json_schema') return { type: format.type, ...left }
  const { type, name, schema, strict, description } = format
  return {
    ...compact({ type, name: name ?? (isOwn ? undefined : 'response'), schema, strict, description }),
    ...left,
  }
}

function writeInclude(left: unknown, logprobs: boolean): unknown {
  const list: readonly unknown[] | undefined = Array.isArray(left) ? left : undefined
  if (logprobs) return list?.includes(logprobsInclude) ? list : [...(list ?? []), logprobsInclude]
  return list?.includes(logprobsInclude) ? list.filter(value => value !== logprobsInclude) : left
}

function reportUnsaid({ stop, includeUsage }: Settings, report: Report): void {
  if (stop !== undefined) {
    report('field_dropped', stop.path, 'Responses has no stop sequences; they were left out.')
  }
  if (includeUsage !== undefined) {
    report('hint_dropped', includeUsage.path, 'A Responses stream always ends with its usage.')
  }
}
