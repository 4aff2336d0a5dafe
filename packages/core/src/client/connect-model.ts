/** A model to ask in neutral terms, behind any of the wires. */
import type { ToolOptions } from '../convert/shared/options.ts'
import { checkToolOptions } from '../convert/shared/options.ts'
import { createReport } from '../model/diagnostic.ts'
import type { Request, Settings } from '../model/request.ts'
import type { ModelPort } from '../runtime/conversation/model-port.ts'
import type { Host } from '../runtime/host.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import { checkRequest, checkSend } from './check-options.ts'
import { fitRequest, programContext } from './fit-request.ts'
import { readRequest } from './read-request.ts'
import { restoreAnswer } from './restore-answer.ts'
import type { Sender } from './send.ts'
import { createWirePort } from './wire-port.ts'

export interface ConnectModelOptions extends ToolOptions, Sender {
  readonly wire: WireConversation
  /** What every request says, in the wire's own words: `model`, `temperature`, … */
  readonly request?: object
  /** Whether to ask for a stream. Left out, it is as `request` says. */
  readonly stream?: boolean
}

export function connectModelWith(host: Host, options: ConnectModelOptions): ModelPort {
  const { request = {}, stream, wire: codec } = options
  checkToolOptions(options)
  checkSend(options.send)
  // The profile is looked at once, so that a wrong one is not first heard of when the model is asked.
  const { profile } = programContext(codec, options, () => undefined)
  const { report: reportBase, diagnostics } = createReport()
  const base = readRequest(checkRequest(request), codec, reportBase)
  return createWirePort({
    codec,
    host,
    send: (body, context) => options.send(body, context),
    prepare(request, report) {
      for (const { code, path, message } of diagnostics) report(code, path, message)
      const merged = onTopOf(base, request)
      const settings = withStream(merged.settings, stream)
      return fitRequest(
        { ...merged, settings },
        codec,
        programContext(codec, { ...options, profile }, report),
      )
    },
    finish: (answer, undo, report) => restoreAnswer(answer, undo, host.newId, report),
  })
}

/** What the request says stands above what every request says; both may bring turns and tools. */
function onTopOf(base: Request, request: Request): Request {
  const tools = [...(base.tools.tools ?? []), ...(request.tools.tools ?? [])]
  return {
    ...base,
    ...request,
    turns: [...base.turns, ...request.turns],
    settings: { ...base.settings, ...request.settings },
    tools: { ...base.tools, ...request.tools, ...(tools.length > 0 && { tools }) },
  }
}

/** Asking for usage at the end of a stream means something only where there is one. */
export function withStream(settings: Settings, stream: boolean | undefined): Settings {
  if (stream === undefined) return settings
  const { includeUsage, ...rest } = settings
  const usage = stream && includeUsage !== undefined ? { includeUsage } : {}
  return { ...rest, ...usage, stream: { value: stream, path: ['stream'] } }
}
