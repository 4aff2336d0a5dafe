/** A whole request. */
import type { Report } from '../../model/diagnostic.ts'
import type { JsonObject } from '../../model/json.ts'
import { compact, own } from '../../model/json.ts'
import type { Request } from '../../model/request.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import { createFieldReader } from '../field-reader.ts'
import { close } from './leftovers.ts'
import { decodeSettings, encodeSettings } from './settings.ts'
import { decodeToolParams, encodeToolParams } from './tool-params.ts'
import { decodeSystem, decodeTurn, encodeSystem, encodeTurns } from './turns.ts'

export function decodeRequest(body: JsonObject, report: Report): Request {
  const fields = createFieldReader(body)
  for (const key of ['tools', 'tool_choice']) fields.skip(key)
  const model = fields.string('model')
  const system = decodeSystem(own(body, 'system'))
  if (system !== undefined) fields.skip('system')
  const messages = own(body, 'messages')
  const quiet: ResidueEntry[] = messages === undefined ? [[['messages'], undefined]] : []
  if (Array.isArray(messages)) fields.skip('messages')
  else if (messages !== undefined && messages !== null) {
    report('not_a_list', ['messages'], '"messages" must be a list of messages.')
  }
  const turns = Array.isArray(messages)
    ? messages.map((message, i) => decodeTurn(message, ['messages', i]))
    : []
  const { settings, entries, quiet: empty } = decodeSettings(body, fields)
  return {
    ...compact({ model }),
    turns: system === undefined ? turns : [system, ...turns],
    tools: decodeToolParams(body, report),
    settings,
    // Always there, also empty: it says which wire the request was written for.
    residue: {
      wire: 'messages',
      at: [],
      entries: [...fields.rest(), ...entries],
      quiet: [...quiet, ...empty],
    },
  }
}

export function encodeRequest(request: Request, report: Report): JsonObject {
  const context = { report, own: request.residue?.wire === 'messages' }
  const instructions = request.turns.filter(turn => turn.instructions)
  const turns = request.turns.filter(turn => !turn.instructions)
  const written = {
    ...compact({ model: request.model }),
    ...encodeSettings(request.settings, report),
    ...compact({ system: encodeSystem(instructions, context) }),
    messages: encodeTurns(turns, context),
    ...encodeToolParams(request.tools, report),
  }
  return close(written, request.residue, report)
}
