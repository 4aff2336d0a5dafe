/** One answer of the upstream, from the moment it is over until the calls that are run here have results. */

import { compact } from '../../json/object.ts'
import type { Finish } from '../../model/answer.ts'
import type { CallPart, ResultPart, Turn } from '../../model/conversation.ts'
import type { ServerToolCalls, ServerToolItem } from '../../wires/define-wire.ts'
import type { RoutedPart } from '../undo/call-tracker.ts'
import type { CallUndo } from '../undo/call-undo.ts'
import { callIdOf } from '../undo/client-calls.ts'
import type { CallRules } from './call-rules.ts'
import type { ServerCall, ServerCallResult } from './server-call.ts'
import type { ClientCall } from './server-call-record.ts'

export interface ServerRound {
  readonly serverCalls: readonly ServerCall[]
  /** The ids of all its calls. */
  readonly ids: readonly string[]
  /** The calls that the client is told of. */
  readonly clientCalls: readonly ClientCall[]
  /** The answer is not over for the client: it goes on when the calls have been run. */
  readonly isWaiting: boolean
  /** How the answer ends for the client, if it ends here. */
  readonly finish: Finish
  /** How the client is told of the calls, by their ids, while the answer waits for them. */
  readonly hostedItems: ReadonlyMap<string, ServerToolItem>
  /** The answer as the upstream knows it. */
  history(): readonly Turn[]
  /** One for each held call, once they are given. */
  results: readonly ResultPart[] | undefined
}

export interface RoundFacts {
  readonly rules: CallRules
  readonly undo: CallUndo
  readonly runCalls?: ServerToolCalls | undefined
  readonly newId: (prefix: string) => string
}

export function createServerRound(
  kept: readonly (readonly RoutedPart[])[],
  finish: Finish,
  history: () => readonly Turn[],
  facts: RoundFacts,
): ServerRound {
  const calls = kept.flat().filter((one): one is RoutedPart & { part: CallPart } => one.part.kind === 'call')
  const mine = calls.filter(({ route: verdict }) => verdict === 'hold').map(({ part }) => part)
  const theirs = kept.flat().filter(({ route: verdict = 'pass' }) => verdict === 'pass')
  const clientCalls = theirs.flatMap(({ part }): ClientCall[] => {
    const id = callIdOf(part)
    const told = part.kind === 'call' ? restoredText(part, facts) : ''
    return id === undefined ? [] : [{ id, arguments: told }]
  })
  // Of an answer that was cut short nobody knows which of its calls were meant to be all.
  const isWhole = finish.reason === 'calls' || finish.reason === 'stop'
  const isCut = !isWhole || mine.some(({ status }) => status === 'incomplete')
  const isMine = mine.length > 0 && clientCalls.length === 0
  const isWaiting = isMine && !isCut
  return {
    serverCalls: mine.map(part => serverCallOf(part, !isWhole, facts)),
    ids: kept.flat().flatMap(({ part }) => callIdOf(part) ?? []),
    clientCalls,
    isWaiting,
    // A call that breaks off and is not the client's leaves it with an answer that breaks off.
    finish: isMine && isCut && isWhole ? { reason: 'length' } : finish,
    hostedItems: isWaiting ? hostedItemsFor(mine, facts) : new Map(),
    history,
    results: undefined,
  }
}

function restored({ form, name, namespace, input }: CallPart, { undo }: RoundFacts): RestoredCall {
  const where = compact({ name, namespace })
  return undo.restoreCall(
    form === 'custom' ? { kind: form, ...where, input } : { kind: form, ...where, arguments: input },
  )
}

type RestoredCall = ReturnType<CallUndo['restoreCall']>

function restoredText(part: CallPart, facts: RoundFacts): string {
  const call = restored(part, facts)
  const text = call.kind === 'custom' ? call.input : call.arguments
  return call.kind !== 'custom' && text.trim() === '' ? '{}' : text
}

function serverCallOf(part: CallPart, isCut: boolean, facts: RoundFacts): ServerCall {
  const call = restored(part, facts)
  const origin = facts.rules.serverToolOrigin(part)
  const hosted =
    call.kind !== 'hosted'
      ? undefined
      : compact({ type: call.type, family: origin?.family, label: call.label, name: call.name })
  return {
    id: part.id ?? '',
    name: call.name,
    arguments: restoredText(part, facts),
    truncated: isCut || part.status === 'incomplete',
    ...compact({
      namespace: call.namespace,
      server: origin?.kind === 'function' ? origin.label : undefined,
      hosted,
    }),
  }
}

function hostedItemsFor(parts: readonly CallPart[], facts: RoundFacts): Map<string, ServerToolItem> {
  const shown = new Map<string, ServerToolItem>()
  for (const part of parts) {
    const { id, name, arguments: input, server, hosted } = serverCallOf(part, false, facts)
    const call = {
      name: hosted?.name ?? name,
      input,
      path: part.path,
      ...compact({
        server: server ?? (hosted?.family === 'mcp' ? hosted.label : undefined),
        family: hosted?.family,
      }),
    }
    const item = facts.runCalls?.encode(call, facts.newId)
    if (item !== undefined) shown.set(id, item)
  }
  return shown
}

const unavailable = 'The result of this call is unavailable.'

/** One result for each held call, whatever was given. */
export function resultParts(
  { serverCalls: held }: ServerRound,
  given: readonly ServerCallResult[],
  missing: (call: ServerCall) => void,
): ResultPart[] {
  const results = new Map(given.map(result => [result.callId, result]))
  return held.map(call => {
    const result = results.get(call.id)
    if (result === undefined) missing(call)
    const empty = { kind: 'text', text: result === undefined ? unavailable : '', path: [] } as const
    const content = result === undefined || result.content.length === 0 ? [empty] : result.content
    const isError = result === undefined || result.isError === true
    return {
      kind: 'result',
      form: 'function',
      callId: call.id,
      content,
      ...(content.length === 1 && content[0]?.kind === 'text' && { plain: true }),
      ...(isError && { isError }),
      path: [],
    }
  })
}
