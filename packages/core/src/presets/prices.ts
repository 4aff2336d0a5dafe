/**
 * What hosts ask for tokens, in US dollars for a million. Prices change: each row says where it was read and when, and a
 * caller's own rows come first. A model that is not listed has no known price, and nothing is guessed.
 */

export interface Rates {
  readonly input: number
  readonly output: number
  /** Input read from a cache, and written to one. Without them it costs what other input does. */
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

/** What a host asks for the tokens of a model, with its source and date. */
export interface Price extends Rates {
  /** The name of a model. One that ends in `*` is the beginning of names; any other also stands for its dated versions. */
  readonly model: string
  /** The name of the host that asks for it, in `hosts`; none: wherever the model is served. */
  readonly host?: string
  /** For requests with more input tokens than this. */
  readonly long?: Rates & { readonly above: number }
  readonly source: string
  /** When it was read. */
  readonly date: string
}

const claude = {
  host: 'anthropic',
  source: 'platform.claude.com/docs/en/about-claude/pricing',
  date: '2026-11',
}
/** The page of one model. */
const claudePage = (name: string): Pick<Price, 'host' | 'source' | 'date'> => ({
  host: 'anthropic',
  source: `platform.claude.com/docs/en/models/${name}/overview`,
  date: '2026-10',
})
const openai = { host: 'openai', source: 'developers.openai.com/api/docs/models' }

/** Only what the host itself says; where a single rate is known from others who quote it, the source says so. */
export const prices: readonly Price[] = [
  { model: 'claude-fable-5-1', input: 10, output: 50, cacheRead: 0.25, cacheWrite: 12.5, ...claude },
  { model: 'claude-fable-5', input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5, ...claude },
  {
    model: 'claude-opus-5-5',
    input: 4,
    output: 20,
    cacheRead: 0.2,
    cacheWrite: 5,
    ...claudePage('opus-5-5'),
  },
  { model: 'claude-opus-5', input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25, ...claude },
  { model: 'claude-opus-4-8', input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25, ...claude },
  { model: 'claude-opus-4-7', input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25, ...claude },
  { model: 'claude-opus-4-6', input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25, ...claude },
  { model: 'claude-opus-4-5', input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25, ...claude },
  { model: 'claude-opus-4-1', input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75, ...claude },
  {
    model: 'claude-sonnet-5-5',
    input: 2,
    output: 10,
    cacheRead: 0.1,
    cacheWrite: 2.5,
    host: 'anthropic',
    source: `${claudePage('sonnet-5-5').source}; cached input as docs.rs/synaps 0.10.2 quotes it`,
    date: '2026-10',
  },
  { model: 'claude-sonnet-5', input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5, ...claude },
  { model: 'claude-sonnet-4-6', input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, ...claude },
  { model: 'claude-sonnet-4-5', input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, ...claude },
  { model: 'claude-sonnet-4', input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, ...claude },
  {
    model: 'claude-haiku-5-5',
    input: 0.1,
    output: 0.5,
    cacheRead: 0.01,
    cacheWrite: 0.125,
    long: { above: 100_000, input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625 },
    host: 'anthropic',
    source: `${claudePage('haiku-5-5').source}; cached input as docs.rs/synaps 0.10.2 quotes it`,
    date: '2026-10',
  },
  { model: 'claude-haiku-4-5', input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25, ...claude },
  {
    model: 'gpt-5.4',
    input: 2.5,
    output: 15,
    cacheRead: 0.25,
    long: { above: 272_000, input: 5, output: 22.5, cacheRead: 0.5 },
    ...openai,
    date: '2026-04',
  },
  { model: 'gpt-5-nano', input: 0.05, output: 0.4, cacheRead: 0.005, ...openai, date: '2026-11' },
]

/** The price of a model at a host: of the caller's own rows, then of this table. */
export function priceOf(
  model: string,
  host: string | undefined,
  own: readonly Price[] = [],
): Price | undefined {
  const fits = (price: Price): boolean =>
    (price.host === undefined || price.host === host) && isNamed(model, price.model)
  return own.find(fits) ?? prices.find(fits)
}

/** Dated versions of a model cost what it does: `gpt-5-2025-08-07`, `claude-opus-4-1-20250805`. */
const version = /^-20\d\d-?\d\d-?\d\d$/

function isNamed(model: string, name: string): boolean {
  if (name.endsWith('*')) return model.startsWith(name.slice(0, -1))
  return model === name || (model.startsWith(name) && version.test(model.slice(name.length)))
}

interface Tokens {
  /** All input tokens, cached ones included. */
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

/** In US dollars. */
export function costOf({ input, output, cacheRead = 0, cacheWrite = 0 }: Tokens, price: Price): number {
  const rates = price.long !== undefined && input > price.long.above ? price.long : price
  const fresh = Math.max(0, input - cacheRead - cacheWrite)
  const sum =
    fresh * rates.input +
    output * rates.output +
    cacheRead * (rates.cacheRead ?? rates.input) +
    cacheWrite * (rates.cacheWrite ?? rates.input)
  return sum / 1e6
}
