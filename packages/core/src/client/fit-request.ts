/**
 * Adapts a request of the neutral model to one wire. Turns that came from this wire, such as an earlier answer with
 * sealed reasoning, go back unchanged; all others are adapted as if they came from another wire.
 */

import type { AdaptContext } from '../convert/adapt/context.ts'
import { adaptSettings } from '../convert/adapt/settings.ts'
import { adaptToolParams } from '../convert/adapt/tools/adapt-tools.ts'
import { adaptCallIds } from '../convert/adapt/turns/call-ids.ts'
import { dropForeignParts } from '../convert/adapt/turns/foreign-parts.ts'
import { adaptHistoryCalls } from '../convert/adapt/turns/history-calls.ts'
import { adaptReasoning } from '../convert/adapt/turns/reasoning.ts'
import { hoistResultMedia } from '../convert/adapt/turns/result-media.ts'
import { adaptRoles } from '../convert/adapt/turns/roles.ts'
import { groupTurns } from '../convert/adapt/turns/turns.ts'
import type { ToolOptions } from '../convert/shared/options.ts'
import { mergeProfile } from '../convert/shared/options.ts'
import type { CallUndo } from '../convert/undo/call-undo.ts'
import { createCallUndo } from '../convert/undo/call-undo.ts'
import type { JsonObject } from '../json/object.ts'
import type { Turn } from '../model/conversation.ts'
import type { Report } from '../model/diagnostic.ts'
import type { Request } from '../model/request.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import { programProfile } from '../wires/profile.ts'

export interface FittedRequest {
  readonly body: JsonObject
  /** Turns calls to the adapted tools back into calls to the original ones. */
  readonly undo: CallUndo
}

/** The context for requests made by a program: the target is the wire, and the source is not a wire. */
export function programContext(codec: WireConversation, options: ToolOptions, report: Report): AdaptContext {
  const profile = mergeProfile(codec.profile, codec, options.profile)
  return { target: codec.wire, profile, source: programProfile, options, report, sameWire: false }
}

export function fitRequest(request: Request, codec: WireConversation, context: AdaptContext): FittedRequest {
  const tools = adaptToolParams(request.tools, context)
  const settings = adaptSettings(request, tools, context)
  const named = adaptCallIds(adaptHistoryCalls(request.turns, tools.tools ?? [], context), context)
  const turns = adaptRoles(fitTurns(named, context), context)
  const body = codec.encodeRequest({ ...request, tools, settings, turns }, context.report)
  return { body, undo: createCallUndo(tools.tools ?? []) }
}

/** Adapts runs of turns that did not come from the target's wire. */
export function fitTurns(turns: readonly Turn[], context: AdaptContext): Turn[] {
  const fit = (run: readonly Turn[]): readonly Turn[] =>
    [adaptReasoning, dropForeignParts, groupTurns, hoistResultMedia].reduce<readonly Turn[]>(
      (list, step) => step(list, context),
      run,
    )
  return runsOf(turns, turn => cameFrom(turn, context.target)).flatMap(({ own, run }) =>
    own ? run : fit(run),
  )
}

function cameFrom({ residue, parts }: Turn, wire: string): boolean {
  return residue?.wire === wire || parts.some(part => part.residue?.wire === wire)
}

function runsOf(turns: readonly Turn[], isOwn: (turn: Turn) => boolean): { own: boolean; run: Turn[] }[] {
  const runs: { own: boolean; run: Turn[] }[] = []
  for (const turn of turns) {
    const own = isOwn(turn)
    const last = runs.at(-1)
    if (last?.own === own) last.run.push(turn)
    else runs.push({ own, run: [turn] })
  }
  return runs
}
