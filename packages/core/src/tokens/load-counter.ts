/**
 * Counters over the real vocabularies. They weigh megabytes, so that they are an optional peer and are loaded
 * when somebody asks for them, once.
 */
import type { Encoding, TokenCounter } from './counter.ts'
import { cutLongRuns, longestRun } from './long-runs.ts'

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
  // A text that spells a special token is still a text to whoever wrote it.
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
