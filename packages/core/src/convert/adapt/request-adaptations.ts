/**
 * All adaptations of a request, in the one order in which the exchange and the client of the conversation loop apply them.
 * Tools come first, because the calls in the turns refer to them; turns come last, because everything before may add some.
 */

import type { Turn } from '../../model/conversation.ts'
import type { Report } from '../../model/diagnostic.ts'
import type { Request } from '../../model/request.ts'
import type { ToolParams } from '../../model/tool.ts'
import { addCacheBreakpoints } from './added-breakpoints.ts'
import type { Adaptation, ConversionContext } from './context.ts'
import { createAdaptContext } from './context.ts'
import { adaptFormat } from './format.ts'
import { type HistoryTrait, traitsOf } from './history-traits.ts'
import { adaptEffort, dropRefusedSettings, limitFunctions, shortenIdentifiers } from './refused-settings.ts'
import { adaptOutputLimit, applyUpdates, dropPenalties, requestSealed, requestUsage } from './settings.ts'
import { addServerTools } from './tools/add-server-tools.ts'
import { mergeAdditionalTools } from './tools/additional-tools.ts'
import { applyAllowedTools } from './tools/allowed-tools.ts'
import { adaptCustomTools } from './tools/custom-tools.ts'
import { showDeferredTools } from './tools/deferred-tools.ts'
import { mergeDuplicates } from './tools/duplicate-tools.ts'
import { omitEmptiedTools } from './tools/emptied-tools.ts'
import { adaptHostedTools } from './tools/hosted-tools.ts'
import { flattenNamespaces } from './tools/namespaces.ts'
import { adaptParameters } from './tools/parameters.ts'
import { liftRefusedChoice } from './tools/refused-choice.ts'
import { adaptStrict } from './tools/strict.ts'
import { adaptToolChoice } from './tools/tool-choice.ts'
import { adaptToolNames } from './tools/tool-names.ts'
import { settleAsyncCalls } from './turns/async-calls.ts'
import { carryCacheBreakpoints } from './turns/cache-breakpoints.ts'
import { adaptCallIds } from './turns/call-ids.ts'
import { pairHistory } from './turns/call-pairing.ts'
import { dropClearedTurns } from './turns/cleared-turns.ts'
import { openCompactions, takeCompactionDemand } from './turns/compactions.ts'
import { dropForeignParts } from './turns/foreign-parts.ts'
import { adaptHistoryCalls } from './turns/history-calls.ts'
import { readHostedCalls } from './turns/hosted-calls.ts'
import { dropItemIds } from './turns/item-ids.ts'
import { replaceMedia } from './turns/media.ts'
import { addMissingReasoning } from './turns/missing-reasoning.ts'
import { adaptReasoning } from './turns/reasoning.ts'
import { restoreServerCalls } from './turns/restore-server-calls.ts'
import { hoistResultMedia } from './turns/result-media.ts'
import { adaptRoles } from './turns/roles.ts'
import { readServerCalls } from './turns/server-calls.ts'
import { groupTurns } from './turns/turns.ts'

/** An adaptation, or one that has nothing to do unless the history has a trait. */
export type Step = Adaptation | { readonly adapt: Adaptation; readonly needs: HistoryTrait }

const toolAdaptations: readonly Step[] = [
  // Before the choice is applied, which may name a tool inside the input.
  mergeAdditionalTools,
  // Before the tools are adapted, so that only tools that are sent are reported on.
  applyAllowedTools,
  // Before names and schemas, because a hosted tool may become a function.
  adaptHostedTools,
  // Once it is known whether the target searches for tools.
  showDeferredTools,
  // A custom tool may become a function too.
  adaptCustomTools,
  // After the tools inside are functions, before their names are checked: the namespace becomes part of the name.
  flattenNamespaces,
  // Once all tools are in one list under their final kinds.
  mergeDuplicates,
  adaptToolNames,
  // Before strict, which reads the completed schemas.
  adaptParameters,
  adaptStrict,
  // After the tools, because it names them as the target knows them.
  adaptToolChoice,
  liftRefusedChoice,
  // After the choice, which distinguishes an emptied list from one that was sent empty.
  omitEmptiedTools,
]

