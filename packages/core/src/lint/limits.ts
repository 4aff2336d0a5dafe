/**
 * What each wire's provider refuses, beyond the facts a conversion needs (those stand in the codecs'
 * profiles). Every value was seen in a provider's answer or its specification.
 */
import type { Wire } from '../model/wire.ts'
import { messagesStrictRules, openaiStrictRules, type StrictRules } from '../schema/strict/rules.ts'

export interface Limits {
  readonly maxTools: number
  readonly maxDescription: number
  readonly maxNamespaceName: number
  /** Names inside a namespace may be longer than those at the top. */
  readonly maxInnerName: number
  /** `description: null` and `parameters: null` count as left out. */
  readonly nullFields: boolean
  /** An object at the root must list its properties, even when there are none. */
  readonly rootProperties: boolean
  /** An array must say what its items are. */
  readonly arrayItems: boolean
  /** Keywords refused at the root of the parameters. */
  readonly rootRefused: readonly string[]
  /** What the names of the root's properties must match. */
  readonly propertyName: RegExp | null
  /** The subset of JSON Schema that strict mode takes. */
  readonly strictRules: StrictRules
}

const none = Number.POSITIVE_INFINITY

const openai: Limits = {
  maxTools: 128,
  maxDescription: none,
  maxNamespaceName: 64,
  maxInnerName: 128,
  nullFields: false,
  rootProperties: true,
  arrayItems: true,
  rootRefused: ['oneOf', 'anyOf', 'allOf', 'enum', 'not'],
  propertyName: null,
  strictRules: openaiStrictRules,
}

export const limits: { readonly [W in Wire]: Limits } = {
  chat: { ...openai, maxDescription: 1024 },
  responses: { ...openai, nullFields: true },
  messages: {
    ...openai,
    maxTools: none,
    rootProperties: false,
    arrayItems: false,
    rootRefused: ['oneOf', 'anyOf', 'allOf'],
    propertyName: /^[a-zA-Z0-9_.-]{1,64}$/,
    strictRules: messagesStrictRules,
  },
}
