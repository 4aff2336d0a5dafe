/** The building blocks of the document: references, bodies, headers, parameters, and the errors that routes share. */
import type { WireDefinition } from '@toolwire/core'
import { schemaParts } from '@toolwire/core/wires'

export type Node = { readonly [key: string]: unknown }

const { text } = schemaParts

export const schemaRef = (name: string): Node => ({ $ref: `#/components/schemas/${name}` })
export const parameterRef = (name: string): Node => ({ $ref: `#/components/parameters/${name}` })
const headerRef = (name: string): Node => ({ $ref: `#/components/headers/${name}` })
const responseRef = (name: string): Node => ({ $ref: `#/components/responses/${name}` })

export function jsonBody(schema: string): Node {
  return { required: true, content: { 'application/json': { schema: schemaRef(schema) } } }
}

export function json(description: string, schema: Node, headers: readonly string[] = []): Node {
  return { description, headers: headersOf(headers), content: { 'application/json': { schema } } }
}

export function headersOf(more: readonly string[]): Node {
  const refs = ['RequestId', ...more].map(name => [headerNames[name] ?? name, headerRef(name)])
  return Object.fromEntries(refs)
}

const headerNames: Readonly<Record<string, string>> = {
  RequestId: 'x-request-id',
  Losses: 'x-toolwire-losses',
  Upstream: 'x-toolwire-upstream',
  CountMethod: 'x-toolwire-count-method',
  RetryAfter: 'retry-after',
  Authenticate: 'www-authenticate',
}

export const headers: Node = {
  RequestId: {
    description: 'Names this exchange in logs and traces.',
    required: true,
    schema: text,
    example: 'req_q2r7m0v4',
  },
  Losses: {
    description:
      'How many warnings and errors the conversion gave: what could not be said on the wire of the upstream, or of the client. On answers that were converted.',
    schema: { type: 'integer', minimum: 0 },
    example: 0,
  },
  Upstream: {
    description: 'The configured name of the upstream that answered.',
    schema: text,
    example: 'local',
  },
  CountMethod: {
    description: 'How the tokens were counted, where the gateway did it itself.',
    schema: text,
  },
  RetryAfter: {
    description:
      'Seconds after which to try again, as the upstream said, or the gateway itself on a 429 or 503 (529) of its own.',
    schema: text,
    example: '2',
  },
  Authenticate: { description: 'On 401.', schema: text, example: 'Bearer' },
}

/** Errors have the format of a route's wire; on a route without a wire, of any. */
export function errors(wire: WireDefinition | undefined): Node {
  const shape = wire === undefined ? anyShape : shapeOf(wire)
  return { '4XX': responseRef(`Refused${shape}`), '5XX': responseRef(`Failed${shape}`) }
}

const anyShape = 'Any'

function shapeOf({ service }: WireDefinition): string {
  return service.openApi.error.replace(/Error$/, '')
}

const refused =
  'The request was refused, by the gateway or by the upstream; the message says what to change. ' +
  '401: a key is missing or wrong. 403, 421: this Origin or Host is not allowed. 404: there is no such thing for this key. ' +
  '413: the body, or what it refers to, is too large. 415: it is not JSON. 429: the upstream asks to wait, or this key has too much in flight.'
const failed =
  'The gateway or the upstream failed. 502: the upstream broke off or cannot be understood. 503 (529 on Messages): the gateway or the upstream is overloaded, ' +
  'or the gateway is shutting down. 504: time ran out.'

export function errorResponses(wires: readonly WireDefinition[]): Node {
  const schemas = new Map(wires.map(wire => [shapeOf(wire), schemaRef(wire.service.openApi.error)]))
  const shapes: [string, Node][] = [...schemas, [anyShape, { anyOf: [...schemas.values()] }]]
  return Object.fromEntries(
    shapes.flatMap(([shape, schema]) => [
      [`Refused${shape}`, json(refused, schema, ['Losses', 'Upstream', 'RetryAfter', 'Authenticate'])],
      [`Failed${shape}`, json(failed, schema, ['Losses', 'Upstream', 'RetryAfter'])],
    ]),
  )
}

const inPath = (name: string, description: string, example: string): Node => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: text,
  example,
})
const inQuery = (name: string, description: string, schema: Node): Node => ({
  name,
  in: 'query',
  description,
  schema,
})
const inHeader = (name: string, description: string, example: string): Node => ({
  name,
  in: 'header',
  description,
  schema: text,
  example,
})

export const parameters: Node = {
  Model: inPath('model', 'The name of a model, as a client knows it.', 'qwen3'),
  ResponseId: inPath('id', 'The id of a stored response.', 'resp_a1b2c3'),
  ConversationId: inPath('id', 'The id of a conversation.', 'conv_a1b2c3'),
  ItemId: inPath('item', 'The id of an item of the conversation.', 'msg_a1b2c3'),
  ToolName: inPath('name', 'The name of a tool of the gateway.', 'search'),
  TraceId: inPath('id', 'The id of an exchange: its x-request-id.', 'req_q2r7m0v4'),
  Limit: inQuery('limit', 'How many items a page has.', {
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 20,
  }),
  Order: inQuery('order', 'By the time of their making.', { enum: ['asc', 'desc'], default: 'desc' }),
  Stream: inQuery('stream', 'Send the events of the response.', { type: 'boolean', default: false }),
  StartingAfter: inQuery('starting_after', 'The number of the last event that was received.', {
    type: 'integer',
    minimum: 0,
  }),
  After: inQuery('after', 'The id of the item that the page comes after.', text),
  TraceLimit: inQuery('limit', 'How many exchanges are listed.', {
    type: 'integer',
    minimum: 1,
    default: 50,
  }),
  Since: inQuery('since', 'In milliseconds since 1970; rows are added up by the hour.', { type: 'number' }),
  Report: inHeader(
    'x-toolwire-report',
    'Any value but 0: the answer holds the list of losses, as a text in `metadata.toolwire_losses`, or in a stream as a comment after the last event.',
    '1',
  ),
}

/** Headers that choose the format of models and errors on paths that wires share: `AnthropicVersion` and the like. */
export function markerParameters(wires: readonly WireDefinition[]): Readonly<Record<string, Node>> {
  const found = wires.flatMap(({ title, service: { http } }) =>
    http.markerHeaders.map((header): [string, Node] => [
      header.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase()),
      inHeader(
        header,
        `Where it is sent, models and errors have the format of ${title}.`,
        http.requestHeaders.sent[header] ?? '1',
      ),
    ]),
  )
  return Object.fromEntries(found)
}
