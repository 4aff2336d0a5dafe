/** The prices of the configuration, which come before those that are built in. */
import type { Price } from '@toolwire/core/presets'
import type { PriceConfig } from './config.ts'
import type { FieldsOf, NumberRule, ObjectRule, Rule } from './rule.ts'
import { text, whole } from './rule.ts'

const dollars: NumberRule = { kind: 'number', min: 0, max: 1_000_000, fractions: true }

const rates = {
  input: { rule: dollars, required: true, about: 'For a million input tokens, in US dollars.' },
  output: { rule: dollars, required: true, about: 'For a million output tokens.' },
  cacheRead: {
    rule: dollars,
    about: 'For a million input tokens read from a cache; as other input by default.',
  },
  cacheWrite: { rule: dollars, about: 'For a million input tokens written to a cache.' },
} as const

const longFields: FieldsOf<NonNullable<Price['long']>> = {
  above: { rule: whole(1), required: true, about: 'For requests with more input tokens than this.' },
  ...rates,
}

const priceFields: FieldsOf<PriceConfig> = {
  model: {
    rule: text,
    required: true,
    about: 'The name of a model; with * at the end, the beginning of names.',
  },
  host: {
    rule: text,
    about: 'Only at this host, such as openai or anthropic; by default wherever it is served.',
  },
  ...rates,
  long: { rule: objectRule(longFields), about: 'Other rates for long requests.' },
  source: { rule: text, about: 'Where the price was read.' },
  date: { rule: text, about: 'When it was read.' },
}

function objectRule(fields: ObjectRule['fields']): ObjectRule {
  return { kind: 'object', fields }
}

export const pricesRule: Rule = { kind: 'list', item: objectRule(priceFields) }

export function priceFrom(price: PriceConfig): Price {
  return { source: 'configuration', date: '', ...price }
}
