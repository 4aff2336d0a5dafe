/** Adds settings that the target requires and drops those that it refuses. */
import type { Request, Settings } from '../../model/request.ts'
import type { ToolParams } from '../../model/tool.ts'
import type { AdaptContext } from './context.ts'
import { adaptFormat } from './format.ts'

export function adaptSettings(
  { model, settings }: Request,
  tools: ToolParams,
  context: AdaptContext,
): Settings {
  if (context.sameWire) return settings
  const allowed = dropPenalties(fitOutputLimit(settings, context), context)
  const fitted = requestUsage(adaptFormat(allowed, context), context)
  return disableReasoning(model, tools, fitted, context)
}

/** Adds an output limit if the target requires one, and raises one below the target's minimum. */
function fitOutputLimit(settings: Settings, { profile, report }: AdaptContext): Settings {
  const { maxOutputTokens } = settings
  if (maxOutputTokens === undefined) {
    if (profile.defaultOutputLimit === null) return settings
    report(
      'output_limit_added',
      [],
      `The target requires an output limit; ${profile.defaultOutputLimit} was sent.`,
    )
    return { ...settings, maxOutputTokens: { value: profile.defaultOutputLimit, path: [] } }
  }
  if (maxOutputTokens.value >= profile.minOutputLimit) return settings
  report(
    'output_limit_raised',
    maxOutputTokens.path,
    `The target takes no limit below ${profile.minOutputLimit}.`,
  )
  return { ...settings, maxOutputTokens: { ...maxOutputTokens, value: profile.minOutputLimit } }
}

/** A penalty of 0 is the default, so dropping it is not a loss. */
function dropPenalties(settings: Settings, { profile, report }: AdaptContext): Settings {
  const { frequencyPenalty, presencePenalty, ...rest } = settings
  if (profile.penalties || (frequencyPenalty ?? presencePenalty) === undefined) return settings
  for (const penalty of [frequencyPenalty, presencePenalty]) {
    if (penalty === undefined || penalty.value === 0) continue
    report('field_dropped', penalty.path, 'The target takes no penalties; it was left out.')
  }
  return rest
}

/** Other wires end every stream with its usage; this target sends it only on request. */
function requestUsage(settings: Settings, { profile }: AdaptContext): Settings {
  const streams = settings.stream?.value === true
  if (!profile.usageOnRequest || !streams || settings.includeUsage !== undefined) return settings
  return { ...settings, includeUsage: { value: true, path: [] } }
}

/** Some models refuse functions on this wire unless reasoning is off. */
function disableReasoning(
  model = '',
  { tools }: ToolParams,
  settings: Settings,
  { profile, report }: AdaptContext,
): Settings {
  const refuses = profile.noReasoningWithTools.some(prefix => model.startsWith(prefix))
  const hasTools = tools !== undefined && tools.length > 0
  if (!refuses || !hasTools || settings.effort?.value === 'none') return settings
  const path = settings.effort?.path ?? ['model']
  report(
    'reasoning_switched_off',
    path,
    `On this wire "${model}" takes functions only without reasoning; it was switched off.`,
  )
  return { ...settings, effort: { value: 'none', path } }
}
