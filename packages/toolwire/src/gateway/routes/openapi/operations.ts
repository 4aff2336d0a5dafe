/** What each route takes and gives. The compiler asks for a line here when a route is added. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import type { RouteName } from '../table.ts'
import { errors, headersOf, json, jsonBody, type Node, parameterRef, schemaRef, text } from './parts.ts'

/** Whatever stands in an operation of OpenAPI. */
export interface Operation extends Node {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly responses: Node
}

const parameterList = (names: readonly string[]): { parameters?: Node[] } =>
  names.length === 0 ? {} : { parameters: names.map(parameterRef) }

interface Exchange {
  readonly operationId: string
  readonly summary: string
  readonly request: string
  readonly answer: string
  readonly events: string
  readonly errors: 'OpenAi' | 'Messages'
}

function exchange(
  wire: Wire,
  { operationId, summary, request, answer, events, errors: shape }: Exchange,
): Operation {
  const answers = json('The answer; where the request says `stream`, its events.', schemaRef(answer), [
    'Losses',
    'Upstream',
  ])
  return {
    operationId,
    summary,
    tags: [wire],
    ...parameterList(['Report']),
    requestBody: jsonBody(request),
    responses: {
      200: orEvents(answers, events),
      ...errors(shape),
    },
  }
}

/** An answer that comes whole or as events. */
function orEvents(answer: Node, events: string): Node {
  const stream = {
    schema: { ...text, description: 'Server-sent events of this wire. Comments keep the connection alive.' },
    example: events,
  }
  return { ...answer, content: { ...(answer.content as Node), 'text/event-stream': stream } }
}

const responseEvents =
  'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{}}\n\n'

export const exchanges: { readonly [Name in Wire]: Operation } = {
  chat: exchange('chat', {
    operationId: 'createChatCompletion',
    summary: 'Ask a model, on the Chat Completions wire',
    request: 'ChatRequest',
    answer: 'ChatCompletion',
    events: 'data: {"id":"chatcmpl_1","object":"chat.completion.chunk","choices":[]}\n\ndata: [DONE]\n\n',
    errors: 'OpenAi',
  }),
  responses: exchange('responses', {
    operationId: 'createResponse',
    summary: 'Ask a model, on the Responses wire',
    request: 'ResponseRequest',
    answer: 'Response',
    events: responseEvents,
    errors: 'OpenAi',
  }),
  messages: exchange('messages', {
    operationId: 'createMessage',
    summary: 'Ask a model, on the Messages wire',
    request: 'MessagesRequest',
    answer: 'Message',
    events: 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    errors: 'Messages',
  }),
}

interface Plain {
  readonly summary: string
  readonly tag: string
  /** The schema of a good answer, or all of it. */
  readonly gives: string | Node
  readonly takes?: string
  readonly parameters?: readonly string[]
  readonly errors?: 'OpenAi' | 'Messages' | 'Either'
  readonly headers?: readonly string[]
}

function plain(operationId: string, about: Plain): Operation {
  const { summary, tag, gives, takes, parameters = [], errors: shape = 'OpenAi', headers = [] } = about
  return {
    operationId,
    summary,
    tags: [tag],
    ...parameterList(parameters),
    ...(takes !== undefined && { requestBody: jsonBody(takes) }),
    responses: {
      200: typeof gives === 'string' ? json('Done.', schemaRef(gives), headers) : gives,
      ...errors(shape),
    },
  }
}

const stored = (
  operationId: string,
  summary: string,
  gives: Plain['gives'],
  more: Partial<Plain> = {},
): Operation => plain(operationId, { summary, tag: 'responses', gives, parameters: ['ResponseId'], ...more })

const conversing = (
  operationId: string,
  summary: string,
  gives: string,
  more: Partial<Plain> = {},
): Operation =>
  plain(operationId, { summary, tag: 'conversations', gives, parameters: ['ConversationId'], ...more })

