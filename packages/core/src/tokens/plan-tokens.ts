/**
 * The cap of an answer. It is the caller's, and passes through; only what the server's API cannot take is
 * raised to its minimum. A policy, off unless given, may ask for more room.
 */

import { isObject, type JsonObject } from '../json/object.ts'
import { show } from '../json/text.ts'
import { createReport, type Diagnostic } from '../model/diagnostic.ts'
import type { Wire } from '../wires/registry.ts'
import { conversationOf } from '../wires/registry.ts'
import { type ModelLimits, outputLimitOf } from './model-limits.ts'
import { applyPolicy, checkPolicy, type TokenBudgetPolicy } from './token-policy.ts'

export interface PlanOptions {
  readonly wire: Wire
  /** Without one, the cap passes through. */
  readonly policy?: TokenBudgetPolicy
  /** Largest outputs that come before the library's own figures. */
  readonly models?: ModelLimits
}

export interface TokenPlan {
  /** The cap to send; `undefined` when there is none and none was asked for. */
  readonly maxOutputTokens: number | undefined
  /** The field of the body that holds it. */
  readonly field: string
  readonly changed: boolean
  /** What each change was made for, in the order of the changes. */
  readonly reasons: string[]
  readonly diagnostics: Diagnostic[]
  /** The body with that cap; the same object when nothing changed. */
  readonly value: unknown
}

/** A cap that is not a finite number is left as it stands, for the server to refuse. */
export function planTokens(body: unknown, options: PlanOptions): TokenPlan {
  const { wire, policy, models } = options
  const codec = conversationOf(wire, 'wire')
  if (policy !== undefined) checkPolicy(policy)
  const { report, diagnostics } = createReport()
  const { limitField } = codec.framing
  if (!isObject(body)) {
    report('invalid_request', [], `A request body must be an object; this is ${show(body)}.`)
    const unread = { maxOutputTokens: undefined, field: limitField, changed: false, reasons: [] }
    return { ...unread, diagnostics, value: body }
  }
  const { settings, turns, tools, model } = codec.decodeRequest(body, () => undefined)
  const field = String(settings.maxOutputTokens?.path[0] ?? limitField)
  const given = settings.maxOutputTokens?.value
  const reasons: string[] = []
  const wanted = applyPolicy(Number.isFinite(given) ? given : undefined, policy ?? {}, {
    model,
    tools: (tools.tools ?? []).length + (tools.additionalTools ?? []).length,
    history: turns.filter(({ instructions }) => instructions !== true).length,
    limit: outputLimitOf(model, models),
    because: reason => reasons.push(reason),
  })
  const least = codec.profile.minOutputLimit
  const planned = wanted !== undefined && wanted < least ? least : wanted
  if (wanted !== planned) {
    const reason = `This API takes no cap below ${least}.`
    report('output_limit_raised', [field], reason)
    reasons.push(reason)
  }
  const changed = planned !== undefined && planned !== given
  return {
    maxOutputTokens: planned,
    field,
    changed,
    reasons: changed ? reasons : [],
    diagnostics,
    value: changed ? withCap(body, field, planned) : body,
  }
}

function withCap(body: JsonObject, field: string, cap: number): JsonObject {
  return { ...body, [field]: cap }
}
