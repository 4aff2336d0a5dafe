/** Translates `strict` for the target, and rewrites schemas if `strict: 'strictify'` is set. */
import type { Request } from '../../../model/request.ts'
import type { FunctionTool } from '../../../model/tool.ts'
import type { StrictPasses } from '../../../schema/strict/passes.ts'
import type { AdaptContext } from '../context.ts'
import { mapFunctions } from '../context.ts'

export function adaptStrict(request: Request, context: AdaptContext): Request {
  const { options, strictPasses } = context
  return mapFunctions(request, declared => {
    const tool = honourMisplaced(declared, context)
    const rewrites = options.strict === 'strictify' && tool.strict !== false && tool.parameters !== undefined
    if (rewrites && strictPasses !== undefined) return applyStrictify(tool, strictPasses, context)
    if (options.strict === 'omit' && tool.strict === undefined) return { ...tool, strict: 'auto' }
    if (tool.strict === 'auto') return resolveAuto(tool, context)
    return tool.strict === true ? keepIfPossible(tool, context) : tool
  })
}

function withoutStrict({ strict: _, ...tool }: FunctionTool): FunctionTool {
  return tool
}

function honourMisplaced(tool: FunctionTool, { options }: AdaptContext): FunctionTool {
  const stated = tool.strict === true || tool.strict === false
  if (options.misplacedStrict !== 'honour' || tool.misplacedStrict === undefined || stated) return tool
  return { ...tool, strict: tool.misplacedStrict }
}

function applyStrictify(
  tool: FunctionTool,
  { strictify }: StrictPasses,
  { profile, report }: AdaptContext,
): FunctionTool {
  const result = strictify(tool.parameters, { path: tool.parametersPath, rules: profile.strictRules })
  for (const { code, path, message } of result.diagnostics) report(code, path, message)
  if (!result.strict) return { ...tool, strict: false }
  return { ...tool, strict: true, parameters: result.schema, undoArguments: result.undo }
}

/** A Responses server would try strict mode. Elsewhere a tool is strict only if its schema already obeys the rules. */
function resolveAuto(
  tool: FunctionTool,
  { options, strictPasses, profile, report }: AdaptContext,
): FunctionTool {
  if (profile.autoStrict) return tool
  if (options.strict === 'omit') return withoutStrict(tool)
  const obeys = strictPasses?.isStrict(tool.parameters, profile.strictRules) === true
  const outcome = obeys ? 'its schema obeys the rules, so it is strict here' : 'it is not strict here'
  report('strict_auto_resolved', [...tool.path, 'strict'], `"strict" was left to the server; ${outcome}.`)
  return obeys ? { ...tool, strict: true } : withoutStrict(tool)
}

/** Providers differ in what strict mode allows, and refuse the whole request over one schema outside it. */
function keepIfPossible(
  tool: FunctionTool,
  { profile, source, strictPasses, report }: AdaptContext,
): FunctionTool {
  if (profile.strictRules === source.strictRules) return tool
  if (strictPasses?.isStrict(tool.parameters, profile.strictRules) === true) return tool
  report(
    'strict_dropped',
    [...tool.path, 'strict'],
    strictPasses === undefined
      ? "Nothing checks the schema against the target's strict rules, so the tool is not strict there."
      : "The schema is outside the target's strict rules, so the tool is not strict there.",
  )
  return { ...tool, strict: false }
}
