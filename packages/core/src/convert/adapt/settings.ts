/** Adds settings that the target requires and drops those that it refuses. */
import type { Request, Setting, Settings } from '../../model/request.ts'
import type { AdaptContext } from './context.ts'
import { withSettings } from './context.ts'
import { inputSize } from './input-size.ts'

/** What the conversation sets in its middle counts from there on, and so for the answer. */
export function applyUpdates(request: Request, { isNative, profile, report }: AdaptContext): Request {
  if (request.updates === undefined || (isNative && profile.additionalTools)) return request
  const { updates, ...rest } = request
  const settings: Record<string, Setting<unknown>> = { ...request.settings }
  const replace = ({ path }: Setting<unknown>): void =>
    report('setting_replaced', path, 'A later value counts for the answer; it was left out.')
  for (const { settings: changed, isPast } of updates) {
    for (const [name, setting] of Object.entries(changed)) {
      const before = settings[name]
      if (isPast) replace(setting)
      else {
        if (before !== undefined) replace(before)
        report('setting_merged', setting.path, 'The target has this setting beside the conversation.')
        settings[name] = setting
      }
    }
  }
  return { ...rest, settings: settings as Settings }
}

/** Adds an output limit if the target requires one, raises one below its minimum, and calls it by the name it knows. */
export function adaptOutputLimit(request: Request, context: AdaptContext): Request {
  const { profile, report } = context
  const { settings } = request
  const limit = settings.maxOutputTokens ?? addedLimit(request, context)
  if (limit === undefined) return request
  const { minOutputLimit: least, olderOutputLimit } = profile
  const isLow = limit.value < least
  if (isLow) report('output_limit_raised', limit.path, `The target takes no limit below ${least}.`)
  const older = olderOutputLimit && limit.older !== true ? { older: true } : {}
  if (limit === settings.maxOutputTokens && !isLow && older.older === undefined) return request
  const maxOutputTokens = { ...limit, ...(isLow && { value: least }), ...older }
  return withSettings(request, { ...settings, maxOutputTokens })
}

/** The lesser of what the model can write at most and what its window has room for. */
function addedLimit(request: Request, { profile, report }: AdaptContext): Setting<number> | undefined {
  const { defaultOutputLimit, largestOutput, contextWindow } = profile
  if (defaultOutputLimit === null) return undefined
  const most = largestOutput ?? defaultOutputLimit
  const room = contextWindow === null ? most : contextWindow - inputSize(request, contextWindow - most)
  const value = Math.min(most, Math.max(room, leastRoom))
  report('output_limit_added', [], `The target requires an output limit; ${value} was sent.`)
  return { value, path: [] }
}

/** The size of the input is taken rather too large, so there may be room for an answer where none seems left. */
const leastRoom = 4096

/** A penalty of 0 is the default, so dropping it is not a loss. */
export function dropPenalties(request: Request, { profile, isNative, report }: AdaptContext): Request {
  if (isNative || profile.penalties) return request
  if ((request.settings.frequencyPenalty ?? request.settings.presencePenalty) === undefined) return request
  const { frequencyPenalty, presencePenalty, ...rest } = request.settings
  for (const penalty of [frequencyPenalty, presencePenalty]) {
    if (penalty === undefined || penalty.value === 0) continue
    report('field_dropped', penalty.path, 'The target takes no penalties; it was left out.')
  }
  return withSettings(request, rest)
}

/**
 * Other wires send signed reasoning unasked; this target forgets what it does not store, unless it is asked to send it,
 * and in the next round it would be missing. A model without reasoning refuses to be asked.
 */
export function requestSealed(request: Request, { profile, isNative, seal }: AdaptContext): Request {
  const { settings } = request
  if (seal === undefined || !profile.sealedOnRequest || !profile.effort) return request
  if (isNative && settings.store?.value !== false) return request
  return withSettings(request, { ...settings, includeSealed: { value: true, path: [] } })
}

/** Other wires end every stream with its usage; this target sends it only on request. */
export function requestUsage(request: Request, { profile, isNative }: AdaptContext): Request {
  const { settings } = request
  const streams = settings.stream?.value === true
  if (isNative || !profile.usageOnRequest || !streams || settings.includeUsage !== undefined) return request
  return withSettings(request, { ...settings, includeUsage: { value: true, path: [] } })
}
