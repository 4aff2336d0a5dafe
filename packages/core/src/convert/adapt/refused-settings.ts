/** Leaves out or changes the settings that the target, or the model, refuses. The profile says which. */

import { shortHash } from '../../model/hash.ts'
import type { Request, Setting, SettingName, Settings } from '../../model/request.ts'
import type { AdaptContext } from './context.ts'
import { withSettings } from './context.ts'

/** Settings that change nothing about what the model answers. */
const hints: ReadonlySet<SettingName> = new Set([
  'store',
  'metadata',
  'serviceTier',
  'safetyIdentifier',
  'user',
  'promptCacheKey',
  'promptCacheRetention',
  'promptCacheMode',
  'promptCacheTtl',
  'includeUsage',
  'includeSealed',
  'includeObfuscation',
  'effort',
])

/** Settings that choose among likely words, and the values with which they do nothing. */
const sampling: ReadonlyMap<SettingName, unknown> = new Map<SettingName, unknown>([
  ['temperature', 1],
  ['topP', 1],
  ['frequencyPenalty', 0],
  ['presencePenalty', 0],
  ['logprobs', false],
  ['topLogprobs', 0],
])

export function dropRefusedSettings(request: Request, context: AdaptContext): Request {
  const { profile } = context
  const { settings } = request
  let kept = settings
  for (const name of profile.refusedSettings) kept = without(name, kept, 'The target refuses it', context)
  if (!profile.effort) kept = without('effort', kept, 'The model takes no effort', context)
  const reasons = settings.effort !== undefined && settings.effort.value !== 'none'
  if (profile.sampling === 'never' || (profile.sampling === 'without reasoning' && reasons)) {
    for (const name of sampling.keys()) kept = without(name, kept, 'The model refuses it', context)
  }
  return withSettings(request, kept)
}

function without(name: SettingName, settings: Settings, why: string, { report }: AdaptContext): Settings {
  const setting = settings[name]
  if (setting === undefined) return settings
  if (!sampling.has(name) || setting.value !== sampling.get(name)) {
    report(hints.has(name) ? 'hint_dropped' : 'field_dropped', setting.path, `${why}; it was left out.`)
  }
  const { [name]: _, ...rest } = settings
  return rest
}

/** From the least to the most. */
const efforts: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** A word for the effort that is refused becomes the nearest one below it, or above it if there is none. */
export function adaptEffort(request: Request, { profile, report }: AdaptContext): Request {
  const { effort } = request.settings
  const { refusedEfforts } = profile
  if (effort === undefined || !refusedEfforts.includes(effort.value)) return request
  const at = efforts.indexOf(effort.value)
  const accepted = (word: string): boolean => !refusedEfforts.includes(word)
  // Not thinking at all is no weaker way to think.
  const below = efforts.slice(1, Math.max(at, 1)).findLast(accepted)
  const value = below ?? efforts.slice(at + 1).find(accepted) ?? 'medium'
  report('effort_changed', effort.path, `The model takes no effort "${effort.value}"; "${value}" was sent.`)
  return withSettings(request, { ...request.settings, effort: { ...effort, value } })
}

const identifiers = ['user', 'safetyIdentifier', 'promptCacheKey'] as const

/** What is too long keeps its beginning and ends in a hash of all of it, so that it still tells users apart. */
export function shortenIdentifiers(
  request: Request,
  { profile: { identifierMaxLength: most }, report }: AdaptContext,
): Request {
  let { settings } = request
  for (const name of identifiers) {
    const given: Setting<string> | undefined = settings[name]
    if (given === undefined || given.value.length <= most) continue
    const hash = `-${shortHash(given.value)}${shortHash(`#${given.value}`)}`
    const value = given.value.slice(0, Math.max(0, most - hash.length)) + hash.slice(-most)
    report('identifier_shortened', given.path, `The target takes ${most} characters; the rest became a hash.`)
    settings = { ...settings, [name]: { ...given, value } }
  }
  return withSettings(request, settings)
}

/** Some models accept functions on a wire only while reasoning is off, or not at all. */
export function limitFunctions(request: Request, { profile, options, report }: AdaptContext): Request {
  const { tools, settings } = request
  const model = options.model ?? request.model ?? ''
  if (profile.functions === 'always' || !tools.tools?.length) return request
  if (profile.functions === 'never') {
    report('tools_refused', ['tools'], `On this wire "${model}" takes no tools.`)
    return request
  }
  if (settings.effort?.value === 'none') return request
  const path = settings.effort?.path ?? ['model']
  report(
    'reasoning_switched_off',
    path,
    `On this wire "${model}" takes functions only without reasoning; it was switched off.`,
  )
  return withSettings(request, { ...settings, effort: { value: 'none', path } })
}
