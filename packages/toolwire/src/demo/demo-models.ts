/** The listed demo models: `demo` answers, `demo-reasoning` also shows its reasoning, every other one fails in its own way. */

const behaviours = [
  'answer',
  'reasoning',
  'slow',
  'refuse',
  'empty',
  'truncate',
  'stall',
  'cut',
  'error-frame',
  'malformed',
  '429',
  '500',
] as const

export type Behaviour = (typeof behaviours)[number]

const behaviourByName: ReadonlyMap<string, Behaviour> = new Map(
  behaviours.map(behaviour => [behaviour === 'answer' ? 'demo' : `demo-${behaviour}`, behaviour]),
)

export const demoModels: readonly string[] = [...behaviourByName.keys()]

/**
 * Clients bring their own model names, so any name that does not begin with `demo` is answered as `demo` is. An
 * unknown name that does is taken for a typing error: `undefined`.
 */
export function behaviourOf(model: string): Behaviour | undefined {
  return behaviourByName.get(model) ?? (model.startsWith('demo') ? undefined : 'answer')
}
