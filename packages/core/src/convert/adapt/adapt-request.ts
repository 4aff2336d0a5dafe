/** Adapts a request to a target's profile: first its tools, then the turns, whose calls refer to the tools. */

import type { Turn } from '../../model/conversation.ts'
import type { Request } from '../../model/request.ts'
import type { HostedCalls, ServerToolCalls } from '../../wires/define-wire.ts'
import type { ServerTool } from '../shared/server-calls.ts'
import type { AdaptContext } from './context.ts'
import { adaptSettings } from './settings.ts'
import { adaptToolParams } from './tools/adapt-tools.ts'
import { addServerTools } from './tools/add-server-tools.ts'
import { adaptCallIds } from './turns/call-ids.ts'
import type { PairingPolicy } from './turns/call-pairing.ts'
import { pairCalls } from './turns/call-pairing.ts'
import { dropForeignParts } from './turns/foreign-parts.ts'
import { adaptHistoryCalls } from './turns/history-calls.ts'
import { readHostedCalls } from './turns/hosted-calls.ts'
import { dropItemIds } from './turns/item-ids.ts'
import { adaptReasoning } from './turns/reasoning.ts'
import type { FindServerCallRecord } from './turns/restore-server-calls.ts'
import { restoreServerCalls } from './turns/restore-server-calls.ts'
import { hoistResultMedia } from './turns/result-media.ts'
import { adaptRoles } from './turns/roles.ts'
import { readServerCalls } from './turns/server-calls.ts'
import { groupTurns } from './turns/turns.ts'

const turnAdaptations: readonly ((turns: readonly Turn[], context: AdaptContext) => readonly Turn[])[] = [
  dropItemIds,
  adaptCallIds,
  adaptReasoning,
  dropForeignParts,
  groupTurns,
  hoistResultMedia,
  adaptRoles,
]

/** What the adaptations need to know about the client's side. */
export interface RequestSource {
  readonly pairing: PairingPolicy
  readonly hostedCalls?: HostedCalls | undefined
  readonly serverCalls?: ServerToolCalls | undefined
  readonly serverCallRecordFor?: FindServerCallRecord | undefined
  readonly serverTools: readonly ServerTool[]
}

export function adaptRequest(request: Request, source: RequestSource, context: AdaptContext): Request {
  const tools = adaptToolParams(addServerTools(request.tools, source.serverTools, context), context)
  const turns = readHostedCalls(readHistory(request.turns, source, context), source.hostedCalls, context)
  const paired = pairCalls(turns, context.sameWire ? 'pass' : source.pairing, context.report)
  const renamed = adaptHistoryCalls(paired, tools.tools ?? [], context)
  const settings = adaptSettings(request, tools, context)
  return {
    ...request,
    tools,
    settings,
    turns: turnAdaptations.reduce<readonly Turn[]>((list, step) => step(list, context), renamed),
  }
}

/** The history with all server tool calls, whether the client's history contains them or not. */
function readHistory(
  turns: readonly Turn[],
  { serverCallRecordFor, serverCalls, serverTools }: RequestSource,
  context: AdaptContext,
): readonly Turn[] {
  const servers = new Set<string>()
  for (const { server } of serverTools) if (server !== undefined) servers.add(server)
  return readServerCalls(
    restoreServerCalls(turns, serverCallRecordFor, context),
    serverCalls,
    servers,
    context,
  )
}
