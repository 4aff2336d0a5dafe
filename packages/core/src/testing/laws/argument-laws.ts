/** A tool accepts the arguments that its schema allows, and those that a model writes for its strict schema. */
import { encodeTools } from '../../convert-tools.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { ToolSpec } from '../../runtime/tools/tool-spec.ts'
import { createValidator } from '../../schema/validate/validate.ts'
import type { BuiltInWire as Wire } from '../../wires/registry.ts'
import type { Law, LawContext } from './law.ts'
import { assertLaw, codecOf, ignoreLosses, sampleObject } from './law.ts'

export function argumentLaws(context: LawContext): Law[] {
  const own = context.tools.map(
    ({ tool, samples }): Law => ({
      name: `arguments: ${tool.name} accepts what its schema allows`,
      check: async () => {
        for (const sample of samples) await assertAccepted(tool, sample, 'sampled from its own schema')
      },
    }),
  )
  const strict = context.wires.map(
    (wire): Law => ({
      name: `arguments: what is written for the strict schema on ${wire} is restored to what the tool accepts`,
      check: () => checkStrict(context, wire),
    }),
  )
  return [...own, ...strict]
}

/** `unchecked`: keywords of the tool's schema that the sample could not know. */
async function assertAccepted(
  tool: ToolSpec,
  args: unknown,
  origin: string,
  unchecked: ReadonlySet<string> = new Set(),
): Promise<void> {
  const message = (reason: string): string =>
    `Tool "${tool.name}" does not accept the arguments ${JSON.stringify(args)}, ${origin}: ${reason}`
  const result = createValidator(tool.parameters).validate(args)
  const issue = result.ok ? undefined : result.issues.find(({ keyword }) => !unchecked.has(keyword))
  assertLaw(issue === undefined, () => message(issue?.message ?? ''))
  if (unchecked.size > 0) return
  const [own] = (await tool.validateArguments?.(args))?.issues ?? []
  const steps = own?.path?.map(step => String(typeof step === 'object' ? step.key : step)) ?? []
  const at = steps.length > 0 ? ` at ${steps.join('.')}` : ''
  assertLaw(own === undefined, () => message(`${own?.message}${at}`))
}

/** In strict mode a model writes arguments for the strict schema, with null for what it leaves out. */
async function checkStrict({ tools, seed }: LawContext, wire: Wire): Promise<void> {
  const { value, undo, diagnostics } = encodeTools(
    tools.map(({ tool }) => tool),
    { to: wire, strict: 'strictify' },
  )
  for (const [i, { tool, samples }] of tools.entries()) {
    const shown = codecOf(wire).decodeTool(value[i], [i], ignoreLosses())
    if (shown.kind !== 'function' || shown.strict !== true) continue
    for (const [n] of samples.entries()) {
      const text = JSON.stringify(sampleObject(tool, shown.parameters, seed + n, n === 0))
      const call = undo.restoreCall({ kind: 'function', name: shown.name, arguments: text })
      assertLaw(
        call.kind === 'function',
        () => `Tool "${tool.name}" on ${wire} was restored as a ${call.kind} call.`,
      )
      const origin = `written for the strict schema on ${wire} as ${text}`
      await assertAccepted(tool, JSON.parse(call.arguments), origin, droppedKeywords(diagnostics, i))
    }
  }
}

/** Keywords that strict mode does not support: the strict schema mentions them in words only. */
function droppedKeywords(diagnostics: readonly Diagnostic[], index: number): ReadonlySet<string> {
  const keywords = diagnostics
    .filter(({ path, severity }) => path[0] === index && severity === 'warning')
    .map(({ path }) => String(path.at(-1)))
  // The validator reports an issue inside a branch as one of the union.
  return new Set(keywords.length === 0 ? [] : [...keywords, 'anyOf', 'oneOf'])
}
