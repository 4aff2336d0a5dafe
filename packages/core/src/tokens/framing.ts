/**
 * What each wire's servers add to the texts of a request before a model reads them. OpenAI's figures are those
 * of its cookbook for messages and of published measurements for tools and calls; for Claude, Anthropic has
 * published only the size of the prompt that comes with tools. As of November 2026.
 */
import type { Wire } from '../model/wire.ts'

export interface Framing {
  /** Where the conversation stands in a body, and where the cap of the answer. */
  readonly listField: string
  readonly limitField: string
  /** What the list holds. */
  readonly entry: 'message' | 'item'
  /** Around each message, besides its role. */
  readonly perMessage: number
  readonly countsRole: boolean
  /** Besides a name that a message carries. */
  readonly perName: number
  /** Besides the name and arguments of a call, and the name and content of its result. */
  readonly perCall: number
  readonly perResult: number
  /** Results without an id, as the deprecated functions had them. */
  readonly perLegacyResult: number
  /** Calls side by side: once, and for each call after the first. */
  readonly parallel: { readonly once: number; readonly each: number }
  /** For the beginning of the answer. */
  readonly reply: number
  /** Tools are shown as types in a namespace, or as their JSON. */
  readonly tools: 'namespace' | 'json'
  /** Images cost by tiles or patches, or by their area. */
  readonly images: 'tiles' | 'area'
  /** Around the tools; less when they share an existing system message, whose text then ends its line. */
  readonly aroundTools: { readonly alone: number; readonly withSystem: number }
  /** For a choice of tools other than the usual one. */
  readonly choice: { readonly none: number; readonly named: number }
}

const openai: Omit<Framing, 'listField' | 'limitField' | 'entry'> = {
  perMessage: 3,
  countsRole: true,
  perName: 1,
  perCall: 3,
  perResult: 4,
  perLegacyResult: 3,
  parallel: { once: 24, each: 5 },
  reply: 3,
  tools: 'namespace',
  images: 'tiles',
  aroundTools: { alone: 9, withSystem: 5 },
  choice: { none: 1, named: 4 },
}

export const framings: { readonly [W in Wire]: Framing } = {
  chat: { ...openai, listField: 'messages', limitField: 'max_completion_tokens', entry: 'message' },
  responses: { ...openai, listField: 'input', limitField: 'max_output_tokens', entry: 'item' },
  messages: {
    listField: 'messages',
    limitField: 'max_tokens',
    entry: 'message',
    perMessage: 3,
    countsRole: false,
    perName: 0,
    perCall: 0,
    perResult: 0,
    perLegacyResult: 0,
    parallel: { once: 0, each: 0 },
    reply: 4,
    tools: 'json',
    images: 'area',
    aroundTools: { alone: 0, withSystem: 0 },
    choice: { none: 0, named: 0 },
  },
}

/** The prompt that Anthropic adds to a request with tools: when the model may choose, and when it must call. */
export const claudeToolPrompts: { readonly [model: string]: readonly [free: number, forced: number] } = {
  'claude-3-opus': [530, 281],
  'claude-3-sonnet': [159, 235],
  'claude-3-haiku': [264, 340],
  'claude-3-5-haiku': [264, 355],
  'claude-3-5-sonnet': [346, 313],
  'claude-3-7-sonnet': [346, 313],
  'claude-opus-4-0': [313, 315],
  'claude-opus-4-20250514': [313, 315],
  'claude-opus-4-1': [313, 315],
  'claude-opus-4-5': [496, 588],
  'claude-opus-4-6': [497, 589],
  'claude-opus-4-7': [675, 804],
  'claude-opus-4-8': [290, 410],
  'claude-sonnet-4-0': [313, 315],
  'claude-sonnet-4-20250514': [313, 315],
  'claude-sonnet-4-5': [496, 588],
  'claude-sonnet-4-6': [497, 589],
  'claude-sonnet-5': [354, 474],
  'claude-haiku-4-5': [496, 588],
}

/** For a model that is not listed: that of most models that are. */
export const usualToolPrompt: readonly [free: number, forced: number] = [496, 588]
