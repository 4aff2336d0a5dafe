/** Reading the list of tools and the flags beside it, the same on every wire. */

import type { Draft, JsonObject } from '../../json/object.ts'
import { own } from '../../json/object.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import type { Tool, ToolParams } from '../../model/tool.ts'

export type ToolReader = (tool: unknown, path: Path, report: Report) => Tool

/** The tools under `key`; a value that is not a list is reported and stays in the residue. */
export function decodeToolList(
  body: JsonObject,
  key: string,
  readTool: ToolReader,
  entries: ResidueEntry[],
  report: Report,
): Tool[] | undefined {
  const list = own(body, key)
  if (list === undefined) return undefined
  if (Array.isArray(list)) return list.map((tool, i) => readTool(tool, [key, i], report))
  if (list !== null) report('not_a_list', [key], `"${key}" must be a list of tools.`)
  entries.push([[key], list])
  return undefined
}

export function decodeParallel(body: JsonObject, params: Draft<ToolParams>, entries: ResidueEntry[]): void {
  const key = 'parallel_tool_calls'
  const value = own(body, key)
  if (typeof value === 'boolean') {
    params.parallel = value
    params.parallelPath = [key]
  } else if (value !== undefined) entries.push([[key], value])
}
