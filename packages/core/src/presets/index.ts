/** `@toolwire/core/presets`: hosts and facts by model. Data that ages, kept apart from the code that reads it. */
export type { Host, HostEnvironment } from './hosts.ts'
export { hostAt, hosts } from './hosts.ts'
export type { ModelFact } from './model-facts.ts'
export { modelFacts } from './model-facts.ts'
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
