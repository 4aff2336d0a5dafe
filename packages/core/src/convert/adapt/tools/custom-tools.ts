/** Turns custom (free-text) tools into functions with one string, and puts the grammar into the description. */
import type { JsonObject } from '../../../json/object.ts'
import { compact } from '../../../json/object.ts'
import type { Request } from '../../../model/request.ts'
import { orphanResidue } from '../../../model/residue.ts'
import type { CustomTool, FunctionTool } from '../../../model/tool.ts'
import type { AdaptContext } from '../context.ts'
import { mapTools } from '../context.ts'

export function adaptCustomTools(request: Request, { profile, report }: AdaptContext): Request {
  if (profile.customTools) return request
  return mapTools(request, tool => {
    if (tool.kind !== 'custom') return tool
    const format =
      tool.format?.type === 'grammar' ? ` Its ${tool.format.syntax} grammar stands in the description.` : ''
    report(
      'custom_tool_wrapped',
      [...tool.root, 'type'],
      `The free-text tool became a function with one string, "input".${format}`,
    )
    return wrap(tool)
  })
}

/** A new object each time, because the caller gets it and may change it. */
const parameters = (): JsonObject => ({
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of the tool, as plain text' } },
  required: ['input'],
  additionalProperties: false,
})

function wrap(tool: CustomTool): FunctionTool {
  const { format, kind, residue, ...rest } = tool
  return {
    ...rest,
    kind: 'function',
    ...orphanResidue(residue),
    ...compact({ description: describe(tool) }),
    parameters: parameters(),
    parametersPath: [...tool.path, 'parameters'],
    origin: tool.origin ?? { kind, name: tool.name },
  }
}

function describe({ description, format }: CustomTool): string | undefined {
  const parts = description === undefined ? [] : [description]
  if (format?.type === 'grammar') {
    parts.push(`The value of "input" must match this ${format.syntax} grammar:\n\n${format.definition}`)
  }
  return parts.length === 0 ? undefined : parts.join('\n\n')
}
