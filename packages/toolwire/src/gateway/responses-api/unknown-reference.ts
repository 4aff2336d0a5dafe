/** What a request refers to and does not exist, or is somebody else's: both get the same words, so that neither shows. */
import type { HeldReference } from '@toolwire/core/wires'
import { GatewayError } from '../errors.ts'

const words: { readonly [K in HeldReference['kind']]: { readonly title: string; readonly code: string } } = {
  response: { title: 'Previous response', code: 'previous_response_not_found' },
  conversation: { title: 'Conversation', code: 'conversation_not_found' },
  item: { title: 'Item', code: 'item_not_found' },
  container: { title: 'Container', code: 'container_not_found' },
  audio: { title: 'Audio', code: 'audio_not_found' },
}

export function unknownReference(kind: HeldReference['kind'], id: string, param: string): GatewayError {
  const { title, code } = words[kind]
  const message = `${title} with id '${id.slice(0, 100)}' not found.`
  // As OpenAI does it.
  return kind === 'conversation'
    ? new GatewayError('not_found', message, { param, code })
    : new GatewayError('invalid_request', message, { param, code, status: 400 })
}
