import type { ToolCodec } from '../codec.ts'
import { responsesProfile } from './profile.ts'
import { decodeToolParams, encodeToolParams } from './tool-params.ts'
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
