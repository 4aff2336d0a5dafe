/** Every diagnostic code explained. The type fails to compile when a code has no entry or an entry no code. */
import type { DiagnosticCode } from '../model/diagnostic-codes.ts'
import type { Explanation } from './explanation.ts'
import { lintExplanations } from './lint-explanations.ts'
import { schemaExplanations } from './schema-explanations.ts'
import { toolExplanations } from './tool-explanations.ts'

const groups = {
  'Reading and converting tools': toolExplanations,
  'Passes over JSON Schema': schemaExplanations,
  Linting: lintExplanations,
} as const

type Group = (typeof groups)[keyof typeof groups]

/** The keys of every group together; a code in two groups would have two meanings. */
type Explained = { [G in keyof typeof groups]: keyof (typeof groups)[G] }[keyof typeof groups]

export const catalog: { readonly [Code in DiagnosticCode]: Explanation } = {
  ...toolExplanations,
  ...schemaExplanations,
  ...lintExplanations,
} satisfies { [Code in Explained]: Explanation }

/** The codes in the order in which documentation shows them. */
export const catalogGroups: readonly { readonly title: string; readonly codes: readonly DiagnosticCode[] }[] =
  Object.entries(groups).map(([title, group]: [string, Group]) => ({
    title,
    codes: Object.keys(group) as DiagnosticCode[],
  }))
