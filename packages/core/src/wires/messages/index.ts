import type { WireDefinition } from '../define-wire.ts'
import { defineWire } from '../define-wire.ts'
import { messagesConversation } from './conversation.ts'
import { messagesService } from './service/index.ts'
import { messagesTools } from './tools/index.ts'

export const messages: WireDefinition<'messages'> = defineWire({
  name: 'messages',
  title: messagesTools.title,
  tools: messagesTools,
  conversation: messagesConversation,
  service: messagesService,
})
