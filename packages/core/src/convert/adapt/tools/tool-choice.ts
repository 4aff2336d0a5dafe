/** Adapts `tool_choice` to the adapted tools, which may be renamed, wrapped, emulated or dropped. */
import type { JsonObject } from '../../../json/object.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { Request } from '../../../model/request.ts'
import { orphanResidue } from '../../../model/residue.ts'
import { isCallable, type Tool, type ToolChoice, type ToolRef } from '../../../model/tool.ts'
import { reportResidue } from '../../../wires/kit/report-residue.ts'
import { orphans } from '../../../wires/kit/residue.ts'
import { mapShared } from '../../shared/shared-lists.ts'
import type { AdaptContext } from '../context.ts'
import { withToolParams } from '../context.ts'
import { indexTools } from './tool-index.ts'

export function adaptToolChoice(request: Request, context: AdaptContext): Request {
  const { choice } = request.tools
  const adapted = choice && adaptChoice(choice, request, context)
  if (adapted === choice) return request
  const { choice: _, ...rest } = request.tools
  return withToolParams(request, adapted === undefined ? rest : { ...rest, choice: adapted })
}

/** Returns `undefined` for a choice that is left out. */
function adaptChoice(choice: ToolChoice, request: Request, context: AdaptContext): ToolChoice | undefined {
  const { tools = [], additionalTools } = request.tools
  const { report, isNative } = context
  // On its own wire a choice may refer to tools inside the input, or be sent without any tools; it stays as it is.
  const mustMatchTools = !isNative || (additionalTools === undefined && declaresTools(context))
  if (mustMatchTools && tools.length === 0) {
    const isFree = choice.mode === 'auto' || choice.mode === 'none'
    const code = isFree ? 'tool_choice_without_tools' : dropCodeFor(choice)
    report(code, choice.path, 'No tools are left to choose from; the choice was left out.')
    return undefined
  }
  if (choice.mode === 'opaque') {
    if (isNative) return choice
    report('tool_choice_dropped', choice.path, 'The choice could not be read; the model chooses freely.')
    return undefined
  }
  if (choice.mode !== 'tool' && choice.mode !== 'allowed') return choice
  const adaptRef = createRefAdapter(tools, choice.mode === 'tool', context)
  return choice.mode === 'tool' ? adaptChosen(choice, adaptRef) : adaptSubset(choice, adaptRef, report)
}

/** A choice that forces a call must not end in a plain answer. */
function dropCodeFor(choice: ToolChoice): 'tool_choice_impossible' | 'tool_choice_dropped' {
  const isForced =
    choice.mode === 'allowed' ? choice.required : choice.mode === 'required' || choice.mode === 'tool'
  return isForced ? 'tool_choice_impossible' : 'tool_choice_dropped'
}

/** True if the request itself declares tools, in its list or inside the input. */
export function declaresTools({ declared }: AdaptContext): boolean {
  return Boolean(declared.tools?.length || declared.additionalTools?.length)
}

type AdaptRef = (ref: ToolRef) => ToolRef | undefined

function adaptChosen(choice: ToolChoice & { mode: 'tool' }, adaptRef: AdaptRef): ToolChoice | undefined {
  const tool = adaptRef(choice.tool)
  if (tool === choice.tool) return choice
  return tool && { ...choice, tool }
}

function adaptSubset(
  choice: ToolChoice & { mode: 'allowed' },
  adaptRef: AdaptRef,
  report: Report,
): ToolChoice {
  const tools = mapShared(choice.tools, ref => adaptRef(ref) ?? [])
  if (tools === choice.tools) return choice
  if (tools.length > 0) return { ...choice, tools }
  report(
    dropCodeFor(choice),
    choice.path,
    'None of the allowed tools is on the target, so the model may call none.',
  )
  reportResidue(choice.residue, report)
  return { mode: 'none', path: choice.path }
}

/** Returns a function that turns a reference to a declared tool into one to the adapted tool. */
function createRefAdapter(
  tools: readonly Tool[],
  isForced: boolean,
  { declared, report, isNative }: AdaptContext,
): AdaptRef {
  const findTool = indexTools(tools)
  let findDeclared: ReturnType<typeof indexTools> | undefined
  return ref => {
    const found = findTool(ref)
    if (found !== undefined) return refTo(found, ref, report)
    if (isNative) return ref
    findDeclared ??= indexTools([...(declared.tools ?? []), ...(declared.additionalTools ?? [])])
    if (findDeclared(ref) === undefined) {
      report(
        'tool_choice_undeclared',
        ref.path,
        `No tool called "${ref.name}" is declared, or more than one; the choice was left out.`,
      )
    } else {
      const code = isForced ? 'tool_choice_impossible' : 'tool_choice_dropped'
      report(code, ref.path, `The chosen tool "${ref.name}" is not on the target.`)
    }
    return undefined
  }
}

function refTo(tool: Tool, ref: ToolRef, report: Report): ToolRef {
  if (tool.kind === 'hosted') return tool.mapped ? mappedRef(ref, report) : ref
  if (!isCallable(tool)) return ref
  if (tool.kind === ref.kind && tool.name === ref.name && tool.origin?.namespace === undefined) return ref
  const { namespace, definition, residue, ...plain } = ref
  const namespaced = namespace !== undefined && tool.origin?.namespace === undefined ? { namespace } : {}
  if (definition !== undefined) reportHostedExtras(ref, definition, report)
  if (tool.name !== ref.name)
    report('tool_renamed', ref.path, `The choice names the tool as the target knows it, "${tool.name}".`)
  return {
    ...plain,
    ...namespaced,
    kind: tool.kind,
    name: tool.name,
    ...(tool.kind === ref.kind ? { residue } : orphanResidue(residue)),
  } as ToolRef
}

function mappedRef({ definition, residue, ...ref }: ToolRef, report: Report): ToolRef {
  report('hosted_tool_mapped', ref.path, "The choice now names the target's own web search.")
  return { ...ref, kind: 'hosted', name: 'web_search' }
}

/** A reference to a function has only a name, so further fields of a hosted choice are reported as losses. */
function reportHostedExtras(ref: ToolRef, definition: JsonObject, report: Report): void {
  reportResidue(orphans(definition, ['type', 'server_label'], ref.path), report)
}
