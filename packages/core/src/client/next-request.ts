/** The request of one round: the caller's, with all tools, as it is to be sent this time. */

import type { Request, Settings } from '../model/request.ts'
import type { ToolParams } from '../model/tool.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import type { Profile } from '../wires/profile.ts'
import { withStream } from './connect-model.ts'
import type { ConversationTools } from './conversation-tools.ts'

interface NextRequestParts {
  readonly codec: WireConversation
  readonly profile?: Partial<Profile>
  readonly stream?: boolean
}

export function nextRequest(
  request: Request,
  { params }: ConversationTools,
  begun: boolean,
  { codec, profile, stream }: NextRequestParts,
): Request {
  const { usageOnRequest } = { ...codec.profile, ...profile }
  const settings = withStream(request.settings, stream)
  return {
    ...request,
    tools: begun ? withoutForcedChoice(params) : params,
    settings: usageOnRequest ? withUsage(settings) : settings,
  }
}

/** A model that must call a tool would never come to its answer; having called once, it is free. */
function withoutForcedChoice(params: ToolParams): ToolParams {
  const { choice, ...rest } = params
  const forced =
    choice?.mode === 'required' || choice?.mode === 'tool' || (choice?.mode === 'allowed' && choice.required)
  if (!forced) return params
  return choice.mode === 'allowed' ? { ...rest, choice: { ...choice, required: false } } : rest
}

/** The tokens of a conversation are counted, so they must be told. */
function withUsage(settings: Settings): Settings {
  if (settings.stream?.value !== true || settings.includeUsage !== undefined) return settings
  return { ...settings, includeUsage: { value: true, path: [] } }
}
