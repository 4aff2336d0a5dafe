/**
 * Checks that every call has exactly one result and every result a call. Servers refuse other histories, each with a
 * different message; here the mismatch is reported, and repaired if the policy says so.
 */
import { type CallPart, isCall, isResult, type ResultPart, type Turn } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import { shortHash } from '../../../model/hash.ts'
import type { Request } from '../../../model/request.ts'
import type { PairingPolicy } from '../../shared/options.ts'
import { flatMapParts, mapParts, mapShared } from '../../shared/shared-lists.ts'
import type { AdaptContext } from '../context.ts'
import { withTurns } from '../context.ts'
import { OpenCalls } from './open-calls.ts'

export function pairHistory(request: Request, { client, isNative, report }: AdaptContext): Request {
  if (isNative || client === undefined) return request
  return withTurns(request, pairCalls(request.turns, client.pairing, report))
}

export function pairCalls(turns: readonly Turn[], policy: PairingPolicy, report: Report): readonly Turn[] {
  if (policy === 'pass' || isPaired(turns)) return turns
  const paired = keepLastResult(renewReusedIds(inferCallIds(turns, report), report), report)
  const calls = callIds(paired, report)
  const answered = answeredIds(paired)
  if (policy === 'drop') return dropUnpaired(paired, calls, answered, report)
  return mapShared(paired, turn => {
    const orphans = turn.parts.filter(
      (part): part is ResultPart => isResult(part) && part.callId !== undefined && !calls.has(part.callId),
    )
    const open = turn.parts.filter(
      (part): part is CallPart => isCall(part) && part.id !== undefined && !answered.has(part.id),
    )
    if (policy === 'repair') return complete(turn, orphans, open, report)
    for (const { path, callId } of orphans) {
      report(
        'orphan_result',
        path,
        `This result answers the call "${callId}", which is nowhere in the conversation.`,
      )
    }
    for (const { path, id } of open) report('missing_result', path, `The call "${id}" has no result.`)
    return turn
  })
}

/** Leaves out results without a call and calls without a result. */
function dropUnpaired(
  turns: readonly Turn[],
  calls: ReadonlySet<string>,
  answered: ReadonlySet<string | undefined>,
  report: Report,
): readonly Turn[] {
  return flatMapParts(turns, report, part => {
    const isPaired = isCall(part) ? answered.has(part.id) : !isResult(part) || calls.has(part.callId ?? '')
    if (isPaired) return part
    const what = isCall(part) ? 'call has no result' : 'result answers no call of the conversation'
    report('unpaired_dropped', part.path, `The ${what}; it was left out.`)
    return []
  })
}

/** True if each call has a unique id and one result after it. Most histories do, and need no further passes. */
function isPaired(turns: readonly Turn[]): boolean {
  const isAnswered = new Map<string, boolean>()
  let open = 0
  for (const { parts } of turns) {
    for (const part of parts) {
      if (part.kind === 'call') {
        if (!part.id || isAnswered.has(part.id)) return false
        isAnswered.set(part.id, false)
        open++
      } else if (part.kind === 'result') {
        if (!part.callId || isAnswered.get(part.callId) !== false) return false
        isAnswered.set(part.callId, true)
        open--
      }
    }
  }
  return open === 0
}

/** A result without a call id gets the id of the only open call, if there is just one. */
function inferCallIds(turns: readonly Turn[], report: Report): readonly Turn[] {
  const open = new OpenCalls()
  return mapParts(turns, part => {
    if (isCall(part)) {
      const id = part.id || `call_${shortHash(JSON.stringify(part.path))}`
      open.add(id, part.name)
      if (id === part.id) return part
      report('call_id_inferred', part.path, `The call has no id; it goes as "${id}".`)
      return { ...part, id }
    }
    if (!isResult(part)) return part
    const callId = part.callId || open.only(part.name)
    if (callId === undefined) {
      report(
        'call_id_missing',
        part.path,
        'The result names no call, and it is not clear which one it answers.',
      )
      return part
    }
    open.delete(callId)
    if (part.callId) return part
    report('call_id_inferred', part.path, `The result names no call; it was taken to answer "${callId}".`)
    return { ...part, callId }
  })
}

