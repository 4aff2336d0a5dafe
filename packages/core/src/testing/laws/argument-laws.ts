/** Arguments: what the schema allows, the tool takes, and every guise of the tool gives back. */
import { convertTools, encodeTools } from '../../convert-tools.ts'
import { isObject, own } from '../../json/object.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { ToolSpec } from '../../runtime/tools/tool-spec.ts'
import { equal } from '../../schema/equal.ts'
import { createValidator } from '../../schema/validate/validate.ts'
import type { BuiltInWire as Wire } from '../../wires/registry.ts'
import type { Law, Trial } from './law.ts'
import { codecOf, insist, sampleObject, unheard } from './law.ts'

export function argumentLaws(trial: Trial): Law[] {
  const { subjects, wires } = trial
  const taken = subjects.map(
    ({ tool, samples }): Law => ({
      name: `arguments: ${tool.name} takes what its schema allows`,
      check: async () => {
        for (const sample of samples) await insistTaken(tool, sample, 'sampled from its own schema')
      },
    }),
  )
  const strict = wires.map(
    (wire): Law => ({
      name: `arguments: what is written for the strict schema on ${wire} comes back fit for the tool`,
      check: () => checkStrict(trial, wire),
    }),
  )
  const namespaced = wires.filter(wire => codecOf(wire).profile.namespaces)
  const inNamespace = namespaced.flatMap(from =>
    wires.map(
      (to): Law => ({
        name: `arguments: a call of a tool in a namespace of ${from} comes back from ${to}`,
        check: () => checkNamespace(trial, from, to),
      }),
    ),
  )
  const free = wires.filter(wire => !codecOf(wire).never.includes('customTools'))
  const asText = free.flatMap(from =>
    wires.map(
      (to): Law => ({
        name: `arguments: the text for a free-text tool of ${from} comes back from ${to}`,
        check: () => checkFreeText(trial, from, to),
      }),
    ),
  )
  return [...taken, ...strict, ...inNamespace, ...asText]
}

async function insistTaken(
  tool: ToolSpec,
  args: unknown,
  origin: string,
  unsaid: ReadonlySet<string> = new Set(),
): Promise<void> {
  const tell = (why: string): string =>
    `Tool "${tool.name}" does not take the arguments ${JSON.stringify(args)}, ${origin}: ${why}`
  const checked = createValidator(tool.parameters).validate(args)
  const issues = checked.ok ? [] : checked.issues
  const [wrong] = issues.filter(({ keyword }) => !unsaid.has(keyword))
  insist(wrong === undefined, () => tell(wrong?.message ?? ''))
  if (unsaid.size > 0) return
  const result = await tool.validateArguments?.(args)
  const [issue] = result?.issues ?? []
  const steps = issue?.path?.map(step => String(typeof step === 'object' ? step.key : step)) ?? []
  const place = steps.length > 0 ? ` at ${steps.join('.')}` : ''
  insist(issue === undefined, () => tell(`${issue?.message}${place}`))
}

/** A model in strict mode writes for the strict schema, with a null for what it leaves out. */
async function checkStrict({ subjects, seed }: Trial, wire: Wire): Promise<void> {
  const tools = subjects.map(({ tool }) => tool)
  const { value, undo, diagnostics } = encodeTools(tools, { to: wire, strict: 'strictify' })
  for (const [i, { tool, samples }] of subjects.entries()) {
    const shown = codecOf(wire).decodeTool(value[i], [i], unheard())
    if (shown.kind !== 'function' || shown.strict !== true) continue
    const unsaid = unsaidKeywords(diagnostics, i)
    for (const [n] of samples.entries()) {
      const text = JSON.stringify(sampleObject(tool, shown.parameters, seed + n, n === 0))
      const call = undo.restoreCall({ kind: 'function', name: shown.name, arguments: text })
      insist(
        call.kind === 'function',
        () => `Tool "${tool.name}" on ${wire} came back as a ${call.kind} call.`,
      )
      const origin = `written for the strict schema on ${wire} as ${text}`
      await insistTaken(tool, JSON.parse(call.arguments), origin, unsaid)
    }
  }
}

