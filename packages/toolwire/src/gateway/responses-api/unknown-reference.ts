/** What a request refers to and does not exist, or is somebody else's: both get the same words, so that neither shows. */
import type { HeldKind } from '@toolwire/core/wires'
import { GatewayError } from '../errors.ts'

const words: { readonly [K in HeldKind]: { readonly title: string; readonly code: string } } = {
  response: { title: 'Previous response', code: 'previous_response_not_found' },
  conversation: { title: 'Conversation', code: 'conversation_not_found' },
  item: { title: 'Item', code: 'item_not_found' },
  container: { title: 'Container', code: 'container_not_found' },
  audio: { title: 'Audio', code: 'audio_not_found' },
  file: { title: 'File', code: 'file_not_found' },
  'vector store': { title: 'Vector store', code: 'vector_store_not_found' },
  prompt: { title: 'Prompt', code: 'prompt_not_found' },
  skill: { title: 'Skill', code: 'skill_not_found' },
  voice: { title: 'Voice', code: 'voice_not_found' },
  tunnel: { title: 'Tunnel', code: 'tunnel_not_found' },
}

export function unknownReference(kind: HeldKind, id: string, param: string): GatewayError {
  const { title, code } = words[kind]
  const message = `${title} with id '${id.slice(0, 100)}' not found.`
  // As OpenAI does it.
  return kind === 'conversation'
    ? new GatewayError('not_found', message, { param, code })
    : new GatewayError('invalid_request', message, { param, code, status: 400 })
}
