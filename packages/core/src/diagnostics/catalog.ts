/** Every diagnostic code explained. The compiler refuses a code without an entry and an entry without a code. */
import type { DiagnosticCode } from '../model/diagnostic-codes.ts'
import { conversationExplanations } from './conversation-explanations.ts'
import type { Explanation } from './explanation.ts'
import { lintExplanations } from './lint-explanations.ts'
import { schemaExplanations } from './schema-explanations.ts'
import { thrownExplanations } from './thrown-explanations.ts'
import { toolExplanations } from './tool-explanations.ts'

/** What each diagnostic code means, why it occurs, and what to do. */
export const catalog: { readonly [Code in DiagnosticCode]: Explanation } = {
  ...toolExplanations,
  ...conversationExplanations,
  ...schemaExplanations,
  ...lintExplanations,
  ...thrownExplanations,
}

interface CatalogGroup {
  readonly title: string
  readonly codes: readonly DiagnosticCode[]
}

/** The codes in the order in which documentation shows them. */
export const catalogGroups: readonly CatalogGroup[] = [
  group('Reading and converting tools', toolExplanations),
  group('Requests and answers', conversationExplanations),
  group('Passes over JSON Schema', schemaExplanations),
  group('Linting', lintExplanations),
  group('Thrown errors', thrownExplanations),
]

function group<Code extends DiagnosticCode>(
  title: string,
  explanations: { readonly [C in Code]: Explanation },
): CatalogGroup {
  return { title, codes: Object.keys(explanations) as Code[] }
}
