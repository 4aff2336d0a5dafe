/**
 * Rules for names. They apply to tools that are sent as they are; a conversion makes names legal by itself.
 * No finding has a fix, because programs dispatch calls by name and lint does not see those programs.
 */
import { legalText } from '../convert/adapt/characters.ts'
import type { Path } from '../model/diagnostic.ts'
import type { Tool } from '../model/tool.ts'
import { type LintContext, quote } from './context.ts'

interface Named {
  readonly name: string
  readonly path: Path
  readonly maxLength: number
}

export function lintNames(tools: readonly Tool[], context: LintContext): void {
  if (!context.asIs) return
  lintScope(tools, context.profile.nameMaxLength, context)
  for (const tool of tools) {
    if (tool.kind === 'namespace') lintScope(tool.tools, context.limits.maxInnerName, context)
  }
}

/** Names need to be unique only among the tools of one list or one namespace. */
function lintScope(tools: readonly Tool[], maxLength: number, context: LintContext): void {
  const named = tools.flatMap(tool => namedBy(tool, maxLength, context) ?? [])
  const nextFree = createFreeNames(named.map(({ name }) => name))
  const seen = new Set<string>()
  for (const item of named) {
    const { name, path, maxLength } = item
    const legal = legalText(name, context.profile.nameCharacters)
    // A name of signs only would become a row of underscores, which is no example.
    const isUseful = (legal !== name || name.length > maxLength || seen.has(name)) && /[^_-]/.test(legal)
    const example = isUseful ? { path, value: nextFree(legal, maxLength) } : undefined
    lintLength(item, example, context)
    if (legal !== name) reportCharacters(item, example, context)
    if (seen.has(name)) {
      const message = `Another tool is called ${quote(name)} too.`
      context.add('duplicate_tool_name', path, message, 'Rename one of the tools.', undefined, example)
    }
    seen.add(name)
  }
}

function namedBy(tool: Tool, maxLength: number, { limits, fields }: LintContext): Named | undefined {
  switch (tool.kind) {
    case 'function':
    case 'custom':
      return { name: tool.name, path: [...tool.path, fields.name], maxLength }
    case 'namespace':
      return { name: tool.name, path: [...tool.root, 'name'], maxLength: limits.maxNamespaceName }
    case 'hosted': {
      const { name } = tool.definition
      return typeof name === 'string' ? { name, path: [...tool.root, 'name'], maxLength } : undefined
    }
    case 'opaque':
      return undefined
  }
}

function lintLength({ name, path, maxLength }: Named, example: NewName, { add }: LintContext): void {
  if (name.length <= maxLength) return
  add(
    'name_too_long',
    path,
    `The name has ${name.length} characters; the limit is ${maxLength}.`,
    `Shorten it to ${maxLength} characters or fewer.`,
    undefined,
    example,
  )
}

function reportCharacters({ name, path }: Named, example: NewName, { add }: LintContext): void {
  const message = `The name ${quote(name)} may hold only letters, digits, "_" and "-".`
  const instance = example === undefined ? '' : `, for instance to ${quote(example.value)}`
  const remedy = `Rename it${instance}, here and wherever the name is used.`
  add('name_characters', path, message, remedy, undefined, example)
}

type NewName = { readonly path: Path; readonly value: string } | undefined
type FreeNames = (wanted: string, maxLength: number) => string

/** Returns names that no tool has and that were not returned before. */
function createFreeNames(names: readonly string[]): FreeNames {
  const taken = new Set(names)
  /** Where the last search for this name ended, so that many equal names do not make many long searches. */
  const counters = new Map<string, number>()
  return (wanted, maxLength) => {
    let name = wanted.slice(0, maxLength)
    let count = counters.get(name) ?? 1
    const start = name
    while (taken.has(name)) {
      const suffix = `_${++count}`
      name = start.slice(0, maxLength - suffix.length) + suffix
    }
    counters.set(start, count)
    taken.add(name)
    return name
  }
}
