import type { ToolCodec } from '../../codec.ts'
import { decodeToolParams, encodeToolParams } from './params.ts'
import { responsesProfile } from './profile.ts'
import { decodeResponsesTool, encodeResponsesTool } from './tools.ts'

export const responsesToolCodec: ToolCodec = {
  wire: 'responses',
  profile: responsesProfile,
  never: [],
  decodeTool: decodeResponsesTool,
  encodeTool: encodeResponsesTool,
  decodeToolParams,
  encodeToolParams,
}
