/** Fits a whole request to a target's profile: its tools first, then the conversation that speaks of them. */
import type { HostedCalls } from '../../codecs/codec.ts'
import type { Turn } from '../../model/conversation.ts'
import type { Request } from '../../model/request.ts'
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
import { hoistResultMedia } from './result-media.ts'
import { adaptRoles } from './roles.ts'
import { adaptSettings } from './settings.ts'
import { groupTurns } from './turns.ts'

const steps: readonly ((turns: readonly Turn[], context: AdaptContext) => Turn[])[] = [
  dropItemIds,
  adaptCallIds,
  adaptReasoning,
  dropForeignParts,
  groupTurns,
  hoistResultMedia,
  adaptRoles,
]

export function adaptRequest(
  request: Request,
  source: { readonly pairing: PairingPolicy; readonly hostedCalls?: HostedCalls },
  context: AdaptContext,
): Request {
  const tools = adaptToolParams(request.tools, context)
  const turns = readHostedCalls(request.turns, source.hostedCalls, context)
  const paired = pairCalls(turns, context.sameWire ? 'pass' : source.pairing, context.report)
  const named = adaptHistoryCalls(paired, tools.tools ?? [], context)
  return {
    ...adaptSettings({ ...request, tools }, context),
    turns: steps.reduce<readonly Turn[]>((list, step) => step(list, context), named),
  }
}
