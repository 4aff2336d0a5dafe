/** The tokens of tool definitions, one part for each tool and one for the framing around them. */

import { createReport, type Path } from '../model/diagnostic.ts'
import type { Tool, ToolChoice, ToolParams } from '../model/tool.ts'
import { toolPrompts, usualToolPrompt } from '../presets/models.ts'
import type { CountOptions, Tally, TokenCount, TokenPart } from './count-result.ts'
import { codecFor, createTally, jsonText } from './count-result.ts'
import { longestMatch } from './model-limits.ts'
import { renderNamespace, renderTool, toolEnd } from './render-tools.ts'

/** Counts a list of tools of the wire. */
export function countTools(tools: unknown, options: CountOptions): TokenCount {
  const codec = codecFor(options)
  const { report, diagnostics } = createReport()
  const tally = createTally(options, codec, diagnostics)
  if (Array.isArray(tools)) {
    const decoded = tools.map((tool, i) => codec.decodeTool(tool, ['tools', i], report))
    countToolParams({ tools: decoded }, options.model, false, tally)
  } else if (tools !== undefined && tools !== null) {
    report('not_a_list', ['tools'], '"tools" must be a list of tools.')
  }
  return tally.result()
}

/** Adds the tools of a request to its tally. `hasSystem`: there is a system message that they can share. */
export function countToolParams(
  params: ToolParams,
  model: string | undefined,
  hasSystem: boolean,
  tally: Tally,
): void {
  const tools = [...(params.tools ?? []), ...(params.additionalTools ?? [])]
  if (tools.length === 0) return
  if (tally.framing.tools === 'json') {
    for (const tool of tools) tally.add(jsonPart(tool, tally))
    tally.add(toolPrompt(model, params.choice, tally))
    return
  }
  const { aroundTools } = tally.framing
  const frame = countNamespace('functions', undefined, tools, tally)
  const around = hasSystem ? aroundTools.withSystem : aroundTools.alone
  tally.add(overhead('around the tools', frame + around))
  const choice = choiceTokens(params.choice, tally)
  if (choice > 0) tally.add(overhead('the choice of a tool', choice))
}

/** Adds each tool and returns the tokens of the namespace around them; 0 for an empty one. */
function countNamespace(
  name: string,
  description: string | undefined,
  tools: readonly Tool[],
  tally: Tally,
): number {
  const { counter } = tally
  const { head, open, close } = renderNamespace(name, description)
  let lead = open
  for (const tool of tools) {
    if (tool.kind === 'namespace') {
      const tokens = countNamespace(tool.name, tool.description, tool.tools, tally)
      tally.add({ ...overhead(`namespace ${tool.name}`, tokens), path: [...tool.root] })
      continue
    }
    const text = isDeferred(tool) ? '' : renderTool(tool)
    if (text === undefined) {
      tally.add(jsonPart(tool, tally))
      continue
    }
    const tokens = text === '' ? 0 : counter.count(lead + text)
    const prefix = name === 'functions' ? '' : `${name}.`
    tally.add({ path: [...tool.root], kind: 'tool', label: `${prefix}${labelOf(tool)}`, tokens })
    if (text !== '') lead = toolEnd
  }
  return lead === open ? 0 : counter.count(head) + counter.count(close)
}

/** A tool that is found through a search is not shown to the model before. */
function isDeferred(tool: Tool): boolean {
  return (tool.kind === 'function' || tool.kind === 'custom') && tool.deferLoading === true
}

function jsonPart(tool: Tool, tally: Tally): TokenPart {
  const { text, partial } = jsonText(isDeferred(tool) ? undefined : definitionOf(tool, tally))
  if (partial) tally.uncounted(tool.root, 'data in a tool definition')
  if (tool.kind === 'hosted') tally.uncounted(tool.root, "the provider's own prompt for a tool of its own")
  return { path: [...tool.root], kind: 'tool', label: labelOf(tool), tokens: tally.counter.count(text) }
}

/** The definition as its wire writes it. Fields such as cache marks are not shown to a model, but cost little. */
function definitionOf(tool: Tool, tally: Tally): unknown {
  if (tool.kind === 'hosted') return tool.definition
  if (tool.kind === 'opaque') return tool.value
  return tally.codec.encodeTool(tool, () => undefined)
}

function labelOf(tool: Tool): string {
  if (tool.kind === 'hosted') return tool.label === undefined ? tool.type : `${tool.type} ${tool.label}`
  return tool.kind === 'opaque' ? 'unknown tool' : tool.name
}

function toolPrompt(model: string | undefined, choice: ToolChoice | undefined, tally: Tally): TokenPart {
  const known = longestMatch(model, toolPrompts)
  const [free, forced] = known ?? usualToolPrompt
  if (known === undefined) tally.uncounted([], 'the tool prompt of this model, taken as that of most models')
  const must = choice?.mode === 'required' || choice?.mode === 'tool'
  return overhead("the provider's prompt for tools", must ? forced : free)
}

function choiceTokens(choice: ToolChoice | undefined, { framing, counter }: Tally): number {
  if (choice?.mode === 'none') return framing.choice.none
  return choice?.mode === 'tool' ? framing.choice.named + counter.count(choice.tool.name) : 0
}

export function overhead(label: string, tokens: number, path: Path = []): TokenPart {
  return { path: [...path], kind: 'overhead', label, tokens }
}
