/** Fits a whole request to a target's profile: its tools first, then the conversation that speaks of them. */

import type { Turn } from '../../model/conversation.ts'
import type { Request } from '../../model/request.ts'
import type { HostedCalls, ServerToolCalls } from '../../wires/define-wire.ts'
import { addRegisteredTools } from '../server-tools/add-server-tools.ts'
import type { ServerTool } from '../server-tools/server-call.ts'
import { adaptToolParams } from './adapt-tools.ts'
import { adaptCallIds } from './call-ids.ts'
import type { PairingPolicy } from './call-pairing.ts'
import { pairCalls } from './call-pairing.ts'
import type { AdaptContext } from './context.ts'
import { dropForeignParts } from './foreign-parts.ts'
import { adaptHistoryCalls } from './history-calls.ts'
import { readHostedCalls } from './hosted-calls.ts'
import { dropItemIds } from './item-ids.ts'
import { adaptReasoning } from './reasoning.ts'
import type { FindServerCallRecord } from './restore-server-calls.ts'
import { restoreServerCalls } from './restore-server-calls.ts'
import { hoistResultMedia } from './result-media.ts'
import { adaptRoles } from './roles.ts'
import { readRunCalls } from './server-calls.ts'
import { adaptSettings } from './settings.ts'
import { groupTurns } from './turns.ts'

const steps: readonly ((turns: readonly Turn[], context: AdaptContext) => readonly Turn[])[] = [
  dropItemIds,
  adaptCallIds,
  adaptReasoning,
  dropForeignParts,
  groupTurns,
  hoistResultMedia,
  adaptRoles,
]

/** Where the request comes from, and who stands between its client and the target. */
export interface RequestSource {
  readonly pairing: PairingPolicy
  readonly hostedCalls?: HostedCalls | undefined
  readonly runCalls?: ServerToolCalls | undefined
  readonly recall?: FindServerCallRecord | undefined
  /** The tools that are run in the middle. */
  readonly registered: readonly ServerTool[]
}

export function adaptRequest(request: Request, source: RequestSource, context: AdaptContext): Request {
  const tools = adaptToolParams(addRegisteredTools(request.tools, source.registered, context), context)
  const turns = readHostedCalls(readHistory(request.turns, source, context), source.hostedCalls, context)
  const paired = pairCalls(turns, context.sameWire ? 'pass' : source.pairing, context.report)
  const named = adaptHistoryCalls(paired, tools.tools ?? [], context)
  const settings = adaptSettings(request, tools, context)
  return {
    ...request,
    tools,
    settings,
    turns: steps.reduce<readonly Turn[]>((list, step) => step(list, context), named),
  }
}

/** The history with every call that was run in the middle, whether the client was told of it or not. */
function readHistory(
  turns: readonly Turn[],
  { recall, runCalls, registered }: RequestSource,
  context: AdaptContext,
): readonly Turn[] {
  const servers = new Set<string>()
  for (const { server } of registered) if (server !== undefined) servers.add(server)
  return readRunCalls(restoreServerCalls(turns, recall, context), runCalls, servers, context)
}
