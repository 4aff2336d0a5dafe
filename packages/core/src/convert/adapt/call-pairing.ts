/**
 * Every call must have exactly one result, and every result its call. Servers refuse a history that breaks
 * this, each with another message; here it is found first, named, and repaired when that was asked for.
 */
import type { CallPart, Part, ResultPart, Turn } from '../../model/conversation.ts'
import type { Report } from '../../model/diagnostic.ts'
import { shortHash } from '../../model/hash.ts'
import { reportResidue } from '../../model/residue.ts'

/** `error` reports what does not pair, `repair` also completes it, `pass` looks away. */
export type PairingPolicy = 'error' | 'repair' | 'pass'

export function pairCalls(turns: readonly Turn[], policy: PairingPolicy, report: Report): Turn[] {
  if (policy === 'pass') return [...turns]
  const paired = keepLastResult(renewReusedIds(inferCallIds(turns, report), report), report)
  const calls = callsById(paired, report)
  const answered = new Set(paired.flatMap(({ parts }) => parts.filter(isResult).map(({ callId }) => callId)))
  return paired.flatMap(turn => {
    const orphans = turn.parts
      .filter(isResult)
      .filter(({ callId }) => callId !== undefined && !calls.has(callId))
    const open = turn.parts.filter(isCall).filter(({ id }) => id !== undefined && !answered.has(id))
    if (policy === 'repair') return complete(turn, orphans, open, report)
    for (const { path, callId } of orphans) {
      report(
        'orphan_result',
        path,
        `This result answers the call "${callId}", which is nowhere in the conversation.`,
      )
    }
    for (const { path, id } of open) report('missing_result', path, `The call "${id}" has no result.`)
    return [turn]
  })
}

function isCall(part: Part): part is CallPart {
  return part.kind === 'call'
}

function isResult(part: Part): part is ResultPart {
  return part.kind === 'result'
}

/** A turn that loses all its parts goes with them; one that had none stays. */
function mapParts(turns: readonly Turn[], report: Report, map: (part: Part) => Part | undefined): Turn[] {
  return turns.flatMap(turn => {
    const parts = turn.parts.map(map).filter(part => part !== undefined)
    if (parts.length > 0 || turn.parts.length === 0) return [{ ...turn, parts }]
    reportResidue(turn.residue, report)
    return []
  })
}

/** A result that names no call, but stands where only one call can be meant, is given that call's id. */
function inferCallIds(turns: readonly Turn[], report: Report): Turn[] {
  const open = new Map<string, string>()
  return mapParts(turns, report, part => {
    if (isCall(part)) {
      const id = part.id || `call_${shortHash(JSON.stringify(part.path))}`
      open.set(id, part.name)
      if (id === part.id) return part
      report('call_id_inferred', part.path, `The call has no id; it goes as "${id}".`)
      return { ...part, id }
    }
    if (!isResult(part)) return part
    const callId = part.callId || onlyOpenCall(open, part.name)
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

function onlyOpenCall(open: ReadonlyMap<string, string>, name: string | undefined): string | undefined {
  const candidates = [...open].filter(([, called]) => name === undefined || name === called)
  return candidates.length === 1 ? candidates[0]?.[0] : undefined
}

/** Some servers count their ids anew in every turn: a call whose id was answered before is another call. */
function renewReusedIds(turns: readonly Turn[], report: Report): Turn[] {
  const current = new Map<string, string>()
  const answered = new Set<string>()
  const used = new Map<string, number>()
  return mapParts(turns, report, part => {
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

/** Of several results for one call the last one counts, in the place of the first. */
function keepLastResult(turns: readonly Turn[], report: Report): Turn[] {
  const last = new Map<string, ResultPart>()
  for (const part of turns.flatMap(({ parts }) => parts)) {
    if (isResult(part) && part.callId !== undefined) last.set(part.callId, part)
  }
  const placed = new Set<string>()
  return mapParts(turns, report, part => {
    if (!isResult(part) || part.callId === undefined) return part
    const winner = last.get(part.callId)
    if (winner !== part) {
      report('duplicate_result', part.path, `A later result for the call "${part.callId}" replaces this one.`)
    }
    if (placed.has(part.callId)) return undefined
    placed.add(part.callId)
    return winner
  })
}

function callsById(turns: readonly Turn[], report: Report): ReadonlyMap<string, CallPart> {
  const calls = new Map<string, CallPart>()
  for (const part of turns.flatMap(({ parts }) => parts)) {
    if (!isCall(part) || part.id === undefined) continue
    if (calls.has(part.id)) {
      report(
        'duplicate_call_id',
        part.path,
        `Another call has the id "${part.id}" too; results cannot tell them apart.`,
      )
    }
    calls.set(part.id, part)
  }
  return calls
}

/** A missing call is put before its result, a missing result behind its call, both in neutral words. */
function complete(
  turn: Turn,
  orphans: readonly ResultPart[],
  open: readonly CallPart[],
  report: Report,
): Turn[] {
  const calls = orphans.map<CallPart>(({ path, callId = '', form, name = 'unknown_tool' }) => {
    report(
      'result_repaired',
      path,
      `The call "${callId}" is nowhere in the conversation; one without arguments was put in its place.`,
    )
    return { kind: 'call', form, id: callId, name, input: form === 'function' ? '{}' : '', path }
  })
  const results = open.map<ResultPart>(({ path, id = '', form }) => {
    report('result_repaired', path, `The call "${id}" has no result; one that says so was put behind it.`)
    const text = 'The result of this call is unavailable.'
    return { kind: 'result', form, callId: id, content: [{ kind: 'text', text, path }], plain: true, path }
  })
  return [
    ...(calls.length === 0 ? [] : [{ role: 'assistant', parts: calls, root: turn.root } as const]),
    turn,
    ...(results.length === 0 ? [] : [{ role: 'tool', parts: results, root: turn.root } as const]),
  ]
}
