/** Adds settings that the target requires and drops those that it refuses. */
import type { Request } from '../../model/request.ts'
import type { AdaptContext } from './context.ts'
import { withSettings } from './context.ts'

/** Adds an output limit if the target requires one, and raises one below the target's minimum. */
export function adaptOutputLimit(request: Request, { profile, isNative, report }: AdaptContext): Request {
  const { settings } = request
  const { maxOutputTokens } = settings
  if (isNative) return request
  if (maxOutputTokens === undefined) {
    if (profile.defaultOutputLimit === null) return request
    report(
      'output_limit_added',
      [],
      `The target requires an output limit; ${profile.defaultOutputLimit} was sent.`,
    )
    const maxOutputTokens = { value: profile.defaultOutputLimit, path: [] }
    return withSettings(request, { ...settings, maxOutputTokens })
  }
  if (maxOutputTokens.value >= profile.minOutputLimit) return request
  report(
    'output_limit_raised',
    maxOutputTokens.path,
    `The target takes no limit below ${profile.minOutputLimit}.`,
  )
  return withSettings(request, {
    ...settings,
    maxOutputTokens: { ...maxOutputTokens, value: profile.minOutputLimit },
  })
}

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

/** Other wires end every stream with its usage; this target sends it only on request. */
export function requestUsage(request: Request, { profile, isNative }: AdaptContext): Request {
  const { settings } = request
  const streams = settings.stream?.value === true
  if (isNative || !profile.usageOnRequest || !streams || settings.includeUsage !== undefined) return request
  return withSettings(request, { ...settings, includeUsage: { value: true, path: [] } })
}

/** Some models refuse functions on this wire unless reasoning is off. */
export function disableReasoning(request: Request, { profile, isNative, report }: AdaptContext): Request {
  const { model = '', tools, settings } = request
  if (isNative || !tools.tools?.length || settings.effort?.value === 'none') return request
  if (!profile.noReasoningWithTools.some(prefix => model.startsWith(prefix))) return request
  const path = settings.effort?.path ?? ['model']
  report(
    'reasoning_switched_off',
    path,
    `On this wire "${model}" takes functions only without reasoning; it was switched off.`,
  )
  return withSettings(request, { ...settings, effort: { value: 'none', path } })
}
