/** A `ModelPort` for any wire: takes requests in the neutral model and sends them through the caller's client. */
import type { ToolOptions } from '../convert/shared/options.ts'
import { checkToolOptions } from '../convert/shared/options.ts'
import { createReport } from '../model/diagnostic.ts'
import type { Request } from '../model/request.ts'
import type { ModelPort } from '../runtime/conversation/model-port.ts'
import type { Host } from '../runtime/host.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import { fitRequest, programContext } from './fit-request.ts'
import { withStream } from './next-request.ts'
import { checkRequest, readRequest } from './read-request.ts'
import { restoreAnswer } from './restore-answer.ts'
import type { Sender } from './send.ts'
import { checkSend } from './send.ts'
import { createWirePort } from './wire-port.ts'

export interface ConnectModelOptions extends ToolOptions, Sender {
  readonly wire: WireConversation
  /** Fields for every request, in the wire's own form: `model`, `temperature`, … */
  readonly request?: object
  /** Whether to request a stream. By default `request` decides. */
  readonly stream?: boolean
}

export function connectModelWith(host: Host, options: ConnectModelOptions): ModelPort {
  const { request = {}, stream, wire: codec } = options
  checkToolOptions(options)
  checkSend(options.send)
  // Checks the profile now, so that a wrong one throws here and not at the first request.
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

/** Merges a request with the fields for every request. The request wins; turns and tools are concatenated. */
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
