/**
 * Counters over the public vocabularies. They take megabytes, so they are an optional peer dependency that is loaded
 * once, when somebody asks for it.
 */
import type { Encoding } from '../presets/models.ts'
import { modelEncodings } from '../presets/models.ts'
import type { TokenCounter } from './counter.ts'
import { estimateCounter } from './estimate.ts'
import { longestMatch } from './model-limits.ts'

/** What is used of the tokenizer package. */
interface Vocabulary {
  countTokens(text: string, options: { readonly disallowedSpecial: Set<string> }): number
}

const vocabularies: { readonly [E in Encoding]: () => Promise<Vocabulary> } = {
  o200k_base: () => import('gpt-tokenizer/encoding/o200k_base'),
  cl100k_base: () => import('gpt-tokenizer/encoding/cl100k_base'),
}

const loaded = new Map<Encoding, Promise<TokenCounter>>()

/** Rejects with what to install when the tokenizer is not there. */
export function loadCounter(encoding: Encoding): Promise<TokenCounter> {
  const known = loaded.get(encoding)
  if (known !== undefined) return known
  const load = Object.hasOwn(vocabularies, encoding) ? vocabularies[encoding] : undefined
  if (load === undefined) return Promise.reject(unknownEncoding(encoding))
  const counter = load().then(
    vocabulary => createCounter(encoding, vocabulary),
    cause => {
      // The next attempt may find it installed.
      loaded.delete(encoding)
      throw notInstalled(encoding, cause)
    },
  )
  loaded.set(encoding, counter)
  return counter
}

function createCounter(encoding: Encoding, vocabulary: Vocabulary): TokenCounter {
  // A text that contains the spelling of a special token is counted as text.
  const options = { disallowedSpecial: new Set<string>() }
  return {
    method: encoding,
    encoding,
    errorBound: {
      kind: 'exact',
      percent: 0,
      note: `Exact for text in ${encoding}; each unbroken run over ${longestRun} characters is cut, at up to one token a cut.`,
    },
    count(text) {
      let tokens = 0
      for (const piece of cutLongRuns(text)) tokens += vocabulary.countTokens(piece, options)
      return tokens
    },
  }
}

function unknownEncoding(encoding: unknown): Error {
  const names = Object.keys(vocabularies).join(', ')
  return new TypeError(`There is no encoding ${JSON.stringify(encoding)}; there are ${names}.`)
}

function notInstalled(encoding: Encoding, cause: unknown): Error {
  return new Error(
    `Counting in ${encoding} needs the package gpt-tokenizer: npm install gpt-tokenizer@4. ` +
      'A service worker may not load it later: bundle it into the worker’s own file, without splitting. ' +
      'Without it, estimateCounter counts roughly.',
    { cause },
  )
}

/** The model's encoding; `undefined` when none is public, or the model is not known. */
export function encodingOfModel(model: unknown): Encoding | undefined {
  return longestMatch(model, modelEncodings)
}

/** The model's own tokenizer where it is public, otherwise an estimate with a note. */
export async function counterForModel(model: string): Promise<TokenCounter> {
  const encoding = encodingOfModel(model)
  if (encoding !== undefined) return await loadCounter(encoding)
  const isClaude = typeof model === 'string' && /\bclaude\b/i.test(model)
  return isClaude ? claudeCounter : { ...estimateCounter, errorBound: unknownTokenizer }
}

const unknownTokenizer: TokenCounter['errorBound'] = {
  kind: 'estimate',
  note: `The tokenizer of this model is not known here. ${estimateCounter.errorBound.note}`,
}

const claudeCounter: TokenCounter = {
  ...estimateCounter,
  errorBound: {
    kind: 'estimate',
    note:
      'No tokenizer of Claude is public. The estimate is within 15 % of o200k_base; Anthropic says that its newer ' +
      'tokenizers give about 30 % more tokens than its earlier ones. POST /v1/messages/count_tokens is exact.',
  },
}

/** The longest run that is left whole, in UTF-16 units. */
export const longestRun = 512

/** Which kinds of pieces a character can be part of. A run goes on while one kind fits all of it. */
const word = 1
const space = 2
const marks = 4
const digit = 8

/**
 * Byte-pair encoding works on pieces between which it never merges (words, spaces, marks) and takes time in the square
 * of a piece's length. Real pieces are short, but a megabyte of one letter is one piece, so long runs are cut.
 */
export function cutLongRuns(text: string): readonly string[] {
  if (text.length <= longestRun) return [text]
  const cuts: number[] = []
  let runStart = 0
  let kinds = word | space | marks | digit
  let width = 1
  for (let at = 0; at < text.length; at += width) {
    const code = text.codePointAt(at) ?? 0
    width = code > 0xffff ? 2 : 1
    const mask = code < 128 ? asciiKinds(code) : wideKinds(code)
    kinds &= mask
    if (kinds === 0 || mask === digit) {
      kinds = mask
      runStart = at
    } else if (at - runStart >= longestRun) {
      cuts.push(at)
      runStart = at
    }
  }
  return cuts.length === 0 ? [text] : pieces(text, cuts)
}

function asciiKinds(code: number): number {
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return word
  if (code >= 48 && code <= 57) return digit
  // Line ends belong to the spaces before them, and to the marks before them.
  if (code === 10 || code === 13) return space | marks
  return code === 32 || (code >= 9 && code <= 12) ? space : marks
}

const letter = /^\p{L}/u
const combining = /^\p{M}/u
const number = /^\p{N}/u
const blank = /^\s/u

function wideKinds(code: number): number {
  const char = String.fromCodePoint(code)
  if (letter.test(char)) return word
  // A mark on a letter is part of the word in one encoding and stands alone in another.
  if (combining.test(char)) return word | marks
  if (number.test(char)) return digit
  return blank.test(char) ? space : marks
}

function pieces(text: string, cuts: readonly number[]): string[] {
  const found: string[] = []
  let from = 0
  for (const to of [...cuts, text.length]) {
    found.push(text.slice(from, to))
    from = to
  }
  return found
}
