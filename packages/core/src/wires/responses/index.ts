import type { WireDefinition } from '../define-wire.ts'
import { defineWire } from '../define-wire.ts'
import { responsesConversation } from './conversation.ts'
import { responsesService } from './service/index.ts'
import { responsesTools } from './tools/index.ts'

export const responses: WireDefinition<'responses'> = defineWire({
  name: 'responses',
  title: responsesTools.title,
  tools: responsesTools,
  conversation: responsesConversation,
  service: responsesService,
})
