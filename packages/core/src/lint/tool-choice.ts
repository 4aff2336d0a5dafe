/** A choice must name tools that the same request declares. */
import { isObject, own } from '../json/object.ts'
import type { Tool, ToolParams, ToolRef } from '../model/tool.ts'
import { type LintContext, quote } from './context.ts'

export function lintToolChoice(tools: readonly Tool[], { choice }: ToolParams, context: LintContext): void {
  if (choice === undefined || choice.mode === 'opaque') return
  if (tools.length === 0) {
    const message = 'The request chooses among tools but declares none.'
    context.add('tool_choice_without_tools', choice.path, message, 'Declare tools, or leave the choice out.')
    return
  }
  const refs = choice.mode === 'tool' ? [choice.tool] : choice.mode === 'allowed' ? choice.tools : []
  const isDeclared = declaredBy(tools)
  for (const ref of refs) {
    if (isDeclared(ref)) continue
    const name = ref.namespace === undefined ? ref.name : `${ref.namespace}.${ref.name}`
    const what = ref.kind === 'hosted' ? 'hosted tool' : `${ref.kind} tool`
    const message = `The request declares no ${what} ${quote(name)}.`
    context.add(
      'tool_choice_undeclared',
      ref.path,
      message,
      'Declare the tool, or choose one that is declared.',
    )
  }
}

function declaredBy(tools: readonly Tool[]): (ref: ToolRef) => boolean {
  const callable = new Set<string>()
  const hosted = new Set<string>()
  const servers = new Set<unknown>()
  const collect = (list: readonly Tool[], namespace?: string): void => {
    for (const tool of list) {
      if (tool.kind === 'namespace') collect(tool.tools, tool.name)
      else if (tool.kind === 'function' || tool.kind === 'custom') {
        callable.add(key(tool.kind, tool.name, namespace))
        callable.add(key(tool.kind, tool.name))
      } else if (tool.kind === 'hosted') {
        hosted.add(family(tool.type))
        servers.add(own(tool.definition, 'server_label'))
        addNamed(tool.definition)
      } else if (isObject(tool.value)) addNamed(tool.value)
    }
  }
  // A tool that could not be decoded may be the chosen one, so its name counts for every kind.
  const addNamed = (definition: Parameters<typeof own>[0]): void => {
    const name = own(definition, 'name')
    if (typeof name === 'string') for (const kind of ['function', 'custom']) callable.add(key(kind, name))
  }
  collect(tools)
  return ref => {
    if (ref.kind !== 'hosted') return callable.has(key(ref.kind, ref.name, ref.namespace))
    const label = ref.definition === undefined ? undefined : own(ref.definition, 'server_label')
    return hosted.has(family(ref.name)) && (label === undefined || servers.has(label))
  }
}

function key(kind: string, name: string, namespace?: string): string {
  return JSON.stringify([kind, name, namespace])
}

/** Choices name some tools by an older or a shorter type than the tools themselves have. */
function family(type: string): string {
  return /^(web_search|computer)(?=_|$)/.exec(type)?.[0] ?? type
}
