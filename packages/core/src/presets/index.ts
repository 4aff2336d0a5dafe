/** `@toolwire/core/presets`: hosts and facts by model. Data that ages, kept apart from the code that reads it. */
export type { Host } from './hosts.ts'
export { hosts } from './hosts.ts'
export type { Encoding, ImageRule, ModelLimits, ToolPrompt } from './models.ts'
export {
  imageRules,
  modelEncodings,
  modelLimits,
  toolPrompts,
  usualImageRule,
  usualToolPrompt,
} from './models.ts'
export type { Price, Rates } from './prices.ts'
export { costOf, priceOf, prices } from './prices.ts'
