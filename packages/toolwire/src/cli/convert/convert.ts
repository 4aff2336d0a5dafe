/** `toolwire convert`: tools, requests, answers and streams of one wire in, of another out. */

import type { WireSet } from '../../config/wires.ts'
import { UsageError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import { nearest } from '../../terminal/suggest.ts'
import { type Arguments, sourceFlag, wireOption } from '../arguments.ts'
import { convertRequest, convertResponse } from './convert-body.ts'
import { convertStream } from './convert-stream.ts'
import { convertTools } from './convert-tools.ts'
import type { Converter } from './job.ts'
import { readOptions } from './job.ts'

const converters = {
  tools: convertTools,
  request: convertRequest,
  response: convertResponse,
  stream: convertStream,
} as const satisfies { readonly [noun: string]: Converter }

type Noun = keyof typeof converters

const nouns = Object.keys(converters) as Noun[]

/** Other words for them. */
const synonyms: { readonly [word: string]: Noun } = {
  answer: 'response',
  reply: 'response',
  body: 'request',
  events: 'stream',
  sse: 'stream',
}

/** Flags that not every noun takes. */
const flagNouns: { readonly [flag: string]: readonly Noun[] } = {
  pairing: ['request'],
  request: ['response', 'stream'],
  json: ['tools', 'request', 'response'],
  compact: ['tools', 'request', 'response'],
}
/** For an answer these flags describe how its request was converted. */
const requestFlags = [
  'strict-mode',
  'misplaced-strict',
  'hosted',
  'unknown',
  'native-custom',
  'max-name-length',
]

export async function run(args: Arguments, io: Io, wires: WireSet): Promise<number> {
  const { noun, file } = readPositionals(args.positionals)
  checkFlags(noun, args)
  const to = wireOption('--to', args.value('to'), wires)
  if (to === undefined) throw new UsageError(`--to is missing: one of ${wires.names.join(', ')}.`)
  const isTools = noun === 'tools'
  const source = isTools ? sourceFlag('--from', args.value('from'), wires) : undefined
  const from = isTools ? undefined : wireOption('--from', args.value('from'), wires)
  const request = args.value('request')
  if (request === '-' && file === '-') throw new UsageError('Only one of the two can come from stdin.')
  const options = readOptions(args, wires)
  return converters[noun]({ file, from, source, to, request, args, wires, options }, io)
}

function readPositionals([noun, file = '-', ...more]: readonly string[]): { noun: Noun; file: string } {
  const choice = `There are ${nouns.join(', ')}.`
  if (noun === undefined) throw new UsageError('Say what to convert.', choice)
  if (!isNoun(noun)) {
    const hint = looksLikeFile(noun)
      ? `Say what it holds, as in "toolwire convert tools ${printable(noun)}". ${choice}`
      : (suggestNoun(noun) ?? choice)
    throw new UsageError(`"${printable(noun)}" cannot be converted.`, hint)
  }
  if (more.length > 0) throw new UsageError('One file at a time, please.')
  return { noun, file }
}

function isNoun(word: string): word is Noun {
  return Object.hasOwn(converters, word)
}

function suggestNoun(word: string): string | undefined {
  const [best] = nearest(word, [...nouns, ...Object.keys(synonyms)])
  if (best === undefined) return undefined
  return `Did you mean "${Object.hasOwn(synonyms, best) ? synonyms[best] : best}"?`
}

function looksLikeFile(word: string): boolean {
  return word === '-' || /[./\\]/.test(word)
}

function checkFlags(noun: Noun, args: Arguments): void {
  for (const [flag, takers] of Object.entries(flagNouns)) {
    if (!args.flag(flag) || takers.includes(noun)) continue
    const hint = `It goes with ${takers.map(taker => `"convert ${taker}"`).join(', ')}.`
    throw new UsageError(`--${flag} does not go with "convert ${noun}".`, hint)
  }
  if (!flagNouns.request?.includes(noun) || args.flag('request')) return
  const flag = requestFlags.find(name => args.flag(name))
  if (flag === undefined) return
  throw new UsageError(
    `--${flag} tells how the request of this answer was converted.`,
    'Give that request with --request.',
  )
}
