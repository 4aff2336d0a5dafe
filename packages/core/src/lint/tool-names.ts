/** Rules for names. They hold for what is sent as it is: a conversion gives misfits a legal name by itself. */
import type { Path } from '../model/diagnostic.ts'
import type { Tool, ToolParams } from '../model/tool.ts'
import { type LintContext, quote } from './context.ts'
import type { LintFix } from './finding.ts'

interface Named {
  readonly name: string
  readonly path: Path
  /** A namespace is named by the calls of other programs too, so nobody renames it here. */
  readonly maxLength: number
  readonly renamable: boolean
}

export function lintNames(tools: readonly Tool[], params: ToolParams, context: LintContext): void {
  if (!context.asIs) return
  const chosen = chosenNames(params)
  lintScope(tools, context.profile.nameMaxLength, chosen, context)
  for (const tool of tools) {
    if (tool.kind === 'namespace') lintScope(tool.tools, context.limits.maxInnerName, chosen, context)
  }
}

/** Names need to be unique only among the tools of one list or one namespace. */
function lintScope(
  tools: readonly Tool[],
  maxLength: number,
  chosen: ReadonlySet<string>,
  context: LintContext,
): void {
  const named = tools.flatMap(tool => namedBy(tool, maxLength, context) ?? [])
  const taken = new Set(named.map(({ name }) => name))
  const seen = new Set<string>()
  for (const item of named) {
    lintLength(item, context)
    lintCharacters(item, taken, chosen, context)
    if (seen.has(item.name)) {
      const message = `Another tool is called ${quote(item.name)} too.`
      context.add('duplicate_tool_name', item.path, message, 'Rename one of the tools.')
    }
    seen.add(item.name)
  }
}

function namedBy(tool: Tool, maxLength: number, { limits }: LintContext): Named | undefined {
  switch (tool.kind) {
    case 'function':
    case 'custom':
      return { name: tool.name, path: [...tool.path, 'name'], maxLength, renamable: true }
    case 'namespace': {
      const path = [...tool.root, 'name']
      return { name: tool.name, path, maxLength: limits.maxNamespaceName, renamable: false }
    }
    case 'hosted': {
      const { name } = tool.definition
      if (typeof name !== 'string') return undefined
      return { name, path: [...tool.root, 'name'], maxLength, renamable: false }
    }
    case 'opaque':
      return undefined
  }
}

function lintLength({ name, path, maxLength }: Named, { add }: LintContext): void {
  if (name.length <= maxLength) return
  add(
    'name_too_long',
    path,
    `The name has ${name.length} characters; the limit is ${maxLength}.`,
    `Shorten it to ${maxLength} characters or fewer.`,
  )
}

function lintCharacters(
  { name, path, renamable }: Named,
  taken: Set<string>,
  chosen: ReadonlySet<string>,
  { profile, add }: LintContext,
): void {
  if (profile.nameCharacters === null) return
  const legal = name.replace(new RegExp(`[^${profile.nameCharacters}]`, 'gu'), '_')
  if (legal === name) return
  const free = renamable && !taken.has(legal) && !chosen.has(name)
  taken.add(legal)
  const fix: LintFix | undefined = free
    ? { title: `Rename to ${quote(legal)}`, edits: [{ path, value: legal }] }
    : undefined
  const message = `The name ${quote(name)} may hold only letters, digits, "_" and "-".`
  add('name_characters', path, message, `Rename it, for instance to ${quote(legal)}.`, fix)
}

/** A tool that is chosen by name cannot be renamed in one place. */
function chosenNames({ choice }: ToolParams): ReadonlySet<string> {
  if (choice?.mode === 'tool') return new Set([choice.tool.name])
  return new Set(choice?.mode === 'allowed' ? choice.tools.map(({ name }) => name) : [])
}
