/** Messages over HTTP. */
import { own } from '../../../json/object.ts'
import {
  bodyFields,
  exampleQuestion,
  exampleSchema,
  exampleTool,
  isCommonErrorBody,
} from '../../kit/service-parts.ts'
import type { UseLimits, WireService } from '../../service.ts'
import { messagesHeldIds } from './held-ids.ts'
import { messagesModels } from './models.ts'
import { messagesOpenApi } from './openapi.ts'
import { summarizeAnswer } from './summary.ts'

export const messagesService: WireService = {
  provider: 'anthropic',
  http: {
    prefix: '/v1',
    routes: [
      {
        job: 'exchange',
        method: 'POST',
        path: '/messages',
        operation: {
          id: 'createMessage',
          summary: 'Ask a model, on the Messages wire',
          request: 'MessagesRequest',
          answer: 'Message',
        },
      },
      {
        job: 'count-tokens',
        method: 'POST',
        path: '/messages/count_tokens',
        operation: {
          id: 'countMessageTokens',
          summary: 'Count the tokens of a request on the Messages wire',
          request: 'TokenCountRequest',
          answer: 'TokenCount',
        },
      },
    ],
    ...bodyFields('model', 'stream'),
    // Tokens of a login come with a scheme; they are not keys, and the API takes them only so.
    keys: [{ header: 'x-api-key' }, { header: 'authorization', scheme: 'Bearer' }],
    requestHeaders: {
      sent: { 'anthropic-version': '2023-06-01' },
      forwarded: ['anthropic-version', 'anthropic-beta'],
      flags: {
        header: 'anthropic-beta',
        fields: {
          'context-management-': ['context_management'],
          'compact-': ['compaction', 'context_management'],
          'mcp-client-': ['mcp_servers'],
          'message-threads-': ['thread'],
          'skills-': ['container'],
          'code-execution-': ['container'],
          'fast-mode-': ['speed'],
          'structured-outputs-': ['output_format'],
          'cache-diagnosis-': ['diagnostics'],
          'server-side-fallback-': ['fallbacks'],
          'fallback-credit-': ['fallback_credit_token'],
          'user-profiles-': ['user_profile_id'],
          'task-budgets-': ['output_config.task_budget'],
          'thinking-binding-controls-': ['thinking.block_binding'],
          'mid-conversation-output-config-': ['messages[].output_config'],
          'mid-conversation-system-clear-at-': ['messages[].clear_at'],
        },
        absent: { 'mid-conversation-tool-changes-': { additionalTools: false } },
      },
      // The types of @anthropic-ai/sdk 1 have no sampling parameters any more (October 2026).
      facts: { 'anthropic-version': { '2026-10-21': { sampling: 'never' } } },
    },
    markerHeaders: ['anthropic-version'],
    threadField: 'thread',
    requestId: {
      headers: ['request-id'],
      write: (body, id) => (own(body, 'request_id') === null ? { ...body, request_id: id } : body),
    },
    retryHeaders: ['retry-after', 'anthropic-ratelimit-*', 'x-should-retry'],
    limitHeaders,
    errorField: 'error',
    isErrorBody: isCommonErrorBody,
    models: messagesModels,
    encodeTokenCount: total => ({ input_tokens: total }),
    historyField: 'messages',
    heldIds: messagesHeldIds,
    keepsState: false,
  },
  openApi: messagesOpenApi,
  summarizeAnswer,
  example: model => ({
    path: '/v1/messages',
    body: {
      model,
      max_tokens: 99,
      messages: [{ role: 'user', content: exampleQuestion }],
      tools: [{ ...exampleTool, input_schema: exampleSchema }],
    },
  }),
}

/** Both kinds of tokens count against one limit, so each has as much left as both together. */
function limitHeaders({ requests, tokens }: UseLimits): { readonly [name: string]: string } {
  const limits = { requests, tokens, 'input-tokens': tokens, 'output-tokens': tokens }
  const headers = Object.entries(limits).flatMap(([what, found]) =>
    found === undefined
      ? []
      : [
          [`anthropic-ratelimit-${what}-limit`, String(found.limit)],
          [`anthropic-ratelimit-${what}-remaining`, String(found.remaining)],
          [`anthropic-ratelimit-${what}-reset`, found.resetAt],
        ],
  )
  return Object.fromEntries(headers)
}
