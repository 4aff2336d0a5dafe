/** A whole request: the conversation, the tools, and the settings, each with the place it came from. */
import type { Turn } from './conversation.ts'
import type { Path } from './diagnostic.ts'
import type { Residue } from './residue.ts'
import type { ToolParams } from './tool.ts'

export interface Request {
  readonly model?: string
  readonly turns: readonly Turn[]
  readonly tools: ToolParams
  readonly settings: Settings
  readonly residue?: Residue
}

/** Settings at least two wires have. What only one wire has is residue. */
interface SettingValues {
  maxOutputTokens: number
  temperature: number
  topP: number
  frequencyPenalty: number
  presencePenalty: number
  stop: readonly string[]
  stream: boolean
  /** Stream a usage report at the end. */
  includeUsage: boolean
  /** Pad the events of a stream, so that their sizes tell nothing. */
  includeObfuscation: boolean
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

export interface Setting<T> {
  readonly value: T
  readonly path: Path
}

export type Settings = { readonly [Name in SettingName]?: Setting<SettingValues[Name]> }
