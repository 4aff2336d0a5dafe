/** What the model is asked before its first attempt: instructions, the prompt, and results of earlier steps. */

import { isObject, own } from '../json/object.ts'
import { show } from '../json/text.ts'
import type { Part, Turn } from '../model/conversation.ts'
import type { Path } from '../model/diagnostic.ts'
import type { AnyStep, EarlierResults } from './step.ts'
import { stepMark } from './step.ts'

/** Throws what the step's functions throw; the runner makes an `input_error` of it. */
export async function buildPrompt(step: AnyStep, input: unknown, results: EarlierResults): Promise<Turn[]> {
  const { instructions, prompt } = step[stepMark]
  const turns: Turn[] = []
  if (instructions !== undefined) {
    const text: unknown = await instructions(input)
    if (typeof text !== 'string') throw new TypeError(`"instructions" must give a text; got ${show(text)}.`)
    turns.push(textTurn('system', text, ['instructions']))
  }
  const asked: unknown = prompt === undefined ? toText(input) : await prompt(input, { results })
  const parts = typeof asked === 'string' ? [textPart(asked, ['prompt'])] : readParts(asked)
  const earlier = wordResults(step.includeResults, results)
  if (earlier !== undefined) parts.push(textPart(earlier, ['includeResults']))
  const isPlain = typeof asked === 'string' && earlier === undefined
  return [...turns, { role: 'user', parts, root: ['prompt'], ...(isPlain && { plain: true }) }]
}

export function textTurn(role: Turn['role'], text: string, root: Path): Turn {
  return { role, parts: [textPart(text, root)], root, plain: true }
}

export function textPart(text: string, path: Path): Part {
  return { kind: 'text', text, path }
}

const kinds: readonly unknown[] = ['text', 'image', 'file']

function readParts(asked: unknown): Part[] {
  if (!Array.isArray(asked) || asked.length === 0) {
    throw new TypeError(`"prompt" must give a text or a list of parts; got ${show(asked)}.`)
  }
  return asked.map((part: unknown, index) => {
    if (!isObject(part) || !kinds.includes(part.kind)) {
      const got = isObject(part) ? `the kind ${show(part.kind)}` : show(part)
      throw new TypeError(`A part of the prompt must have the kind text, image or file; got ${got}.`)
    }
    return { ...part, path: ['prompt', index] } as unknown as Part
  })
}

function wordResults(names: readonly string[], results: EarlierResults): string | undefined {
  if (names.length === 0) return undefined
  const sections = names.map(name => {
    const result = own(results, name)
    return result === undefined ? `${name}: this step gave no result.` : `${name}:\n${toText(result)}`
  })
  return ['Results of earlier steps:', ...sections].join('\n\n')
}

/** A text as it is, anything else as JSON, and what has no JSON as JavaScript prints it. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}
