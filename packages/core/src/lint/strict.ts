/** Strict mode: every position where a function's schema leaves the strict subset, and the rewrite into it. */
import type { Path } from '../model/diagnostic.ts'
import type { FunctionTool } from '../model/tool.ts'
import { checkStrict } from '../schema/strict/check-strict.ts'
import type { StrictRules } from '../schema/strict/rules.ts'
import { strictify } from '../schema/strict/strictify.ts'
import type { LintContext } from './context.ts'
import { type LintFix, remedyFor } from './finding.ts'

const strictifies =
  '`toolwire convert tools --strict-mode strictify` rewrites the schema where that is exact.'

/** Where strict mode is demanded, turning it off is not a remedy. */
function strictRemedy(tool: FunctionTool): string {
  if (tool.strict !== false) return `Bring the schema into the strict subset: ${strictifies}`
  return `Bring the schema into the strict subset and say true. Without a "strict", ${strictifies}`
}

/** `reported` are the paths of the other findings about this schema; nothing is reported twice. */
export function lintStrictSchema(
  tool: FunctionTool,
  reported: readonly Path[],
  { strict, limits, add }: LintContext,
): void {
  if (tool.strict !== true && !strict) return
  const rules = limits.strictRules
  const { diagnostics } = checkStrict(tool.parameters, { path: tool.parametersPath, rules })
  const known = new Set(reported.map(key))
  const fresh = diagnostics.filter(({ path }) => !known.has(key(path)))
  // A tool that did not ask for strict mode is not rewritten, and other mistakes in the schema come first.
  // One rewrite repairs all findings, so each of them carries it.
  const fix =
    tool.strict === true && reported.length === 0 && fresh.length > 0 ? rewrite(tool, rules) : undefined
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