const own = (
  operationId: string,
  summary: string,
  gives: Plain['gives'],
  more: Partial<Plain> = {},
): Operation =>
  plain(operationId, {
    summary,
    tag: 'gateway',
    gives,
    errors: 'Either',
    parameters: ['AnthropicVersion'],
    ...more,
  })

const page = ['Limit', 'Order', 'After']
const item = ['ConversationId', 'ItemId']

const anOpenApiDocument: Node = { type: 'object', required: ['openapi', 'info', 'paths'] }
const ready = own('getReady', 'Whether requests should be sent here', 'Ready', { parameters: [] })

export const operations: { readonly [Name in Exclude<RouteName, 'exchange'>]: Operation } = {
  'count-tokens': plain('countMessageTokens', {
    summary: 'Count the tokens of a request on the Messages wire',
    tag: 'messages',
    takes: 'TokenCountRequest',
    gives: 'TokenCount',
    errors: 'Messages',
    headers: ['CountMethod'],
  }),
  models: own('listModels', 'The models that can be asked', 'ModelList', { tag: 'models' }),
  model: own('getModel', 'One model', 'Model', { tag: 'models', parameters: ['Model', 'AnthropicVersion'] }),
  response: stored(
    'getResponse',
    'A stored response',
    orEvents(
      json(
        'The response; with `stream`, its events, as long as they are there: those of a background response that was made with `stream`.',
        schemaRef('Response'),
      ),
      responseEvents,
    ),
    { parameters: ['ResponseId', 'Stream', 'StartingAfter'] },
  ),
  'response-delete': stored('deleteResponse', 'Forget a stored response', 'DeletedResponse'),
  'response-input': stored('listResponseInput', 'What a stored response answered to', 'ItemList', {
    parameters: ['ResponseId', ...page],
  }),
  'response-cancel': stored('cancelResponse', 'Give up a background response', 'Response'),
  'conversation-create': conversing('createConversation', 'Begin a conversation', 'Conversation', {
    takes: 'NewConversation',
    parameters: [],
  }),
  conversation: conversing('getConversation', 'A conversation', 'Conversation'),
  'conversation-update': conversing(
    'updateConversation',
    'Change the metadata of a conversation',
    'Conversation',
    {
      takes: 'ConversationChange',
    },
  ),
  'conversation-delete': conversing('deleteConversation', 'Forget a conversation', 'DeletedConversation'),
  items: conversing('listItems', 'The items of a conversation', 'ItemList', {
    parameters: ['ConversationId', ...page],
  }),
  'items-create': conversing('createItems', 'Add items to a conversation', 'ItemList', { takes: 'NewItems' }),
  item: conversing('getItem', 'One item of a conversation', 'Item', { parameters: item }),
  'item-delete': conversing('deleteItem', 'Take an item out of a conversation', 'Conversation', {
    parameters: item,
  }),
  live: own('getLive', 'Whether the process answers', 'Live', { parameters: [] }),
  ready: {
    ...ready,
    responses: {
      ...ready.responses,
      503: json('Not ready: it is stopping, or its store fails.', schemaRef('NotReady'), ['RetryAfter']),
    },
  },
  metrics: own('getMetrics', 'Metrics, where they are kept', {
    description: 'In the text form of Prometheus.',
    headers: headersOf([]),
    content: { 'text/plain': { schema: text } },
  }),
  version: own('getVersion', 'What runs here', 'Version', { parameters: [] }),
  openapi: own('getOpenApi', 'This document', json('An OpenAPI document.', anOpenApiDocument), {
    parameters: [],
  }),
  traces: own('listTraces', 'Exchanges of the recent past, where they are kept', 'TraceList', {
    parameters: ['TraceLimit', 'AnthropicVersion'],
  }),
  trace: own('getTrace', 'One exchange in full, where exchanges are kept', 'Trace', {
    parameters: ['TraceId', 'AnthropicVersion'],
  }),
}