/** Keywords that strict mode does not take, and that the strict schema says in words: a sample cannot know them. */
function unsaidKeywords(diagnostics: readonly Diagnostic[], index: number): ReadonlySet<string> {
  const told = diagnostics.filter(({ path, severity }) => path[0] === index && severity === 'warning')
  const keywords = told.map(({ path }) => String(path.at(-1)))
  // Inside a union the failure of a branch is told as one of the whole.
  return new Set(keywords.length === 0 ? [] : [...keywords, 'anyOf', 'oneOf'])
}

function checkNamespace({ subjects }: Trial, from: Wire, to: Wire): void {
  const tools = subjects.map(({ tool }) => tool)
  const encoded = encodeTools(tools, { to: from })
  const namespace = { type: 'namespace', name: 'group', description: 'All of them.', tools: encoded.value }
  const { value, undo } = convertTools([namespace], { from, to })
  const shown = value.flatMap(tool => functionsIn(tool, to))
  insist(
    shown.length === tools.length,
    () => `In a namespace, ${shown.length} of ${tools.length} tools reached ${to}.`,
  )
  for (const [i, { tool, samples }] of subjects.entries()) {
    const { name, namespace: group } = shown[i] ?? { name: '' }
    for (const sample of samples) {
      const where = group === undefined ? { name } : { name, namespace: group }
      const call = undo.restoreCall({ kind: 'function', ...where, arguments: JSON.stringify(sample) })
      const isNamed = call.kind === 'function' && call.namespace === 'group'
      const own = encoded.undo.restoreCall({ kind: 'function', name: call.name, arguments: '{}' }).name
      insist(isNamed && own === tool.name, () => {
        return `Tool "${tool.name}" in a namespace: "${name}" on ${to} comes back as "${call.namespace}.${call.name}".`
      })
      insist(call.kind === 'function' && equal(JSON.parse(call.arguments), sample), () => {
        return `Tool "${tool.name}" in a namespace, back from ${to}: its arguments ${JSON.stringify(sample)} changed.`
      })
    }
  }
}

/** The same tools, declared to take free text: a wire without such tools shows them as functions of one text. */
function checkFreeText({ subjects }: Trial, from: Wire, to: Wire): void {
  const declared = subjects.map(({ tool }, i) =>
    codecOf(from).encodeTool({ kind: 'custom', name: tool.name, root: [i], path: [i] }, unheard()),
  )
  const { value, undo } = convertTools(declared, { from, to })
  for (const [i, { tool, samples }] of subjects.entries()) {
    const shown = codecOf(to).decodeTool(value[i], [i], unheard())
    insist(shown.kind === 'function' || shown.kind === 'custom', () => {
      return `Tool "${tool.name}" as a free-text tool did not go from ${from} to ${to}.`
    })
    for (const text of samples.map(sample => JSON.stringify(sample, null, 1))) {
      const call = undo.restoreCall(
        shown.kind === 'custom'
          ? { kind: 'custom', name: shown.name, input: text }
          : { kind: 'function', name: shown.name, arguments: wrapped(text, shown.parameters) },
      )
      insist(call.kind === 'custom' && call.name === tool.name && call.input === text, () => {
        return `Tool "${tool.name}" as a free-text tool: ${JSON.stringify(text)} came back from ${to} as ${JSON.stringify(call)}.`
      })
    }
  }
}

/** The text as the one property of the function that stands for a free-text tool. */
function wrapped(text: string, parameters: unknown): string {
  const properties = isObject(parameters) ? own(parameters, 'properties') : undefined
  const [key = 'input'] = isObject(properties) ? Object.keys(properties) : []
  return JSON.stringify({ [key]: text })
}

interface Shown {
  readonly name: string
  readonly namespace?: string
}

function functionsIn(value: unknown, wire: Wire): Shown[] {
  if (!isObject(value)) return []
  const tool = codecOf(wire).decodeTool(value, [], unheard())
  if (tool.kind === 'namespace') {
    return tool.tools.flatMap(inner =>
      inner.kind === 'function' ? [{ name: inner.name, namespace: tool.name }] : [],
    )
  }
  return tool.kind === 'function' ? [{ name: tool.name }] : []
}
