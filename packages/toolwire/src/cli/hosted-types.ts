/**
 * The types of hosted tools that a policy can be given for. Core publishes no list of them; a test holds
 * this one against the fixtures.
 */
import { UsageError } from '../terminal/errors.ts'
import { printable } from '../terminal/printable.ts'
import { didYouMean } from '../terminal/suggest.ts'

const types: readonly string[] = [
  'apply_patch',
  'code_interpreter',
  'computer',
  'computer_use_preview',
  'file_search',
  'image_generation',
  'local_shell',
  'mcp',
  'programmatic_tool_calling',
  'shell',
  'tool_search',
  'tool_search_tool_bm25',
  'tool_search_tool_regex',
  'web_search',
  'web_search_2025_08_26',
  'web_search_preview',
  'web_search_preview_2025_03_11',
]

/** On Messages a date is part of the type, and new dates come without new meanings. */
const datedFamilies: readonly string[] = [
  'bash',
  'browser_toolset',
  'code_execution',
  'computer',
  'computer_toolset',
  'memory',
  'text_editor',
  'tool_search_tool_bm25',
  'tool_search_tool_regex',
  'web_fetch',
  'web_search',
]

export function checkHostedType(type: string): void {
  const family = type.replace(/_\d{8}$/, '')
  if (types.includes(type) || (family !== type && datedFamilies.includes(family))) return
  const message = `--hosted: there is no hosted tool type "${printable(type)}".`
  if (datedFamilies.includes(type)) {
    throw new UsageError(message, `Its date is part of the type, as in "${type}_20250124".`)
  }
  const known = [...new Set([...types, ...datedFamilies.map(name => `${name}_YYYYMMDD`)])]
  throw new UsageError(message, didYouMean(type, known) ?? `There are ${known.join(', ')}.`)
}
