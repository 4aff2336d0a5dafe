/** Messages' `tool_choice`, which also says whether calls may be parallel. */
import type { Path, Report } from '../../model/diagnostic.ts'
import { compact, isObject } from '../../model/json.ts'
import type { Residue } from '../../model/residue.ts'
import type { ToolChoice, ToolParams } from '../../model/tool.ts'
import { createFieldReader } from '../field-reader.ts'
import { finish, opaqueChoice } from '../tool-refs.ts'

const modes = { auto: 'auto', any: 'required', none: 'none' } as const

type ChoiceParams = Pick<ToolParams, 'choice' | 'parallel' | 'parallelPath'>

export function decodeMessagesToolChoice(value: unknown, path: Path, report: Report): ChoiceParams {
  if (!isObject(value)) return { choice: opaqueChoice(value, path, 'messages', report) }
  const fields = createFieldReader(value)
  const type = fields.string('type')
  const name = type === 'tool' ? fields.string('name') : undefined
  const sequential = fields.boolean('disable_parallel_tool_use')
  const parallel =
    sequential === undefined
      ? {}
      : { parallel: !sequential, parallelPath: [...path, 'disable_parallel_tool_use'] }
  const entries = fields.rest()
  const residue: { residue?: Residue } =
    entries.length === 0 ? {} : { residue: { wire: 'messages', at: path, entries } }
  if (name !== undefined) {
    return { choice: { mode: 'tool', tool: { kind: 'function', name, path, ...residue }, path }, ...parallel }
  }
  if (type === 'auto' || type === 'any' || type === 'none') {
    return { choice: { mode: modes[type], path, ...residue }, ...parallel }
  }
  return { choice: opaqueChoice(value, path, 'messages', report) }
}

export function encodeMessagesToolChoice(params: ToolParams, report: Report): unknown {
  const { choice, parallel } = params
  if (choice?.mode === 'opaque') return choice.value
  if (choice?.mode === 'none' && choice.residue === undefined && parallel !== undefined) {
    reportParallel(
      params,
      'Without tool calls there is nothing to run in parallel; the setting was left out.',
      report,
    )
    return { type: 'none' }
  }
  if (choice === undefined) {
    if (parallel === undefined) return undefined
    if (params.tools === undefined || params.tools.length === 0) {
      reportParallel(
        params,
        'Without tools there is nothing to run in parallel; the setting was left out.',
        report,
      )
      return undefined
    }
    return { type: 'auto', disable_parallel_tool_use: !parallel }
  }
  const disable = parallel === undefined ? undefined : !parallel
  const written: Record<string, unknown> = {
    ...writeMode(choice),
    ...compact({ disable_parallel_tool_use: disable }),
  }
  finish(written, choice.mode === 'tool' ? choice.tool.residue : choice.residue, 'messages', report)
  return written
}

function reportParallel(params: ToolParams, message: string, report: Report): void {
  report('parallel_tool_calls_dropped', params.parallelPath ?? ['parallel_tool_calls'], message)
}

function writeMode(choice: Exclude<ToolChoice, { mode: 'opaque' }>): Record<string, unknown> {
  switch (choice.mode) {
    case 'tool':
      return { type: 'tool', name: choice.tool.webSearch ? 'web_search' : choice.tool.name }
    case 'allowed':
      return { type: choice.required ? 'any' : 'auto' }
    case 'required':
      return { type: 'any' }
    default:
      return { type: choice.mode }
  }
}