const historyAdaptations: readonly Step[] = [
  // Before everything that looks at the history, most of which may go.
  takeCompactionDemand,
  { adapt: openCompactions, needs: 'special' },
  // Before others, because it finds its place by the calls as the client was sent them.
  restoreServerCalls,
  // Items for calls become calls and results before these are paired.
  { adapt: readServerCalls, needs: 'special' },
  { adapt: readHostedCalls, needs: 'special' },
  // Before pairing, for which their results would be missing.
  { adapt: settleAsyncCalls, needs: 'calls' },
  // Once all calls and results are there, under the client's ids.
  { adapt: pairHistory, needs: 'calls' },
  // After pairing, whose added calls are renamed too.
  { adapt: adaptHistoryCalls, needs: 'calls' },
]

const settingAdaptations: readonly Step[] = [
  // First, because the others adapt the values that are sent.
  applyUpdates,
  adaptOutputLimit,
  dropPenalties,
  adaptFormat,
  requestUsage,
  requestSealed,
  // Reads the adapted tools: only with tools must reasoning be off.
  limitFunctions,
  // After the effort is settled, on which other settings may depend.
  adaptEffort,
  dropRefusedSettings,
  shortenIdentifiers,
]

const turnAdaptations: readonly Step[] = [
  // Before grouping, which reports and drops what is left of a turn's own fields.
  dropClearedTurns,
  dropItemIds,
  // After pairing, which may have given out new ids.
  { adapt: adaptCallIds, needs: 'calls' },
  // Before results are grouped and their media hoisted, so that it is known who put what in, and when.
  { adapt: replaceMedia, needs: 'media' },
  // These two drop parts and whole turns, so they come before grouping.
  { adapt: adaptReasoning, needs: 'reasoning' },
  { adapt: dropForeignParts, needs: 'special' },
  // Turns that have become neighbours are joined, and results follow their calls.
  groupTurns,
  // After grouping, which brings calls and their reasoning together.
  { adapt: addMissingReasoning, needs: 'calls' },
  // After grouping: the media follow all results of a run.
  { adapt: hoistResultMedia, needs: 'media' },
  // Last, because the first turn that is not an instruction is known only now.
  adaptRoles,
  // After everything that moves or drops parts, so that those that are sent are counted.
  { adapt: carryCacheBreakpoints, needs: 'residue' },
]

export const requestAdaptations: readonly (readonly Step[])[] = [
  // First, because the names of the client's tools decide which server tools are left out.
  [addServerTools],
  toolAdaptations,
  historyAdaptations,
  settingAdaptations,
  turnAdaptations,
  // Last, once the request is as the target gets it. Turns that are added to it later get none.
  [addCacheBreakpoints],
]

export function adaptRequest(request: Request, context: ConversionContext, report: Report): Request {
  return applyAll(requestAdaptations, request, context, report)
}

/** The conversation as it is to be summarised: earlier summaries are opened. */
export function openedRequest(request: Request, context: ConversionContext, report: Report): Request {
  return applyAll([[takeCompactionDemand, openCompactions]], request, context, report)
}

/** For a caller that converts tools only. */
export function adaptTools(tools: ToolParams, context: ConversionContext, report: Report): ToolParams {
  return applyAll([toolAdaptations], { turns: [], tools, settings: {} }, context, report).tools
}

/** For turns that are added to an adapted request. */
export function adaptTurns(
  turns: readonly Turn[],
  context: ConversionContext,
  report: Report,
): readonly Turn[] {
  return applyAll([turnAdaptations], { turns, tools: {}, settings: {} }, context, report).turns
}

function applyAll(
  lists: typeof requestAdaptations,
  request: Request,
  conversion: ConversionContext,
  report: Report,
): Request {
  const context = createAdaptContext(conversion, request, report)
  let adapted = request
  let turns: readonly Turn[] | undefined
  let traits = traitsOf([])
  for (const list of lists) {
    for (const step of list) {
      if (typeof step === 'function') {
        adapted = step(adapted, context)
        continue
      }
      if (turns !== adapted.turns) {
        ;({ turns } = adapted)
        traits = traitsOf(turns)
      }
      if (traits.has(step.needs)) adapted = step.adapt(adapted, context)
    }
  }
  return adapted
}
