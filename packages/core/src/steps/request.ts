/** The request of one attempt: the output schema is the tool's parameters, and the model is made to call it. */

import { compact } from '../json/object.ts'
import type { Turn } from '../model/conversation.ts'
import type { OutputFormat, Request } from '../model/request.ts'
import type { FunctionTool, ToolParams } from '../model/tool.ts'
import type { AnyStep } from './step.ts'
import { stepMark } from './step.ts'

/** Paths lead into the step's configuration, where whoever reads a diagnostic can change something. */
export function buildRequest(step: AnyStep, turns: readonly Turn[]): Request {
  const { maxTokens } = step[stepMark]
  const format = step.carrier === 'format' ? { value: formatOf(step), path: ['outputSchema'] } : undefined
  return {
    turns,
    tools: step.carrier === 'tool' ? toolParams(step) : {},
    settings: compact({
      format,
      maxOutputTokens: maxTokens === undefined ? undefined : { value: maxTokens, path: ['maxTokens'] },
    }),
  }
}

function toolParams(step: AnyStep): ToolParams {
  const { name, description, strict } = step
  const tool: FunctionTool = {
    kind: 'function',
    root: [],
    path: [],
    name,
    ...compact({ description }),
    parameters: step[stepMark].schema.sent,
    parametersPath: ['outputSchema'],
    strict,
  }
  return {
    tools: [tool],
    choice: { mode: 'tool', tool: { kind: 'function', name, path: ['name'] }, path: ['name'] },
    parallel: false,
    parallelPath: [],
  }
}

function formatOf({ name, description, strict, [stepMark]: { schema } }: AnyStep): OutputFormat {
  return { type: 'json_schema', name, schema: schema.sent, strict, ...compact({ description }) }
}
