/** Facts that OpenAI's two wires share, as of November 2026. */
import type { Emulation } from '../../model/tool.ts'
import { openaiStrictRules } from '../../schema/strict/rules.ts'
import type { TokenFraming, ToolLimits } from '../define-wire.ts'

/** What OpenAI demands of the schema of parameters, strict or not. */
export const openaiSchemas = {
  rootTypeRequired: true,
  soundSchemas: true,
  rootProperties: true,
  rootRefused: ['oneOf', 'anyOf', 'allOf', 'enum', 'not'],
  arrayItems: true,
} as const

/** Every value was seen in an answer of the provider, or in its specification. */
export const openaiLimits: ToolLimits = {
  maxTools: 128,
  maxDescription: Number.POSITIVE_INFINITY,
  maxNamespaceName: 64,
  maxInnerName: 128,
  nullFields: false,
  propertyName: null,
  strictRules: openaiStrictRules,
}

/** From OpenAI's cookbook for messages, and from published measurements for tools and calls. */
export const openaiFraming: Omit<TokenFraming, 'listField' | 'limitField' | 'entry'> = {
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

/** A web search as an ordinary function. */
export const webSearchEmulation = (): Emulation => ({
  name: 'web_search',
  description: 'Search the web for information',
  parameters: {
    type: 'object',
    properties: { query: { type: 'string', description: 'The search query' } },
    required: ['query'],
  },
})
