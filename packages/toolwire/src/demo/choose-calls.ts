/** Which tools to call for a message, and with what: one call for each tool that fits and each thing asked about. */
import { trySample } from '@toolwire/core/testing'
import type { Filling } from './arguments.ts'
import { fillSchema } from './arguments.ts'
import { formulaIn } from './formula.ts'
import { harmlessText } from './harmless.ts'
import { isObject, own } from './json.ts'
import type { MentionGroup } from './mention-group.ts'
import type { Message } from './message.ts'
import { readMessage } from './message.ts'
import type { DemoRequest } from './read-request.ts'
import type { DemoTool } from './read-tools.ts'
import type { Fit } from './tool-scores.ts'
import { pickTools, profileOf, rank, vocabularyOf } from './tool-scores.ts'
import { meaningOf, wordsIn } from './words.ts'

interface ChosenCall {
  readonly kind: DemoTool['kind']
  readonly name: string
  /** The argument text, or the free text of a custom tool. */
  readonly input: string
}

export interface Choice {
  readonly message: Message
  readonly calls: readonly ChosenCall[]
  readonly hasStrict: boolean
  /** Meanings in the message that spoke for the tools. */
  readonly reasons: readonly string[]
}

const mostCalls = 8

export function chooseCalls(request: DemoRequest): Choice {
  const profiles = request.tools.map(profileOf)
  const message = readMessage(request.question, vocabularyOf(profiles))
  const fits = pickTools(rank(profiles, message), request)
  const most = request.isParallel ? mostCalls : 1
  const seed = Number.parseInt(request.digest.slice(0, 8), 16)
  const calls = fits.flatMap(fit => {
    const { kind, name } = fit.profile.tool
    const toolMeanings = wordsIn(name, 12).map(meaningOf)
    const filling = { message, groups: groupsFor(fit, fits, message), seed, most, toolMeanings }
    // Two things that a tool cannot tell apart are one call.
    return [...new Set(inputsFor(fit, filling))].map(input => ({ kind, name, input }))
  })
  return {
    message,
    calls: calls.slice(0, most),
    hasStrict: fits.some(fit => fit.profile.tool.isStrict),
    reasons: [...new Set(fits.flatMap(({ reasons }) => reasons))],
  }
}

function inputsFor({ profile: { tool } }: Fit, filling: Filling): string[] {
  if (tool.kind === 'custom') return [freeText(tool, filling)]
  const values = fillSchema(asObjectSchema(tool.parameters), filling) ?? [{}]
  return values.map(value => JSON.stringify(value))
}

/** Arguments are always an object, also where the schema forgets to say so. */
function asObjectSchema(parameters: unknown): unknown {
  if (!isObject(parameters)) return { type: 'object', properties: {} }
  return own(parameters, 'type') === undefined ? { ...parameters, type: 'object' } : parameters
}

function freeText({ pattern }: DemoTool, { message, seed, toolMeanings = [] }: Filling): string {
  if (pattern !== undefined) {
    const sampled = trySample({ type: 'string', pattern }, { seed })
    if (sampled.ok && typeof sampled.value === 'string') return sampled.value
  }
  const { quotes, text, subject } = message
  return quotes[0] ?? harmlessText(toolMeanings) ?? formulaIn(text) ?? (subject || text.trim() || 'Hello')
}

/** With several tools, each thing mentioned belongs to the tool spoken of last before it. */
function groupsFor(fit: Fit, fits: readonly Fit[], message: Message): readonly MentionGroup[] {
  if (fits.length === 1) return message.groups
  const places = fits.map(one => ({
    one,
    at: Math.min(...one.reasons.map(reason => message.meanings.get(reason) ?? Number.POSITIVE_INFINITY)),
  }))
  const ownerOf = (at: number): Fit | undefined => {
    const before = places.filter(place => place.at <= at).sort((one, other) => other.at - one.at)
    return (before[0] ?? places[0])?.one
  }
  const groups = message.groups
    .map(group => ({ ...group, mentions: group.mentions.filter(({ at }) => ownerOf(at) === fit) }))
    .filter(({ mentions }) => mentions.length > 0)
  return groups.length > 0 ? groups : message.groups
}
