/** What each route takes and returns. */
import type { WireDefinition } from '@toolwire/core'
import type { WireRoute } from '@toolwire/core/wires'
import type { GatewayRoute } from '../../context.ts'
import { wiresByModelsPath } from '../models.ts'
import type { Node } from './parts.ts'
import { errors, headersOf, json, jsonBody, markerParameters, parameterRef, schemaRef } from './parts.ts'

/** Whatever stands in an operation of OpenAPI. */
export interface Operation extends Node {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly responses: Node
}

/** The operation of any route, by what the gateway and its wires say of it. */
export function createOperations(wires: readonly WireDefinition[]): (route: GatewayRoute) => Operation {
  const markers = Object.keys(markerParameters(wires))
  const own = { ...responsesOperations, ...systemOperations(markers) }
  const modelWires = wiresByModelsPath(wires)
  const [firstPath] = modelWires.keys()
  return ({ name, path, wire }) => {
    const wireRoute = wire?.service.http.routes.find(({ operation }) => operation.id === name)
    if (wire !== undefined && wireRoute !== undefined) return wireOperation(wire, wireRoute)
    const base = path.replace(/\/\{model\}$/, '')
    const sharing = modelWires.get(base)
    if (sharing !== undefined) {
      const id =
        (base === path ? 'listModels' : 'getModel') + (base === firstPath ? '' : base.replaceAll('/', '_'))
      return modelOperation(id, { isList: base === path, sharing, wire, markers })
    }
    const described = Object.hasOwn(own, name) ? own[name] : undefined
    if (described === undefined) throw new Error(`The route "${name}" is not described.`)
    return plain({ ...described, wire })
  }
}

const parameterList = (names: readonly string[]): { parameters?: Node[] } =>
  names.length === 0 ? {} : { parameters: names.map(parameterRef) }

function wireOperation(wire: WireDefinition, { job, path, streams, operation }: WireRoute): Operation {
  const { id, summary, request, answer } = operation
  const inPath = path.includes('{') ? ['Model'] : []
  if (job === 'count-tokens') {
    const headers = ['CountMethod']
    return plain({
      id,
      summary,
      tag: wire.name,
      takes: request,
      gives: answer,
      wire,
      parameters: inPath,
      headers,
    })
  }
  const said =
    streams === undefined ? 'The answer; where the request says `stream`, its events.' : 'The answer.'
  const complete = json(said, schemaRef(answer), ['Losses', 'Upstream'])
  const content = streams === true ? {} : (complete.content as Node)
  return {
    operationId: id,
    summary,
    tags: [wire.name],
    ...parameterList([...inPath, 'Report']),
    requestBody: jsonBody(request),
    responses: {
      200: streams === false ? complete : withEvents({ ...complete, content }, wire),
      ...errors(wire),
    },
  }
}

/** An answer that may also come as a stream. */
function withEvents(answer: Node, { service, conversation }: WireDefinition): Node {
  const stream = {
    schema: { type: 'string', description: 'Events of this wire. Some only keep the connection alive.' },
    example: service.openApi.streamExample,
  }
  return { ...answer, content: { ...(answer.content as Node), [conversation.frames.contentType]: stream } }
}

interface ModelPath {
  readonly isList: boolean
  readonly sharing: readonly WireDefinition[]
  /** Set where only one wire has this path. */
  readonly wire: WireDefinition | undefined
  readonly markers: readonly string[]
}

/** Wires that share a path list models each in its own format. */
function modelOperation(id: string, { isList, sharing, wire, markers }: ModelPath): Operation {
  const schemas = new Set(
    sharing.map(({ service }) => (isList ? service.openApi.modelList : service.openApi.model) ?? {}),
  )
  const [first = {}] = schemas
  return plain({
    id,
    summary: isList ? 'The models that can be used' : 'One model',
    tag: 'models',
    gives: json('Done.', schemas.size === 1 ? first : { anyOf: [...schemas] }),
    parameters: isList ? markers : ['Model', ...markers],
    wire,
  })
}

interface Plain {
  readonly id: string
  readonly summary: string
  readonly tag: string
  /** The schema of a successful answer, or all of the answer. */
  readonly gives: string | Node
  readonly takes?: string
  readonly parameters?: readonly string[]
  readonly headers?: readonly string[]
  /** The answer may also come as a stream of the wire. */
  readonly streams?: boolean
  /** Of a successful answer, where it is not 200. */
  readonly status?: number
  /** Other answers, by status. */
  readonly others?: Node
}

/** `wire`: whose errors it has; `undefined` for any. */
function plain(about: Plain & { readonly wire: WireDefinition | undefined }): Operation {
  const {
    id,
    summary,
    tag,
    gives,
    takes,
    parameters = [],
    wire,
    headers = [],
    streams,
    others,
    status = 200,
  } = about
  const answer = typeof gives === 'string' ? json('Done.', schemaRef(gives), headers) : gives
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...parameterList(parameters),
    ...(takes !== undefined && { requestBody: jsonBody(takes) }),
    responses: {
      [status]: streams === true && wire !== undefined ? withEvents(answer, wire) : answer,
      ...others,
      ...errors(wire),
    },
  }
}

const stored = (id: string, summary: string, gives: Plain['gives'], more: Partial<Plain> = {}): Plain => ({
  id,
  summary,
  tag: 'responses',
  gives,
  parameters: ['ResponseId'],
  ...more,
})

const conversation = (id: string, summary: string, gives: string, more: Partial<Plain> = {}): Plain => ({
  id,
  summary,
  tag: 'conversations',
  gives,
  parameters: ['ConversationId'],
  ...more,
})

