/** The filter language of the list: `model:qwen* status:>=400 -client:curl tool:read_file "some words"`. */
import type { TraceSummary } from '../../../toolwire/src/telemetry/traces/trace-document.ts'

type Value = string | number | boolean | undefined
type Values = Value | readonly string[]

interface Field {
  readonly about: string
  read(summary: TraceSummary): Values
  /** It is compared as a number. */
  readonly isNumber?: boolean
  /** Values to offer before any were seen. */
  readonly samples?: readonly string[]
}

/** Everything that can be asked for, in the order in which it is offered. */
export const fields: { readonly [name: string]: Field } = {
  model: {
    about: 'asked for or used',
    read: ({ model, upstream_model }) => [model ?? '', upstream_model ?? ''],
  },
  client: { about: 'the program that asked', read: ({ client }) => client },
  wire: {
    about: 'of the client or the upstream',
    read: ({ wire, upstream_wire }) => [wire ?? '', upstream_wire ?? ''],
  },
  upstream: { about: 'who answered', read: ({ upstream }) => upstream },
  status: {
    about: 'of the answer',
    isNumber: true,
    read: ({ status }) => status,
    samples: ['>=400', '200', '429'],
  },
  losses: { about: 'how many', isNumber: true, read: ({ losses }) => losses, samples: ['>0'] },
  loss: { about: 'the code of a loss', read: ({ loss_codes: codes = {} }) => Object.keys(codes) },
  tool: { about: 'called or run', read: ({ tools }) => tools ?? [] },
  calls: {
    about: 'tool calls returned',
    isNumber: true,
    read: ({ client_calls }) => client_calls,
    samples: ['>0'],
  },
  runs: {
    about: 'tools run by the gateway',
    isNumber: true,
    read: ({ tool_runs }) => tool_runs,
    samples: ['>0'],
  },
  in: {
    about: 'input tokens',
    isNumber: true,
    read: ({ input_tokens }) => input_tokens,
    samples: ['>10000'],
  },
  out: {
    about: 'output tokens',
    isNumber: true,
    read: ({ output_tokens }) => output_tokens,
    samples: ['>1000'],
  },
  cached: {
    about: 'cached tokens',
    isNumber: true,
    read: ({ cache_read_tokens }) => cache_read_tokens,
    samples: ['>0', '0'],
  },
  cost: { about: 'in dollars', isNumber: true, read: ({ cost_usd }) => cost_usd, samples: ['>0.01'] },
  first: {
    about: 'milliseconds to the first byte',
    isNumber: true,
    read: ({ first_byte_ms }) => first_byte_ms,
    samples: ['>1000'],
  },
  total: {
    about: 'milliseconds in all',
    isNumber: true,
    read: ({ total_ms }) => total_ms,
    samples: ['>10000'],
  },
  finish: { about: 'how it ended', read: ({ finish }) => finish },
  failure: { about: 'the code of a failure', read: ({ failure }) => failure, samples: ['*'] },
  retries: {
    about: 'attempts beyond the first',
    isNumber: true,
    read: ({ retries }) => retries,
    samples: ['>0'],
  },
  rounds: {
    about: 'requests to the upstream',
    isNumber: true,
    read: ({ rounds }) => rounds,
    samples: ['>1'],
  },
  stream: { about: 'true or false', read: ({ streamed }) => streamed === true, samples: ['true', 'false'] },
  state: { about: 'running or ended', read: ({ state }) => state, samples: ['running', 'ended'] },
  lane: { about: 'of a socket', read: ({ lane }) => lane },
  conversation: { about: 'its id', read: ({ conversation }) => conversation },
  id: { about: 'of the request or the response', read: ({ id, response_id }) => [id, response_id ?? ''] },
}

type Test = (summary: TraceSummary) => boolean

export interface Filter {
  matches(summary: TraceSummary): boolean
  /** What in the text means nothing. */
  readonly problems: readonly string[]
  readonly isEmpty: boolean
}

const comparison = /^(>=|<=|>|<|=)?(-?\d+(?:\.\d+)?)(k|m)?$/i

/** A last word that may become the name of a field. */
const unfinished = /(?:^|\s)-?([a-z]+)$/i

function isUnfinished(text: string): boolean {
  const isQuoted = text.split('"').length % 2 === 0
  const word = isQuoted ? undefined : unfinished.exec(text)?.[1]?.toLowerCase()
  return word !== undefined && Object.keys(fields).some(name => name.startsWith(word))
}

/** Makes a word of a last one that could still become the name of a field. */
export function endWord(text: string): string {
  return isUnfinished(text) ? `${text} ` : text
}

/** The list must not be empty while the name of a field is typed, so an unfinished one filters nothing. */
export function parseFilter(text: string): Filter {
  const problems: string[] = []
  const typed = isUnfinished(text) ? text.replace(unfinished, '') : text
  const tests = termsOf(typed).flatMap(term => {
    const test = testOf(term, problems)
    return test === undefined ? [] : [test]
  })
  return { matches: summary => tests.every(test => test(summary)), problems, isEmpty: tests.length === 0 }
}

