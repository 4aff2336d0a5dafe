/** Requests of Chat for tests: read, written, and both, with what was reported. */
import { chatCodec } from '../../packages/core/src/codecs/chat/codec.ts'
import type { Diagnostic } from '../../packages/core/src/model/diagnostic.ts'
import { createReport } from '../../packages/core/src/model/diagnostic.ts'
import type { JsonObject } from '../../packages/core/src/model/json.ts'
import type { Request } from '../../packages/core/src/model/request.ts'

export function decode(body: JsonObject): { request: Request; diagnostics: Diagnostic[] } {
  const { report, diagnostics } = createReport()
  return { request: chatCodec.decodeRequest(body, report), diagnostics }
}

export function encode(request: Request): { body: JsonObject; diagnostics: Diagnostic[] } {
  const { report, diagnostics } = createReport()
  return { body: chatCodec.encodeRequest(request, report), diagnostics }
}

export function roundTrip(body: JsonObject): { body: JsonObject; diagnostics: Diagnostic[] } {
  const { request, diagnostics } = decode(body)
  const encoded = encode(request)
  return { body: encoded.body, diagnostics: [...diagnostics, ...encoded.diagnostics] }
}
