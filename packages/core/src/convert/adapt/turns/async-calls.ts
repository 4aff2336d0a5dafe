/**
 * Calls whose results may come later, after other turns. Elsewhere a result must follow its call: a placeholder does,
 * and the result becomes a message where it arrived, so that what was sent before stays as it was.
 */
import { append } from '../../../json/object.ts'
import type { CallPart, Part, ResultPart, Turn } from '../../../model/conversation.ts'
import { isCall, isResult } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { Request } from '../../../model/request.ts'
import { orphanResidue } from '../../../model/residue.ts'
import type { AdaptContext } from '../context.ts'
import { withTurns } from '../context.ts'

export function settleAsyncCalls(request: Request, context: AdaptContext): Request {
  const { turns } = request
  // Only where results are items of their own can they stand anywhere.
  if (context.isNative || context.client === undefined || context.source.results !== 'anywhere')
    return request
  if (!turns.some(({ parts }) => parts.some(mayBeLate))) return request
  return withTurns(request, new Settlement(context.report).settle(turns))
}

/** A call that can be answered later, or a result that names no call. */
function mayBeLate(part: Part): boolean {
  return isCall(part) ? part.async === true : isResult(part) && part.callId === undefined
}

class Settlement {
  readonly #report: Report
  readonly #out: Turn[] = []
  /** Calls of the current round that have no result yet. */
  readonly #open = new Map<string, CallPart>()
  /** Calls whose results can only come as messages. */
  readonly #late = new Map<string, CallPart>()
  #hasResults = false

  constructor(report: Report) {
    this.#report = report
  }

  settle(turns: readonly Turn[]): readonly Turn[] {
    for (const turn of turns) {
      const answers = turn.parts.some(isResult)
      if (!answers && (this.#hasResults || turn.role !== 'assistant')) this.#endRound()
      if (answers) this.#addResults(turn)
      else this.#out.push(turn)
      for (const part of turn.parts) if (isCall(part)) this.#open.set(part.id ?? '', part)
    }
    this.#endRound()
    return this.#out
  }

  #endRound(): void {
    this.#hasResults = false
    const parts: ResultPart[] = []
    for (const [id, call] of this.#open) {
      if (!call.async || call.id === undefined) continue
      this.#open.delete(id)
      this.#late.set(id, call)
      const { path, form } = call
      this.#report(
        'result_deferred',
        [...path, 'type'],
        `The call "${id}" has no result yet; a placeholder was added.`,
      )
      const text = 'The tool is still running; its result follows later.'
      const content: readonly Part[] = [{ kind: 'text', text, path }]
      parts.push({ kind: 'result', form, callId: id, content, plain: true, path })
    }
    const [first] = parts
    if (first !== undefined) this.#out.push({ role: 'tool', parts, root: first.path })
  }

  /** Splits a turn into the results that follow their calls, and messages for the others. */
  #addResults(turn: Turn): void {
    const messages: Part[] = []
    const parts = turn.parts.filter(part => {
      const said = isResult(part) ? this.#messageOf(part) : undefined
      if (said === undefined) return true
      append(messages, said)
      return false
    })
    if (parts.some(isResult)) this.#hasResults = true
    if (messages.length === 0) this.#out.push(turn)
    else {
      if (parts.length > 0) this.#out.push({ ...turn, parts })
      else this.#endRound()
      this.#out.push({ role: 'user', parts: messages, root: turn.root })
    }
  }

  /** The result as a message, if it does not follow a call. */
  #messageOf(part: ResultPart): readonly Part[] | undefined {
    const { callId, path, name } = part
    const late = callId === undefined ? undefined : this.#late.get(callId)
    const isStray = callId === undefined && this.#open.size === 0
    if (late === undefined && !isStray) {
      if (callId !== undefined) this.#open.delete(callId)
      return undefined
    }
    this.#report(
      'result_deferred',
      [...path, 'type'],
      'The result does not follow its call; it was sent as a message.',
    )
    const tool = late?.name ?? name
    const of = tool === undefined ? 'a tool' : `the tool "${tool}"`
    const about = late === undefined ? of : `${of} for the call "${callId}"`
    const text = part.isError ? `The error of ${about}:` : `The result of ${about}:`
    return [{ kind: 'text', text, path, ...orphanResidue(part.residue) }, ...part.content]
  }
}
