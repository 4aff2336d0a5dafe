/** A complete request: the conversation, the tools and the settings, each with its path in the input. */
import type { CompactionDemand } from './compaction.ts'
import type { Turn } from './conversation.ts'
import type { Path } from './diagnostic.ts'
import type { Residue } from './residue.ts'
import type { ToolParams } from './tool.ts'

/** A whole request in the neutral model. */
export interface Request {
  readonly model?: string
  readonly turns: readonly Turn[]
  readonly tools: ToolParams
  readonly settings: Settings
  /** Settings that the conversation changes in its middle, in order. They stay there on their own wire. */
  readonly updates?: readonly SettingUpdate[]
  readonly compaction?: CompactionDemand
  readonly residue?: Residue
}

/** Settings that at least two wires have. A setting of only one wire is residue. */
interface SettingValues {
  maxOutputTokens: number
  temperature: number
  topP: number
  frequencyPenalty: number
  presencePenalty: number
  stop: readonly string[]
  stream: boolean
  /** Send the usage at the end of a stream. */
  includeUsage: boolean
  /** Pad the events of a stream, so that their sizes reveal nothing about the text. */
  includeObfuscation: boolean
  /** Send encrypted reasoning with the answer. */
  includeSealed: boolean
  effort: string
  format: OutputFormat
  verbosity: string
  logprobs: boolean
  topLogprobs: number
  store: boolean
  metadata: { readonly [key: string]: unknown }
  serviceTier: string
  safetyIdentifier: string
  promptCacheKey: string
  promptCacheRetention: string
  promptCacheMode: string
  promptCacheTtl: string
  moderation: { readonly [key: string]: unknown }
  user: string
}

/** The names of the settings that the neutral model knows. */
export type SettingName = keyof SettingValues

export type OutputFormat =
  | { readonly type: 'text' | 'json_object' }
  | {
      readonly type: 'json_schema'
      readonly name?: string
      readonly schema?: unknown
      readonly strict?: boolean
      readonly description?: string
    }

/** A value that a request sets, and where it stands. */
export interface Setting<T> {
  readonly value: T
  readonly path: Path
  /** Of the output limit: under the older of the two names that it has on Chat. */
  readonly older?: boolean
}

/** Settings that a place in the conversation changes. */
export interface SettingUpdate {
  readonly settings: Settings
  /** They were for an earlier turn, and do not count any more. */
  readonly isPast?: boolean
}

/** The settings of a request, by name. */
export type Settings = { readonly [Name in SettingName]?: Setting<SettingValues[Name]> }