const page = ['Limit', 'Order', 'After']
const item = ['ConversationId', 'ItemId']
const anOpenApiDocument: Node = { type: 'object', required: ['openapi', 'info', 'paths'] }

const about = (id: string, summary: string, gives: Plain['gives'], more: Partial<Plain> = {}): Plain => ({
  id,
  summary,
  tag: 'gateway',
  gives,
  ...more,
})

function inspectorOperations(markers: readonly string[]): Readonly<Record<string, Plain>> {
  const asset = (type: string): Plain =>
    about(
      `getInspector_${type.slice(type.indexOf('/') + 1).replace(/\W.*/, '')}`,
      'A file of the inspector, where there is one',
      {
        description: 'The file.',
        headers: headersOf([]),
        content: { [type]: { schema: { type: 'string' } } },
      },
    )
  return {
    feed: about(
      'watchTraces',
      'Exchanges as they begin, grow and end, where they are kept',
      {
        description:
          'Events: `hello` once, then `exchanges` with a list of those that changed, as in `TraceList`.',
        headers: headersOf([]),
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      },
      { parameters: markers },
    ),
    reading: about('getReading', 'One exchange as people read it, with the trace', 'ReadTrace', {
      parameters: ['TraceId', ...markers],
    }),
    read: about('readTrace', 'A trace of elsewhere as people read it', 'ReadTrace', {
      takes: 'TraceDocument',
    }),
    diff: about('diff', 'A request or an answer on every wire', 'OnEveryWire', { takes: 'AnyBody' }),
    status: about('getStatus', 'The state of the gateway: upstreams, wires, tools, settings', 'Status', {
      parameters: markers,
    }),
    'all-models': about('listAllModels', 'The models of all upstreams, whatever the wire', 'AllModels', {
      parameters: markers,
    }),
    'run-tool': about('runTool', 'Run one of the gateway’s own tools', 'ToolRun', {
      takes: 'ToolArguments',
      parameters: ['ToolName'],
    }),
    'sign-in': about('signIn', 'Sign in to the inspector, with a key or the code of a link', 'Session', {
      takes: 'SignIn',
    }),
    'sign-out': about('signOut', 'Sign out of the inspector', 'Session'),
    'asset-inspector.js': asset('text/javascript'),
    'asset-inspector.css': asset('text/css'),
    'asset-inspector.svg': asset('image/svg+xml'),
  }
}

/** `markers`: names of parameters that choose the format of errors. */
function systemOperations(markers: readonly string[]): Readonly<Record<string, Plain>> {
  return {
    live: about('getLive', 'Whether the process answers', 'Live'),
    ready: about('getReady', 'Whether requests should be sent here', 'Ready', {
      others: {
        503: json('Not ready: it is stopping, or its store fails.', schemaRef('NotReady'), ['RetryAfter']),
      },
    }),
    metrics: about(
      'getMetrics',
      'Metrics, where they are kept',
      {
        description: 'In the text form of Prometheus.',
        headers: headersOf([]),
        content: { 'text/plain': { schema: { type: 'string' } } },
      },
      { parameters: markers },
    ),
    root: about('getRoot', 'Whether somebody is here', 'Root'),
    version: about('getVersion', 'What runs here', 'Version'),
    openapi: about('getOpenApi', 'This document', json('An OpenAPI document.', anOpenApiDocument)),
    traces: about('listTraces', 'Exchanges of the recent past, where they are kept', 'TraceList', {
      parameters: ['TraceLimit', ...markers],
    }),
    trace: about('getTrace', 'One exchange in full, where exchanges are kept', 'Trace', {
      parameters: ['TraceId', ...markers],
    }),
    ...inspectorOperations(markers),
    usage: about('getUsage', 'What was used since a time, where that is kept', 'UsageList', {
      parameters: ['Since', ...markers],
    }),
  }
}

const responsesOperations: Readonly<Record<string, Plain>> = {
  'responses-socket': stored(
    'openResponsesSocket',
    'Requests and events of Responses over one WebSocket',
    { description: 'The socket is open. Messages are JSON objects: `response.create`, and events.' },
    { parameters: [], status: 101 },
  ),
  response: stored(
    'getResponse',
    'A stored response',
    json(
      'The response; with `stream`, its events, as long as they are there: those of a background response that was made with `stream`.',
      schemaRef('Response'),
    ),
    { parameters: ['ResponseId', 'Stream', 'StartingAfter'], streams: true },
  ),
  'response-delete': stored('deleteResponse', 'Delete a stored response', 'DeletedResponse'),
  'response-input': stored('listResponseInput', 'The input of a stored response', 'ItemList', {
    parameters: ['ResponseId', ...page],
  }),
  'response-cancel': stored('cancelResponse', 'Cancel a background response', 'Response'),
  'conversation-create': conversation('createConversation', 'Begin a conversation', 'Conversation', {
    takes: 'NewConversation',
    parameters: [],
  }),
  conversation: conversation('getConversation', 'A conversation', 'Conversation'),
  'conversation-update': conversation(
    'updateConversation',
    'Change the metadata of a conversation',
    'Conversation',
    { takes: 'ConversationChange' },
  ),
  'conversation-delete': conversation('deleteConversation', 'Delete a conversation', 'DeletedConversation'),
  items: conversation('listItems', 'The items of a conversation', 'ItemList', {
    parameters: ['ConversationId', ...page],
  }),
  'items-create': conversation('createItems', 'Add items to a conversation', 'ItemList', {
    takes: 'NewItems',
  }),
  item: conversation('getItem', 'One item of a conversation', 'Item', { parameters: item }),
  'item-delete': conversation('deleteItem', 'Remove an item from a conversation', 'Conversation', {
    parameters: item,
  }),
}
