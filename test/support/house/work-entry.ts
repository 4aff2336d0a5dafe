/** Everything that is searched for slow inputs, as one module. */
export * as core from '@toolwire/core'
export * as lint from '@toolwire/core/lint'
export * as openai from '@toolwire/core/openai'
export * as schema from '@toolwire/core/schema'
export * as steps from '@toolwire/core/steps'
export * as tokens from '@toolwire/core/tokens'
export * as gateway from '../../../packages/toolwire/src/gateway/index.ts'
