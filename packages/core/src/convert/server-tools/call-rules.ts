/**
 * Decides where each call of the model goes: to the client, to a server tool, or nowhere, because the request does not
 * allow it. Created from the request; without rules every call goes to the client.
 */
import type { CallPart } from '../../model/conversation.ts'
import type { Report } from '../../model/diagnostic.ts'
import type { CallableTool, Tool, ToolChoice, ToolOrigin, ToolParams } from '../../model/tool.ts'
import { indexTools } from '../adapt/tools/tool-index.ts'
import type { CallDecider } from '../undo/call-tracker.ts'
import type { CallableIndex } from '../undo/callable-index.ts'
import { indexCallables, someCallable } from '../undo/callable-index.ts'

export interface CallRules {
  /** True if any declared tool is a server tool. */
  readonly hasServerTools: boolean
  /** The origin of the called tool, if it is a server tool. */
  serverToolOrigin(part: CallPart): ToolOrigin | undefined
  /** Creates a decider for the calls of one answer. */
  createDecider(report: Report): CallDecider
}

/** `declared` has the client's tool choice, `adapted` the tools that the upstream was sent. */
export function createCallRules(declared: ToolParams, adapted: ToolParams): CallRules | undefined {
  const { tools: sent = [], additionalTools } = adapted
  const tools = additionalTools === undefined ? sent : [...sent, ...additionalTools]
  const allowed = allowedTools(declared.choice, tools)
  const single = declared.parallel === false
  if (allowed === undefined && !single && !someCallable(tools, isHandled)) return undefined
  const index = indexCallables(tools)
  const hasServerTools = index.all.some(isHandled)
  if (!hasServerTools && allowed === undefined && !single) return undefined
  return {
    hasServerTools,
    serverToolOrigin({ form, name, namespace }) {
      const origin = index.find(form, name, namespace)?.origin
      return origin?.handled ? origin : undefined
    },
    createDecider: report => createDecider({ index, allowed, single, report }),
  }
}

function isHandled({ origin }: CallableTool): boolean {
  return origin?.handled === true
}

interface DeciderParts {
  readonly index: CallableIndex
  readonly allowed: ReadonlySet<Tool | undefined> | undefined
  readonly single: boolean
  readonly report: Report
}

function createDecider({ index, allowed, single, report }: DeciderParts): CallDecider {
  let accepted = 0
  let dropped = 0
  return {
    decide(part) {
      const tool = index.find(part.form, part.name, part.namespace)
      if (allowed !== undefined && (tool === undefined || !allowed.has(tool))) {
        dropped++
        report('call_not_allowed', part.path, `The request does not allow calls to "${part.name}".`)
        return 'drop'
      }
      if (single && accepted > 0) {
        dropped++
        const message = `The request allows one call at a time; this one to "${part.name}" came second.`
        report('parallel_call_dropped', part.path, message)
        return 'drop'
      }
      accepted++
      return tool?.origin?.handled ? 'server' : 'client'
    },
    finish(finish) {
      if (dropped === 0 || accepted > 0 || finish.reason !== 'calls') return finish
      return { reason: 'stop' }
    },
  }
}

/** The tools that may be called; `undefined` if all of them may. */
function allowedTools(
  choice: ToolChoice | undefined,
  tools: readonly Tool[],
): ReadonlySet<Tool | undefined> | undefined {
  if (choice?.mode === 'none') return new Set()
  if (choice?.mode !== 'allowed') return undefined
  return new Set(choice.tools.map(indexTools(tools)))
}
