/** Encodes a message that is not a tool's result: content, reasoning, refusal and calls, each in its field. */

import type { JsonObject } from '../../../json/object.ts'
import type { CallPart, Part, ReasoningPart, RefusalPart, Turn } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import { into } from '../../../model/diagnostic.ts'
import type { Residue } from '../../../model/residue.ts'
import { filterResidue } from '../../../model/residue.ts'
import { encodeAnnotations } from '../annotations.ts'
import { encodeFunctionCallField, encodeToolCall, isFunctionCallField } from '../calls.ts'
import { encodeContent, reportDropped } from '../parts.ts'
import { encodeReasoning } from '../reasoning.ts'
import { chatResidue } from '../residue.ts'
import { standsInContent } from '../thinking.ts'

export interface MessageStyle {
  /** Set for an answer, whose content is one text and which may have citations. */
  readonly newCallId?: () => string
}

export function encodeMessage(turn: Turn, style: MessageStyle, report: Report): Record<string, unknown> {
  const own = chatResidue.owns(turn.residue)
  const isAnswer = style.newCallId !== undefined
  const sorted = sortParts(turn.parts, own)
  const calls = encodeCalls(sorted.calls, own ? undefined : style.newCallId, report)
  const content =
    isAnswer && !own && !sorted.content.some(standsInContent)
      ? joinTexts(sorted.content, report)
      : encodeContent(sorted.content, own, turn.plain, report)
  const written: Record<string, unknown> = { role: turn.role }
  if (content !== undefined) written.content = content
  // Beside calls servers expect `null`; a message without calls needs a text.
  else if (!own) written.content = isAnswer || sorted.calls.length > 0 ? null : ''
  if (sorted.refusals.length > 0) written.refusal = joinRefusals(sorted.refusals, report)
  else if (isAnswer && !own) written.refusal = null
  if (sorted.reasoning.length > 0) encodeReasoning(written, sorted.reasoning, report)
  if (calls.list.length > 0) written.tool_calls = calls.list
  if (calls.single !== undefined) written.function_call = calls.single
  encodeCitations(written, sorted.content, own || isAnswer, report)
  if (!isAnswer) reportUnsaid(turn.parts, report)
  return chatResidue.restore(written, residueFor(turn, content), report)
}

/** That a client had no content is no longer true once its reasoning has come back to the content. */
function residueFor({ parts, residue }: Turn, content: unknown): Residue | undefined {
  if (residue === undefined || content === undefined || !parts.some(standsInContent)) return residue
  return filterResidue(residue, ([path]) => path.length !== 1 || path[0] !== 'content')
}

interface Sorted {
  readonly content: readonly Part[]
  readonly refusals: readonly RefusalPart[]
  readonly reasoning: readonly ReasoningPart[]
  /** Calls, and members of `tool_calls` that could not be read. */
  readonly calls: readonly Part[]
}

const none: readonly never[] = []

function sortParts(parts: readonly Part[], own: boolean): Sorted {
  if (parts.every(isContent)) return { content: parts, refusals: none, reasoning: none, calls: none }
  const sorted = {
    content: [] as Part[],
    refusals: [] as RefusalPart[],
    reasoning: [] as ReasoningPart[],
    calls: [] as Part[],
  }
  const calls = parts.some(part => part.kind === 'call')
  for (const part of parts) {
    // Some servers refuse an empty text beside calls.
    if (!own && calls && part.kind === 'text' && part.text === '' && part.residue === undefined) continue
    if (isContent(part)) sorted.content.push(part)
    else if (part.kind === 'reasoning') sorted.reasoning.push(part)
    else if (part.kind === 'refusal') sorted.refusals.push(part)
    else sorted.calls.push(part)
  }
  return sorted
}

/** Whether the part is written in `content`, and not in a separate field. */
function isContent(part: Part): boolean {
  switch (part.kind) {
    case 'reasoning':
      return standsInContent(part)
    case 'call':
      return false
    case 'opaque':
      return part.path.at(-2) !== 'tool_calls'
    case 'refusal':
      return chatResidue.owns(part.residue)
    default:
      return true
  }
}

/** The text of an answer; parts that are not text are reported. */
function joinTexts(parts: readonly Part[], report: Report): string | undefined {
  const texts: string[] = []
  for (const part of parts) {
    if (part.kind === 'text') {
      chatResidue.reportForeign(part.residue, report)
      texts.push(part.text)
    } else reportDropped(part, report)
  }
  return texts.length === 0 || texts.every(text => text === '') ? undefined : texts.join('')
}

function joinRefusals(parts: readonly RefusalPart[], report: Report): string {
  for (const { residue } of parts) chatResidue.reportForeign(residue, report)
  return parts.map(({ text }) => text).join('')
}

function encodeCalls(
  calls: readonly Part[],
  newCallId: (() => string) | undefined,
  report: Report,
): { readonly list: readonly unknown[]; readonly single: JsonObject | undefined } {
  if (calls.length === 0) return { list: none, single: undefined }
  const single = calls.find((part): part is CallPart => part.kind === 'call' && isFunctionCallField(part))
  const list: unknown[] = []
  for (const part of calls) {
    if (part === single) continue
    if (part.kind === 'call') list.push(encodeToolCall(part, report, newCallId))
    else if (part.kind === 'opaque' && part.wire === 'chat') list.push(part.value)
    else reportDropped(part, report)
  }
  return { list, single: single && encodeFunctionCallField(single, report) }
}

function encodeCitations(
  written: Record<string, unknown>,
  content: readonly Part[],
  hasPlace: boolean,
  report: Report,
): void {
  if (!content.some(part => part.kind === 'text' && part.citations !== undefined)) return
  const texts = content.filter(part => part.kind === 'text')
  if (hasPlace) {
    const annotations = encodeAnnotations(texts, report)
    if (annotations.length > 0) written.annotations = annotations
    return
  }
  for (const { citations = [] } of texts) {
    for (const { path } of citations)
      report('field_dropped', path, 'A message sent to Chat has no place for citations; it was left out.')
  }
}

/** Reports fields that a message has only in an answer, for a message that is part of a request. */
function reportUnsaid(parts: readonly Part[], report: Report): void {
  for (const part of parts) {
    if (part.kind === 'text' && part.logprobs !== undefined && part.logprobs.length > 0) {
      report('field_dropped', into(part.path, 'logprobs'), 'A request to Chat has no place for "logprobs".')
    }
    if (part.kind === 'call' && part.status !== undefined && part.status !== 'completed') {
      report('field_dropped', into(part.path, 'status'), 'Chat has no place for the status of a call.')
    }
  }
}
