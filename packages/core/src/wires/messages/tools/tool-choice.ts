/** Messages' `tool_choice`, which includes whether calls may be parallel. */

import { isObject } from '../../../json/object.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import type { Residue } from '../../../model/residue.ts'
import type { ToolChoice, ToolParams } from '../../../model/tool.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import { opaqueChoice } from '../../kit/tool-reference.ts'
import { messagesResidue } from '../residue.ts'

const modes = { auto: 'auto', any: 'required', none: 'none' } as const

type ChoiceParams = Pick<ToolParams, 'choice' | 'parallel' | 'parallelPath'>

export function decodeToolChoice(value: unknown, path: Path, report: Report): ChoiceParams {
  if (!isObject(value)) return { choice: opaqueChoice(value, path, 'messages', report) }
  const fields = new FieldReader(value)
  const type = fields.string('type')
  const name = type === 'tool' ? fields.string('name') : undefined
  // Beside `none` there are no calls that could be parallel, so the flag stays in the residue.
  const sequential = type === 'none' ? undefined : fields.boolean('disable_parallel_tool_use')
  const parallel =
    sequential === undefined
      ? {}
      : { parallel: !sequential, parallelPath: [...path, 'disable_parallel_tool_use'] }
  const entries = fields.unread()
  const residue: { residue?: Residue } =
    entries.length === 0 ? {} : { residue: { wire: 'messages', at: path, entries } }
  if (name !== undefined) {
    return {
      choice: { mode: 'tool', tool: { kind: 'function', name, namesHosted: true, path, ...residue }, path },
      ...parallel,
    }
  }
  if (type === 'auto' || type === 'any' || type === 'none') {
    return { choice: { mode: modes[type], path, ...residue }, ...parallel }
  }
  return { choice: opaqueChoice(value, path, 'messages', report) }
}

export function encodeToolChoice(params: ToolParams, report: Report): unknown {
  const { choice } = params
  if (choice === undefined) return encodeParallelAlone(params, report)
  if (choice.mode === 'opaque') return choice.value
  const written: Record<string, unknown> = encodeMode(choice, report)
  if (params.parallel !== undefined) {
    if (choice.mode === 'none') reportParallel(params, report)
    else written.disable_parallel_tool_use = !params.parallel
  }
  return messagesResidue.restore(
    written,
    choice.mode === 'tool' ? choice.tool.residue : choice.residue,
    report,
  )
}

/** The setting is part of the choice here, so without one it is written with the choice `auto`. */
function encodeParallelAlone(params: ToolParams, report: Report): unknown {
  if (params.parallel === undefined) return undefined
  if (params.tools !== undefined && params.tools.length > 0) {
    return { type: 'auto', disable_parallel_tool_use: !params.parallel }
  }
  reportParallel(params, report)
  return undefined
}

function reportParallel(params: ToolParams, report: Report): void {
  const path = params.parallelPath ?? ['parallel_tool_calls']
  report(
    'parallel_tool_calls_dropped',
    path,
    'There are no calls that could be parallel; the setting was left out.',
  )
}

function encodeMode(
  choice: Exclude<ToolChoice, { mode: 'opaque' }>,
  report: Report,
): Record<string, unknown> {
  switch (choice.mode) {
    case 'tool':
      return { type: 'tool', name: choice.tool.name }
    case 'allowed':
      report('tool_choice_dropped', choice.path, 'Messages cannot name a subset of the tools.')
      return { type: choice.required ? 'any' : 'auto' }
    case 'required':
      return { type: 'any' }
    default:
      return { type: choice.mode }
  }
}
