/** The OpenAPI document of a gateway, made from its routes and wires, so that it can neither miss one nor invent one. */
import type { WireDefinition } from '@toolwire/core'
import { schemaParts } from '@toolwire/core/wires'
import type { GatewayRoute } from '../context.ts'
import { keyPlaces } from '../http/headers.ts'
import { createOperations } from './openapi/operations.ts'
import type { Node } from './openapi/parts.ts'
import { errorResponses, headers, markerParameters, parameters, schemaRef } from './openapi/parts.ts'
import { traceSchemas } from './openapi/trace-schemas.ts'

export function openApiDocument(
  version: string,
  routes: readonly GatewayRoute[],
  wires: readonly WireDefinition[],
): object {
  const operationOf = createOperations(wires)
  const securitySchemes = securityOf(wires)
  const paths: Record<string, Node> = {}
  for (const route of routes) {
    const operation = { ...operationOf(route), ...(route.open === true && { security: [] }) }
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation }
  }
  return structuredClone({
    openapi: '3.1.0',
    info: {
      title: 'toolwire',
      version,
      description: describe(wires),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    // One of them is needed where keys are configured; without keys, none.
    security: [...Object.keys(securitySchemes).map(name => ({ [name]: [] })), {}],
    tags: tagsOf(wires),
    paths,
    components: {
      schemas: Object.assign(
        {},
        ...wires.map(({ service }) => service.openApi.schemas),
        ownSchemas,
        traceSchemas,
      ),
      responses: errorResponses(wires),
      parameters: { ...parameters, ...markerParameters(wires) },
      headers,
      securitySchemes,
    },
  })
}

function describe(wires: readonly WireDefinition[]): string {
  const titles = wires.map(({ title }) => title)
  return (
    `A gateway between ${titles.slice(0, -1).join(', ')} and ${titles.at(-1)}. A request on any of these wires is ` +
    'converted to the wire of the upstream that serves its model, and the answer back. Bodies are those of the wires; only their ' +
    'main fields are described here, and all others pass. Paths that begin with /v1 are also served without it.'
  )
}

function tagsOf(wires: readonly WireDefinition[]): readonly Node[] {
  return [
    ...wires.map(({ name, title }) => ({ name, description: title })),
    { name: 'conversations', description: 'Histories with an id, on the Responses wire' },
    { name: 'models', description: 'The models that can be used' },
    { name: 'gateway', description: 'The gateway itself' },
  ]
}

function securityOf(wires: readonly WireDefinition[]): Record<string, Node> {
  const description = 'One of the keys of the gateway.'
  return Object.fromEntries(
    keyPlaces(wires).map(({ header, scheme }): [string, Node] =>
      scheme === undefined
        ? [camelCase(header), { type: 'apiKey', in: 'header', name: header, description }]
        : [scheme.toLowerCase(), { type: 'http', scheme: scheme.toLowerCase(), description }],
    ),
  )
}

/** `x-api-key` as `apiKey`. */
function camelCase(header: string): string {
  return header.replace(/^x-/, '').replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

const { flag, integer, list, openObject, orNull, text } = schemaParts

const page = (of: Node): Readonly<Record<string, Node>> => ({
  object: { const: 'list' },
  data: list(of),
  first_id: orNull('string'),
  last_id: orNull('string'),
  has_more: flag,
})
const ends = ['data', 'first_id', 'last_id', 'has_more']
const metadata: Node = { type: ['object', 'null'] }

/** Bodies that the gateway writes itself: what it stores, and what it reports of itself. */
const ownSchemas: Node = {
  ItemList: openObject('A page of items.', page(schemaRef('Item')), ['object', ...ends]),
  DeletedResponse: openObject(
    'The response was deleted.',
    { id: text, object: { const: 'response' }, deleted: { const: true } },
    ['id', 'object', 'deleted'],
  ),
  Conversation: {
    ...openObject(
      'A history with an id.',
      { id: text, object: { const: 'conversation' }, created_at: integer, metadata: { type: 'object' } },
      ['id', 'object', 'created_at', 'metadata'],
    ),
    examples: [{ id: 'conv_a1b2c3', object: 'conversation', created_at: 1767225600, metadata: {} }],
  },
  NewConversation: openObject('What a conversation begins with.', {
    items: { type: ['array', 'null'], items: schemaRef('Item') },
    metadata,
  }),
  ConversationChange: openObject('What is to be different. Metadata is replaced entirely.', { metadata }),
  NewItems: openObject('What is added at the end.', { items: list(schemaRef('Item')) }),
  DeletedConversation: openObject(
    'The conversation was deleted, with its items.',
    { id: text, object: { const: 'conversation.deleted' }, deleted: { const: true } },
    ['id', 'object', 'deleted'],
  ),
  Live: openObject('The process answers.', { status: { const: 'live' } }, ['status']),
  Ready: openObject(
    'Requests are taken.',
    { status: { const: 'ready' }, store: { ...text, description: 'The kind of store, or none.' } },
    ['status', 'store'],
  ),
  NotReady: openObject(
    'Requests should go elsewhere.',
    { status: { enum: ['draining', 'store unavailable'] }, reason: text },
    ['status'],
  ),
  Root: openObject('Who is here.', { name: { const: 'toolwire' }, version: text, see: list(text) }, [
    'name',
    'version',
  ]),
  Version: openObject('What runs here.', { name: { const: 'toolwire' }, version: text, node: text }, [
    'name',
    'version',
    'node',
  ]),
  AnyBody: openObject('A request or an answer.', { value: { type: 'object' }, kind: text, from: text }, [
    'value',
  ]),
  AllModels: openObject(
    'Every model, with the upstream that serves it.',
    { object: { const: 'list' }, data: list({ type: 'object' }) },
    ['object', 'data'],
  ),
  ToolArguments: openObject('The arguments, by name.', { arguments: { type: 'object' } }),
  ToolRun: openObject(
    'How the call ended.',
    { status: text, is_error: flag, content: list({ type: 'object' }) },
    ['status', 'is_error', 'content'],
  ),
  SignIn: openObject('One of them.', { key: text, code: text }),
  Session: openObject('Whether one is signed in now.', { signed_in: flag }, ['signed_in']),
  UsageList: openObject(
    'What was used, by model, upstream, client and key.',
    { object: { const: 'list' }, data: list(openObject('One row.', { model: text, upstream: text })) },
    ['object', 'data'],
  ),
}