interface Term {
  readonly isNot: boolean
  readonly field: string | undefined
  readonly value: string
}

/** Quotes keep blanks together; a colon parts a field from its value. */
function termsOf(text: string): Term[] {
  const found = text.matchAll(/(-?)(?:([a-z]+):)?(?:"([^"]*)"?|(\S*))/gi)
  return [...found]
    .filter(([all]) => all !== '')
    .map(([, not, field, quoted, plain]) => ({
      isNot: not === '-',
      field: field?.toLowerCase(),
      value: quoted ?? plain ?? '',
    }))
}

function testOf({ isNot, field, value }: Term, problems: string[]): Test | undefined {
  if (field === undefined || (fields[field] === undefined && value.startsWith('//'))) {
    const wanted = (field === undefined ? value : `${field}:${value}`).toLowerCase()
    return wanted === '' ? undefined : summary => textOf(summary).includes(wanted) !== isNot
  }
  const known = Object.hasOwn(fields, field) ? fields[field] : undefined
  if (known === undefined) {
    problems.push(`There is no "${field}:".`)
    return undefined
  }
  if (value === '') return undefined
  if (known.isNumber && !comparison.test(value)) problems.push(`"${field}:" takes a number.`)
  const fits = valueTest(value)
  return summary => {
    const read = known.read(summary)
    const values: readonly Value[] = Array.isArray(read) ? read : [read as Value]
    return values.some(fits) !== isNot
  }
}

function valueTest(value: string): (given: Value) => boolean {
  const [, sign = '=', digits, unit = ''] = comparison.exec(value) ?? []
  const pattern = wildcard(value)
  const number = digits === undefined ? undefined : Number(digits) * (units[unit.toLowerCase()] ?? 1)
  return given => {
    if (given === undefined) return false
    if (typeof given === 'number') return number !== undefined && compare(given, sign, number)
    if (typeof given === 'boolean') return String(given) === value.toLowerCase()
    return given !== '' && pattern(given.toLowerCase())
  }
}

const units: { readonly [unit: string]: number } = { k: 1000, m: 1_000_000 }

function compare(given: number, sign: string, wanted: number): boolean {
  switch (sign) {
    case '>':
      return given > wanted
    case '>=':
      return given >= wanted
    case '<':
      return given < wanted
    case '<=':
      return given <= wanted
    default:
      return given === wanted
  }
}

/** `*` stands for anything; without one, the beginning of a word is enough. */
function wildcard(value: string): (text: string) => boolean {
  const pieces = value.toLowerCase().split('*')
  if (pieces.length === 1) return text => text.includes(value.toLowerCase())
  const [first = '', ...rest] = pieces
  const last = rest.pop() ?? ''
  return text => {
    if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
      return false
    let at = first.length
    for (const piece of rest) {
      const found = text.indexOf(piece, at)
      if (found === -1) return false
      at = found + piece.length
    }
    return at <= text.length - last.length
  }
}

function textOf(summary: TraceSummary): string {
  const {
    id,
    route,
    model,
    upstream_model,
    client,
    upstream,
    prompt,
    failure,
    finish,
    conversation,
    tools = [],
  } = summary
  return [id, route, model, upstream_model, client, upstream, prompt, failure, finish, conversation, ...tools]
    .filter(text => text !== undefined)
    .join('\n')
    .toLowerCase()
}

export interface Completion {
  /** The whole text of the filter with the completion in it. */
  readonly text: string
  readonly label: string
  readonly about: string
}

const shownCompletions = 8

/** What could stand at the end of the text: names of fields, then values that were seen. */
export function completions(text: string, seen: readonly TraceSummary[]): Completion[] {
  const [, before = '', not = '', word = ''] = /^(.*?)(-?)(\S*)$/s.exec(text) ?? []
  const colon = word.indexOf(':')
  if (colon === -1) {
    if (word === '' && before.trim() !== '') return []
    return Object.entries(fields)
      .filter(([name]) => name.startsWith(word.toLowerCase()))
      .slice(0, shownCompletions)
      .map(([name, { about }]) => ({ text: `${before}${not}${name}:`, label: `${name}:`, about }))
  }
  const name = word.slice(0, colon).toLowerCase()
  const given = word.slice(colon + 1).toLowerCase()
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (field === undefined) return []
  const counts = new Map<string, number>((field.samples ?? []).map(sample => [sample, 0]))
  for (const summary of seen) {
    const read = field.read(summary)
    // A model that was asked for and used is one.
    for (const value of new Set<Value>(Array.isArray(read) ? read : [read as Value])) {
      if (typeof value === 'string' && value !== '') counts.set(value, (counts.get(value) ?? 0) + 1)
    }
  }
  return [...counts]
    .filter(([value]) => value.toLowerCase().startsWith(given) && value.toLowerCase() !== given)
    .sort((a, b) => b[1] - a[1])
    .slice(0, shownCompletions)
    .map(([value, count]) => ({
      text: `${before}${not}${name}:${value.includes(' ') ? `"${value}"` : value} `,
      label: value,
      about: count === 0 ? '' : `${count}×`,
    }))
}
