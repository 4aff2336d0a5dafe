/** A `ModelPort` for any wire: takes requests in the neutral model and sends them through the caller's client. */

import { createConversionContext } from '../convert/adapt/context.ts'
import { adaptRequest } from '../convert/adapt/request-adaptations.ts'
import type { ToolOptions } from '../convert/shared/options.ts'
import { checkToolOptions, toolOptionNames } from '../convert/shared/options.ts'
import { createCallUndo } from '../convert/undo/call-undo.ts'
import { type KnownOptions, refuseUnknownOptions } from '../json/known-options.ts'
import type { Turn } from '../model/conversation.ts'
import { createReport } from '../model/diagnostic.ts'
import type { Origin } from '../model/origin.ts'
import type { Request } from '../model/request.ts'
import type { ModelPort } from '../runtime/conversation/model-port.ts'
import type { Host } from '../runtime/host.ts'
import type { WireConversation } from '../wires/define-wire.ts'
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

const known: KnownOptions<ConnectModelOptions> = {
  ...toolOptionNames,
  wire: true,
  request: true,
  stream: true,
  send: true,
}

export function connectModelWith(host: Host, options: ConnectModelOptions): ModelPort {
  refuseUnknownOptions('connectModel', options, known)
  const { request = {}, stream, wire: codec } = options
  checkToolOptions(options)
  checkSend(options.send)
  const context = createConversionContext({ to: codec }, options)
  const { report: reportBase, diagnostics } = createReport()
  const base = readRequest(checkRequest(request), codec, reportBase)
  const baseTurns = withOrigin(base.turns, context.target)
  return createWirePort({
    codec,
    host,
    send: (body, context) => options.send(body, context),
    prepare(request, report) {
      for (const { code, path, message } of diagnostics) report(code, path, message)
      const merged = onTopOf({ ...base, turns: baseTurns }, request)
      const settings = withStream(merged.settings, stream)
      const adapted = adaptRequest({ ...merged, settings }, context, report)
      const body = codec.encodeRequest(adapted, report)
      return { body, undo: createCallUndo(adapted.tools.tools ?? []) }
    },
    finish(answer, undo, report) {
      const restored = restoreAnswer(answer, undo, host.newId, report)
      return { ...restored, turns: withOrigin(restored.turns, context.target) }
    },
  })
}

/** Marks turns of the wire, which go back to it unchanged among the turns of the program. */
function withOrigin(turns: readonly Turn[], origin: Origin): Turn[] {
  return turns.map(turn => ({ ...turn, origin }))
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
