/** Chat Completions over HTTP. */
import { openaiHttp } from '../../kit/openai-service.ts'
import { exampleQuestion, exampleSchema, exampleTool } from '../../kit/service-parts.ts'
import type { WireService } from '../../service.ts'
import { chatHeldIds } from './held-ids.ts'
import { chatOpenApi } from './openapi.ts'
import { summarizeAnswer } from './summary.ts'

export const chatService: WireService = {
  provider: 'openai',
  http: {
    ...openaiHttp,
    routes: [
      {
        job: 'exchange',
        method: 'POST',
        path: '/chat/completions',
        operation: {
          id: 'createChatCompletion',
          summary: 'Ask a model, on the Chat Completions wire',
          request: 'ChatRequest',
          answer: 'ChatCompletion',
        },
      },
    ],
    historyField: 'messages',
    heldIds: chatHeldIds,
    keepsState: false,
    // Most servers ignore a choice of several tools, so they are shown only what may be called.
    serverProfile: { allowedTools: false },
  },
  openApi: chatOpenApi,
  summarizeAnswer,
  example: model => ({
    path: '/v1/chat/completions',
    body: {
      model,
      messages: [{ role: 'user', content: exampleQuestion }],
      tools: [{ type: 'function', function: { ...exampleTool, parameters: exampleSchema } }],
    },
  }),
}
