/** The models there are: one that answers, one that thinks aloud, and one for each thing that can go wrong. */

export type Behaviour =
  | 'answer'
  | 'reasoning'
  | 'slow'
  | 'refuse'
  | 'empty'
  | 'truncate'
  | 'stall'
  | 'cut'
  | 'error-frame'
  | 'malformed'
  | '429'
  | '500'

const special: readonly Exclude<Behaviour, 'answer'>[] = [
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
]

const behaviours: ReadonlyMap<string, Behaviour> = new Map<string, Behaviour>([
  ['demo', 'answer'],
  ...special.map(behaviour => [`demo-${behaviour}`, behaviour] as const),
])

export const demoModels: readonly string[] = [...behaviours.keys()]

/**
 * Any name that does not begin with `demo` is answered as `demo` is: clients bring their own model names. One that
 * does and is not known is a slip of the pen, and `undefined`.
 */
export function behaviourOf(model: string): Behaviour | undefined {
  return behaviours.get(model) ?? (model.startsWith('demo') ? undefined : 'answer')
}
