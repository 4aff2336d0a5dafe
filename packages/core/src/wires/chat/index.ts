import type { WireDefinition } from '../define-wire.ts'
import { defineWire } from '../define-wire.ts'
import { chatConversation } from './conversation.ts'
import { chatService } from './service/index.ts'
import { chatTools } from './tools/index.ts'

export const chat: WireDefinition<'chat'> = defineWire({
  name: 'chat',
  title: chatTools.title,
  aliases: ['completions', 'chat-completions'],
  tools: chatTools,
  conversation: chatConversation,
  service: chatService,
})
