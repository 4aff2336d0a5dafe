/** One round: a finished answer of the upstream, until its server tool calls have results. */

import { compact } from '../../json/object.ts'
import type { Finish } from '../../model/answer.ts'
import { type CallPart, type ResultPart, resultPart, type Turn } from '../../model/conversation.ts'
import type { ServerToolCalls, ServerToolItem } from '../../wires/define-wire.ts'
import { callIdOf } from '../shared/client-calls.ts'
import type { ClientCall, ServerCall, ServerCallResult } from '../shared/server-calls.ts'
import type { RoutedPart } from '../undo/call-tracker.ts'
import type { CallUndo } from '../undo/call-undo.ts'
import { callOf } from '../undo/restore-call-part.ts'
import type { CallRules } from './call-rules.ts'

export interface ServerRound {
  readonly serverCalls: readonly ServerCall[]
  /** The ids of all its calls. */
  readonly ids: readonly string[]
  /** The calls that the client is sent. */
  readonly clientCalls: readonly ClientCall[]
  /** Another round follows: there are only server tool calls, and they are complete. */
  readonly isWaiting: boolean
  /** How the answer ends for the client if this is the last round. */
  readonly finish: Finish
  /** The items that show the calls to the client, by call id. Empty if no further round follows. */
  readonly hostedItems: ReadonlyMap<string, ServerToolItem>
  /** The answer as the upstream sent it. */
  history(): readonly Turn[]
  /** One for each server tool call, once they are known. */
  results: readonly ResultPart[] | undefined
}

export interface RoundFacts {
  readonly rules: CallRules
  readonly undo: CallUndo
  readonly serverCalls?: ServerToolCalls | undefined
  readonly newId: (prefix: string) => string
}

export function createServerRound(
  routed: readonly (readonly RoutedPart[])[],
  finish: Finish,
  history: () => readonly Turn[],
  facts: RoundFacts,
): ServerRound {
  const calls = routed
    .flat()
    .filter((one): one is RoutedPart & { part: CallPart } => one.part.kind === 'call')
  const serverParts = calls.filter(({ route }) => route === 'server').map(({ part }) => part)
  const clientParts = routed.flat().filter(({ route = 'client' }) => route === 'client')
  const clientCalls = clientParts.flatMap(({ part }): ClientCall[] => {
    const id = callIdOf(part)
    const args = part.kind === 'call' ? restoredText(part, facts) : ''
    return id === undefined ? [] : [{ id, arguments: args }]
  })
  // A truncated answer may lack further calls, so none of its calls is run.
  const isComplete = finish.reason === 'calls' || finish.reason === 'stop'
  const isCut = !isComplete || serverParts.some(({ status }) => status === 'incomplete')
  const onlyServerCalls = serverParts.length > 0 && clientCalls.length === 0
  const isWaiting = onlyServerCalls && !isCut
  return {
    serverCalls: serverParts.map(part => serverCallOf(part, !isComplete, facts)),
    ids: routed.flat().flatMap(({ part }) => callIdOf(part) ?? []),
    clientCalls,
    isWaiting,
    // The client does not see the truncated server tool call; it sees a truncated answer.
    finish: onlyServerCalls && isCut && isComplete ? { reason: 'length' } : finish,
    hostedItems: isWaiting ? hostedItemsFor(serverParts, facts) : new Map(),
    history,
    results: undefined,
  }
}

function restoredText(part: CallPart, { undo }: RoundFacts): string {
  const call = undo.restoreCall(callOf(part))
  const text = call.kind === 'custom' ? call.input : call.arguments
  return call.kind !== 'custom' && text.trim() === '' ? '{}' : text
}

function serverCallOf(part: CallPart, isCut: boolean, facts: RoundFacts): ServerCall {
  const call = facts.undo.restoreCall(callOf(part))
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
  const items = new Map<string, ServerToolItem>()
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
    const item = facts.serverCalls?.encode(call, facts.newId)
    if (item !== undefined) items.set(id, item)
  }
  return items
}

const unavailable = 'The result of this call is unavailable.'

/** One result for each server tool call; a placeholder if none was returned. */
export function resultParts(
  { serverCalls }: ServerRound,
  returned: readonly ServerCallResult[],
  missing: (call: ServerCall) => void,
): ResultPart[] {
  const results = new Map(returned.map(result => [result.callId, result]))
  return serverCalls.map(call => {
    const result = results.get(call.id)
    if (result === undefined) missing(call)
    const empty = { kind: 'text', text: result === undefined ? unavailable : '', path: [] } as const
    const content = result === undefined || result.content.length === 0 ? [empty] : result.content
    return resultPart(call.id, content, result === undefined || result.isError)
  })
}
