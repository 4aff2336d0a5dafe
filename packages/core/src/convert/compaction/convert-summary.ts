/** The upstream's side of a summary: the request for it, and the answer. */
import type { JsonObject } from '../../json/object.ts'
import { isObject, omit } from '../../json/object.ts'
import type { CompactionDemand } from '../../model/compaction.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { createReport } from '../../model/diagnostic.ts'
import { createConversionContext } from '../adapt/context.ts'
import { adaptRequest, openedRequest } from '../adapt/request-adaptations.ts'
import type { Endpoints } from '../exchange-options.ts'
import type { PreparedRequest } from '../prepared-request.ts'
import type { SummaryOutcome } from './compacted-answers.ts'
import { summaryIn, tailFor } from './compacted-answers.ts'
import { summaryRequestOf } from './summary-request.ts'
import { windowOf } from './window.ts'

/** `whole`: the answer is not to be streamed. */
export function convertSummaryRequest(
  { demand, decoded }: Pick<PreparedRequest, 'demand' | 'decoded'>,
  { upstream, options, conversion }: Endpoints,
  { whole = false }: { readonly whole?: boolean },
): { readonly value: JsonObject; readonly diagnostics: Diagnostic[] } | undefined {
  const { report, diagnostics } = createReport()
  if (demand === undefined) return undefined
  // What is wrong with the history was reported with the request.
  const opened = openedRequest(decoded, conversion, () => undefined)
  if (!demand.isAlone && windowOf(opened.turns, tailFor(demand)).gone.length === 0) return undefined
  const asked = summaryRequestOf(opened, demand, report)
  if (asked === undefined) {
    if (!demand.isAlone) return undefined
    report('compaction_empty', demand.path, 'The conversation holds nothing that could be summarised.')
    return { value: {}, diagnostics }
  }
  const settings = whole ? omit(asked.settings, ['stream', 'includeUsage']) : asked.settings
  // A program asks, so that what the upstream needs is added.
  const client = conversion.client && {
    ...conversion.client,
    serverTools: [],
    serverCallRecordFor: undefined,
  }
  const target = { to: upstream, upstream: options.upstream }
  const request = adaptRequest(
    { ...asked, settings },
    createConversionContext(target, options, client),
    report,
  )
  return { value: upstream.encodeRequest(request, report), diagnostics }
}

export function readSummary(
  body: unknown,
  demand: CompactionDemand | undefined,
  { upstream }: Endpoints,
): SummaryOutcome {
  if (!isObject(body) || demand === undefined) {
    return { error: { kind: 'server', message: 'An answer must be an object.', code: 'compaction_failed' } }
  }
  return summaryIn(
    upstream.decodeAnswer(body, () => undefined),
    tailFor(demand),
  )
}
