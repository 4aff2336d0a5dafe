/**
 * The types of the rules for a configuration. From one table of rules come the checks and their messages, the defaults, the
 * JSON Schema for editors, and what `config print` shows and hides. Decision 18 explains why the rules are not JSON Schema.
 */

import type { Path } from '@toolwire/core'

export interface TextRule {
  readonly kind: 'text'
  /** Anchored at both ends. */
  readonly pattern?: RegExp
  /** What a text that fits the pattern is, after "must be". */
  readonly expects?: string
}

export interface FlagRule {
  readonly kind: 'flag'
  readonly only?: boolean
}

export interface NumberRule {
  readonly kind: 'number'
  readonly min: number
  readonly max?: number
  /** Fractions are allowed. */
  readonly fractions?: boolean
}

export interface ChoiceRule {
  readonly kind: 'choice'
  readonly of: readonly string[]
  /** Replies to words that are not choices but that people try. */
  readonly hints?: { readonly [word: string]: string }
}

/** The name of a registered wire. */
interface WireRule {
  readonly kind: 'wire'
}

interface NullRule {
  readonly kind: 'null'
}

/** Any JSON object. */
interface AnyObjectRule {
  readonly kind: 'any object'
}

export interface ListRule {
  readonly kind: 'list'
  readonly item: Rule
}

/** An object whose keys are chosen by the user. */
export interface MapRule {
  readonly kind: 'map'
  readonly value: Rule
}

export interface ObjectRule {
  readonly kind: 'object'
  readonly fields: Fields
  /** Words that people try, and the field they mean. */
  readonly aliases?: { readonly [word: string]: string }
}

export interface EitherRule {
  readonly kind: 'either'
  readonly of: readonly Rule[]
  /** The rule that applies to this value. */
  choose(value: unknown): Rule | undefined
  /** After "must be". */
  readonly expects: string
}

/** A value that only a program can hold, such as a function. */
interface CodeRule {
  readonly kind: 'code'
  /** All problems of the value. */
  flaws(value: unknown): readonly CodeFlaw[]
}

export interface CodeFlaw {
  /** Relative to the value. */
  readonly path: Path
  /** The message after the name of the setting. */
  readonly message: string
  readonly remedy?: string
}

export type Rule =
  | TextRule
  | FlagRule
  | NumberRule
  | ChoiceRule
  | WireRule
  | NullRule
  | AnyObjectRule
  | ListRule
  | MapRule
  | ObjectRule
  | EitherRule
  | CodeRule

export interface Field {
  readonly rule: Rule
  /** One sentence, for editors and documents. */
  readonly about: string
  readonly required?: boolean
  /** The default, where it is a constant. */
  readonly default?: string | number | boolean | readonly string[]
  /** All strings in it are masked wherever the configuration is shown. */
  readonly secret?: boolean
}

export type Fields = { readonly [name: string]: Field }

/** Exactly the fields of one interface, so that the compiler checks the table against the type. */
export type FieldsOf<T> = { readonly [K in keyof Required<T> & string]: Field }

export const text: TextRule = { kind: 'text' }
export const flag: FlagRule = { kind: 'flag' }
export const texts: ListRule = { kind: 'list', item: text }
export const textMap: MapRule = { kind: 'map', value: text }

export const choice = (of: readonly string[], hints?: ChoiceRule['hints']): ChoiceRule =>
  hints === undefined ? { kind: 'choice', of } : { kind: 'choice', of, hints }

export const whole = (min: number, max?: number): NumberRule =>
  max === undefined ? { kind: 'number', min } : { kind: 'number', min, max }

export const orNull = (rule: Rule, expects: string): EitherRule => ({
  kind: 'either',
  of: [rule, { kind: 'null' }],
  choose: value => (value === null ? { kind: 'null' } : rule),
  expects,
})
