/** Rules for one tool of any kind. */
import { own } from '../json/object.ts'
import type { CustomTool, FunctionTool, NamespaceTool, Tool } from '../model/tool.ts'
import { type LintContext, objectAt, quote } from './context.ts'
import { lintFormat } from './custom-format.ts'
import { lintHosted } from './hosted-tools.ts'
import { lintParameters } from './parameters.ts'

export function lintTool(tool: Tool, context: LintContext, inNamespace = false): void {
  switch (tool.kind) {
    case 'function':
      lintDescription(tool, context)
      lintStrict(tool, context)
      lintParameters(tool, context, inNamespace)
      return
    case 'custom':
      lintDescription(tool, context)
      if (context.asIs) lintFormat(tool, context)
      return
    case 'namespace':
      if (context.asIs) lintNamespace(tool, context)
      for (const inner of tool.tools) lintTool(inner, context, true)
      return
    case 'hosted':
      if (context.asIs) lintHosted(tool, context)
      return
    case 'opaque':
      return
  }
}

function lintDescription(tool: FunctionTool | CustomTool, { source, limits, asIs, add }: LintContext): void {
  const path = [...tool.path, 'description']
  const raw = own(objectAt(source, tool.path), 'description')
  if (asIs && raw !== undefined && typeof raw !== 'string' && !(raw === null && limits.nullFields)) {
    add('invalid_field', path, 'The description must be a string.', 'Write a text, or leave it out.')
    return
  }
  const { description = '' } = tool
  if (description.trim() === '') {
    add(
      'description_advised',
      path,
      `Nothing tells the model what ${quote(tool.name)} does.`,
      'Describe in a sentence or two what the tool does and when to use it.',
    )
  }
  if (description.length > limits.maxDescription) {
    add(
      'description_too_long',
      path,
      `The description has ${description.length} characters; some servers stop at ${limits.maxDescription}.`,
      'Shorten it, or move the details into the descriptions of the parameters.',
    )
  }
}

function lintStrict(tool: FunctionTool, { source, asIs, strict, add }: LintContext): void {
  if (!asIs) return
  const path = [...tool.path, 'strict']
  const raw = own(objectAt(source, tool.path), 'strict')
  if (raw !== undefined && raw !== null && typeof raw !== 'boolean') {
    add('invalid_field', path, '"strict" must be true or false.', 'Write true or false, without quotes.')
    return
  }
  if (tool.strict !== 'auto') return
  // Either word changes what the server does now, so the choice is the author's and there is no fix.
  add(
    'strict_unstated',
    path,
    '"strict" is left out, so the server tries strict mode and makes optional parameters required.',
    strict ? 'Say true.' : 'Say true or false.',
  )
}

function lintNamespace(tool: NamespaceTool, { add }: LintContext): void {
  if (tool.description === undefined || tool.description.trim() === '') {
    add(
      'missing_field',
      [...tool.root, 'description'],
      'A namespace must have a description.',
      'Say what the tools of the namespace have in common.',
    )
  }
  if (tool.tools.length > 0) return
  add(
    'empty_namespace',
    [...tool.root, 'tools'],
    `The namespace ${quote(tool.name)} holds no tools.`,
    'Give it at least one tool, or remove it.',
  )
}
