/** Responses over HTTP: what every server of the wire has. What a server keeps is not part of the wire. */
import { openaiHttp } from '../../kit/openai-service.ts'
import { exampleQuestion, exampleSchema, exampleTool } from '../../kit/service-parts.ts'
import type { WireService } from '../../service.ts'
import { responsesHeldIds } from './held-ids.ts'
import { responsesOpenApi } from './openapi.ts'
import { summarizeAnswer } from './summary.ts'

export const responsesService: WireService = {
  provider: 'openai',
  http: {
    ...openaiHttp,
    routes: [
      {
        job: 'exchange',
        method: 'POST',
        path: '/responses',
        operation: {
          id: 'createResponse',
          summary: 'Ask a model, on the Responses wire',
          request: 'ResponseRequest',
          answer: 'Response',
        },
      },
      {
        job: 'count-tokens',
        method: 'POST',
        path: '/responses/input_tokens',
        operation: {
          id: 'countResponseTokens',
          summary: 'Count the tokens of a request on the Responses wire',
          request: 'ResponseRequest',
          answer: 'InputTokens',
        },
      },
      {
        job: 'compact',
        method: 'POST',
        path: '/responses/compact',
        streams: false,
        operation: {
          id: 'compactResponse',
          summary: 'Put a summary in place of a conversation, on the Responses wire',
          request: 'ResponseRequest',
          answer: 'CompactedResponse',
        },
      },
    ],
    encodeTokenCount: total => ({ object: 'response.input_tokens', input_tokens: total }),
    historyField: 'input',
    heldIds: responsesHeldIds,
    keepsState: true,
    serverCallLimit: 'max_tool_calls',
  },
  openApi: responsesOpenApi,
  summarizeAnswer,
  example: model => ({
    path: '/v1/responses',
    body: {
      model,
      input: exampleQuestion,
      tools: [{ type: 'function', ...exampleTool, parameters: exampleSchema, strict: false }],
    },
  }),
}
