/** Strict mode: every place where a function's schema leaves the strict subset, and the rewrite into it. */
import type { Path } from '../model/diagnostic.ts'
import type { FunctionTool } from '../model/tool.ts'
import { checkStrict } from '../schema/strict/check-strict.ts'
import type { StrictRules } from '../schema/strict/rules.ts'
import { strictify } from '../schema/strict/strictify.ts'
import type { LintContext } from './context.ts'
import type { LintFix } from './finding.ts'
import { remedyFor } from './remedies.ts'

const strictifies =
  '`toolwire convert tools --strict-mode strictify` rewrites the schema where that is exact.'

/** For those who asked for strict mode, turning it off is no remedy; a tool that says `false` is left alone. */
function strictRemedy(tool: FunctionTool): string {
  if (tool.strict !== false) return `Bring the schema into the strict subset: ${strictifies}`
  return `Bring the schema into the strict subset and say true. Without a "strict", ${strictifies}`
}

/** `said` are the places of the other findings about this schema: no place is complained about twice. */
export function lintStrictSchema(
  tool: FunctionTool,
  said: readonly Path[],
  { strict, limits, add }: LintContext,
): void {
  if (tool.strict !== true && !strict) return
  const rules = limits.strictRules
  const { diagnostics } = checkStrict(tool.parameters, { path: tool.parametersPath, rules })
  const known = new Set(said.map(key))
  const fresh = diagnostics.filter(({ path }) => !known.has(key(path)))
  // A tool that never asked for strict is not rewritten behind its author's back, and a schema with other
  // mistakes has those to be corrected first. One rewrite mends all places, so each of them shows it.
  const fix = tool.strict === true && said.length === 0 && fresh.length > 0 ? rewrite(tool, rules) : undefined
  for (const { code, path, message } of fresh) {
    add(code, path, message, strict ? strictRemedy(tool) : remedyFor(code), fix)
  }
}

function rewrite({ parameters, parametersPath }: FunctionTool, rules: StrictRules): LintFix | undefined {
  const { schema, strict } = strictify(parameters, { path: parametersPath, rules })
  if (!strict || !checkStrict(schema, { rules }).ok) return undefined
  const title = rules.allRequired
    ? 'Rewrite the schema into the strict subset; optional properties become nullable'
    : 'Rewrite the schema into the strict subset'
  return { title, edits: [{ path: parametersPath, value: schema }] }
}

function key(path: Path): string {
  return JSON.stringify(path)
}
