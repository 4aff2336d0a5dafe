/**
 * What every wire must provide. A codec reads its own wire into the model and writes the model to its own
 * wire; it never throws, never sees another wire, and reports what it cannot read or say.
 */
import type { Path, Report } from '../model/diagnostic.ts'
import type { JsonObject } from '../model/json.ts'
import type { Tool, ToolParams } from '../model/tool.ts'
import type { Wire } from '../model/wire.ts'
import type { Profile } from './profile.ts'

export interface Codec {
  readonly wire: Wire
  readonly profile: Profile
  /** Abilities the wire itself lacks, so that no upstream's profile can claim them. */
  readonly never: readonly (keyof Profile)[]
  decodeTool(tool: unknown, path: Path, report: Report): Tool
  /** What of the tool this wire has no place for is reported. */
  encodeTool(tool: Tool, report: Report): unknown
  /** The tool part of a whole request body; everything else in the body is left alone. */
  decodeToolParams(body: JsonObject, report: Report): ToolParams
  encodeToolParams(params: ToolParams, report: Report): JsonObject
}
