/** Facts that OpenAI's two wires share, as of November 2026. */
import { openaiStrictRules } from '../../schema/strict/rules.ts'
import type { TokenFraming, ToolLimits } from '../define-wire.ts'

/** Every value was seen in an answer of the provider, or in its specification. */
export const openaiLimits: ToolLimits = {
  maxTools: 128,
  maxDescription: Number.POSITIVE_INFINITY,
  maxNamespaceName: 64,
  maxInnerName: 128,
  nullFields: false,
  rootProperties: true,
  arrayItems: true,
  rootRefused: ['oneOf', 'anyOf', 'allOf', 'enum', 'not'],
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
