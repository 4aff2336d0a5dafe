/** The request of one round: the caller's request with all tools and the settings for this round. */

import { liftForcedChoice } from '../convert/adapt/tools/forced-choice.ts'
import type { Request, Settings } from '../model/request.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import type { Profile } from '../wires/profile.ts'
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
    tools: begun ? liftForcedChoice(params) : params,
    settings: usageOnRequest ? withUsage(settings) : settings,
  }
}

/** Requests the usage of streams, because the conversation counts tokens. */
function withUsage(settings: Settings): Settings {
  if (settings.stream?.value !== true || settings.includeUsage !== undefined) return settings
  return { ...settings, includeUsage: { value: true, path: [] } }
}

/** Sets `stream`. `includeUsage` is dropped without a stream, where it has no meaning. */
export function withStream(settings: Settings, stream: boolean | undefined): Settings {
  if (stream === undefined) return settings
  const { includeUsage, ...rest } = settings
  const usage = stream && includeUsage !== undefined ? { includeUsage } : {}
  return { ...rest, ...usage, stream: { value: stream, path: ['stream'] } }
}
