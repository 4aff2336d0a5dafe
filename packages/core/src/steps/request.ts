/**
 * The request of an attempt. Its prompt has the instructions, the input and results of earlier steps; the output schema
 * is the parameters of a tool that the model is forced to call, or the output format.
 */
import { compact, isObject, own } from '../json/object.ts'
import { show } from '../json/text.ts'
import type { Part, Turn } from '../model/conversation.ts'
import type { Path } from '../model/diagnostic.ts'
import type { OutputFormat, Request } from '../model/request.ts'
import type { FunctionTool, ToolParams } from '../model/tool.ts'
import { type AnyStep, type EarlierResults, stepMark } from './step.ts'

/** Paths point into the configuration of the step, so that diagnostics name the field to change. */
export function buildRequest(step: AnyStep, turns: readonly Turn[]): Request {
  const { maxTokens } = step[stepMark]
  const format = step.carrier === 'format' ? { value: formatOf(step), path: ['outputSchema'] } : undefined
  return {
    turns,
    tools: step.carrier === 'tool' ? toolParams(step) : {},
    settings: compact({
      format,
      maxOutputTokens: maxTokens === undefined ? undefined : { value: maxTokens, path: ['maxTokens'] },
    }),
  }
}

function toolParams(step: AnyStep): ToolParams {
  const { name, description, strict } = step
  const tool: FunctionTool = {
    kind: 'function',
    root: [],
    path: [],
    name,
    ...compact({ description }),
    parameters: step[stepMark].schema.sentSchema,
    parametersPath: ['outputSchema'],
    strict,
  }
  return {
    tools: [tool],
    choice: { mode: 'tool', tool: { kind: 'function', name, path: ['name'] }, path: ['name'] },
    parallel: false,
    parallelPath: [],
  }
}

function formatOf({ name, description, strict, [stepMark]: { schema } }: AnyStep): OutputFormat {
  return { type: 'json_schema', name, schema: schema.sentSchema, strict, ...compact({ description }) }
}

/** Throws what the functions of the step throw; the runner reports it as an `input_error`. */
export async function buildPrompt(step: AnyStep, input: unknown, results: EarlierResults): Promise<Turn[]> {
  const { instructions, prompt } = step[stepMark]
  const turns: Turn[] = []
  if (instructions !== undefined) {
    const text: unknown = await instructions(input)
    if (typeof text !== 'string') throw new TypeError(`"instructions" must give a text; got ${show(text)}.`)
    turns.push(textTurn('system', text, ['instructions']))
  }
  const content: unknown = prompt === undefined ? toText(input) : await prompt(input, { results })
  const parts = typeof content === 'string' ? [textPart(content, ['prompt'])] : readParts(content)
  const earlier = resultsText(step.includeResults, results)
  if (earlier !== undefined) parts.push(textPart(earlier, ['includeResults']))
  const isPlain = typeof content === 'string' && earlier === undefined
  return [...turns, { role: 'user', parts, root: ['prompt'], ...(isPlain && { plain: true }) }]
}

export function textTurn(role: Turn['role'], text: string, root: Path): Turn {
  return { role, parts: [textPart(text, root)], root, plain: true }
}

export function textPart(text: string, path: Path): Part {
  return { kind: 'text', text, path }
}

const kinds: readonly unknown[] = ['text', 'image', 'file']

function readParts(content: unknown): Part[] {
  if (!Array.isArray(content) || content.length === 0) {
    throw new TypeError(`"prompt" must give a text or a list of parts; got ${show(content)}.`)
  }
  return content.map((part: unknown, index) => {
    if (!isObject(part) || !kinds.includes(part.kind)) {
      const got = isObject(part) ? `the kind ${show(part.kind)}` : show(part)
      throw new TypeError(`A part of the prompt must have the kind text, image or file; got ${got}.`)
    }
    return { ...part, path: ['prompt', index] } as unknown as Part
  })
}

function resultsText(names: readonly string[], results: EarlierResults): string | undefined {
  if (names.length === 0) return undefined
  const sections = names.map(name => {
    const result = own(results, name)
    return result === undefined ? `${name}: this step gave no result.` : `${name}:\n${toText(result)}`
  })
  return ['Results of earlier steps:', ...sections].join('\n\n')
}

/** A string unchanged, anything else as JSON; `String(value)` for what JSON cannot represent. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}
