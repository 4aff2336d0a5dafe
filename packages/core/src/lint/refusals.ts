/** What the model, or any server of the target, refuses in a request with tools. */
import { isObject, own } from '../json/object.ts'
import type { Tool, ToolParams } from '../model/tool.ts'
import { isCallable } from '../model/tool.ts'
import { type LintContext, quote } from './context.ts'

/** The profile is that of the model; the request is the whole body where it was given. */
export function lintRefusals(tools: readonly Tool[], params: ToolParams, context: LintContext): void {
  lintDeferred(tools, context)
  const { profile, source, codec } = context
  const model = isObject(source) ? own(source, 'model') : undefined
  if (typeof model !== 'string' || !isObject(source)) return
  const who = quote(model)
  const { choice } = params
  const isForced =
    choice?.mode === 'required' || choice?.mode === 'tool' || (choice?.mode === 'allowed' && choice.required)
  if (isForced && !profile.forcedChoice) {
    context.add(
      'tool_choice_refused',
      choice.path,
      `${who} refuses a choice that forces a call.`,
      'Let the model choose, or ask for JSON with an output format.',
    )
  }
  lintFunctions(tools, codec.effortOf?.(source), who, context)
}

function lintFunctions(
  tools: readonly Tool[],
  effort: unknown,
  who: string,
  { profile, add }: LintContext,
): void {
  if (tools.length === 0 || profile.functions === 'always') return
  const list = tools[0]?.root.slice(0, -1) ?? []
  if (profile.functions === 'never') {
    add('tools_refused', list, `On this wire ${who} takes no tools.`, 'Send it on Responses.')
  } else if (effort !== 'none') {
    const message = `On this wire ${who} takes functions only with the effort "none".`
    add('tools_refused', list, message, 'Set the effort to "none", or send it on Responses.')
  }
}

function lintDeferred(tools: readonly Tool[], { add, asIs }: LintContext): void {
  if (!asIs || tools.some(tool => tool.kind === 'hosted' && tool.family.startsWith('tool_search'))) return
  const visit = (tool: Tool): void => {
    if (tool.kind === 'namespace') tool.tools.forEach(visit)
    else if (isCallable(tool) && tool.deferLoading === true) {
      const path = [...tool.path, 'defer_loading']
      add(
        'deferred_without_search',
        path,
        `${quote(tool.name)} waits for a tool search that is not there.`,
        'Declare a tool search, or leave "defer_loading" out.',
        { title: 'Leave it out', edits: [{ path }] },
      )
    }
  }
  tools.forEach(visit)
}