/** Some servers restart their ids in every turn: a call whose id was already answered is a different call. */
function renewReusedIds(turns: readonly Turn[], report: Report): readonly Turn[] {
  const current = new Map<string, string>()
  const answered = new Set<string>()
  const used = new Map<string, number>()
  return mapParts(turns, part => {
    if (isCall(part) && part.id !== undefined) {
      const uses = (used.get(part.id) ?? 0) + 1
      used.set(part.id, uses)
      if (!answered.has(current.get(part.id) ?? part.id)) return part
      const id = `${part.id}_${shortHash(`${part.id}#${uses}`)}`
      current.set(part.id, id)
      report(
        'call_id_rewritten',
        part.path,
        `An earlier call had the id "${part.id}" and was answered; this one goes as "${id}".`,
      )
      return { ...part, id }
    }
    if (!isResult(part) || part.callId === undefined) return part
    const callId = current.get(part.callId) ?? part.callId
    answered.add(callId)
    return callId === part.callId ? part : { ...part, callId }
  })
}

/** If a call has several results, the last one replaces the first. */
function keepLastResult(turns: readonly Turn[], report: Report): readonly Turn[] {
  const last = new Map<string, ResultPart>()
  for (const { parts } of turns) {
    for (const part of parts) if (isResult(part) && part.callId !== undefined) last.set(part.callId, part)
  }
  const seen = new Set<string>()
  return flatMapParts(turns, report, part => {
    if (!isResult(part) || part.callId === undefined) return part
    const winner = last.get(part.callId)
    if (winner !== part) {
      report('duplicate_result', part.path, `A later result for the call "${part.callId}" replaces this one.`)
    }
    if (seen.has(part.callId)) return []
    seen.add(part.callId)
    return winner ?? []
  })
}

function callIds(turns: readonly Turn[], report: Report): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const { parts } of turns) {
    for (const part of parts) {
      if (!isCall(part) || part.id === undefined) continue
      if (ids.has(part.id)) {
        report(
          'duplicate_call_id',
          part.path,
          `Another call has the id "${part.id}" too; results cannot tell them apart.`,
        )
      }
      ids.add(part.id)
    }
  }
  return ids
}

function answeredIds(turns: readonly Turn[]): ReadonlySet<string | undefined> {
  const ids = new Set<string | undefined>()
  for (const { parts } of turns) for (const part of parts) if (isResult(part)) ids.add(part.callId)
  return ids
}

/** Adds a missing call before its result, and a missing result after its call. */
function complete(
  turn: Turn,
  orphans: readonly ResultPart[],
  open: readonly CallPart[],
  report: Report,
): Turn | Turn[] {
  if (orphans.length === 0 && open.length === 0) return turn
  const calls = orphans.map<CallPart>(({ path, callId = '', form, name = 'unknown_tool' }) => {
    report(
      'result_repaired',
      path,
      `The call "${callId}" is nowhere in the conversation; a call without arguments was added.`,
    )
    return { kind: 'call', form, id: callId, name, input: form === 'function' ? '{}' : '', path }
  })
  const results = open.map<ResultPart>(({ path, id = '', form }) => {
    report('result_repaired', path, `The call "${id}" has no result; a placeholder was added.`)
    const text = 'The result of this call is unavailable.'
    return { kind: 'result', form, callId: id, content: [{ kind: 'text', text, path }], plain: true, path }
  })
  return [
    ...(calls.length === 0 ? [] : [{ role: 'assistant', parts: calls, root: turn.root } as const]),
    turn,
    ...(results.length === 0 ? [] : [{ role: 'tool', parts: results, root: turn.root } as const]),
  ]
}
