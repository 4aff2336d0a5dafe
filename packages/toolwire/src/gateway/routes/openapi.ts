/** The OpenAPI document of the gateway, made from the list of routes, so that it can neither miss one nor invent one. */
import { exchanges, type Operation, operations } from './openapi/operations.ts'
import { ownSchemas } from './openapi/own-schemas.ts'
import { headers, type Node, parameters, responses } from './openapi/parts.ts'
import { wireSchemas } from './openapi/wire-schemas.ts'
import { type Route, routes } from './table.ts'

const description =
  'A gateway between OpenAI Chat Completions, OpenAI Responses and Anthropic Messages. A request on any of the three wires is ' +
  'converted to the wire of the upstream that serves its model, and the answer back. Bodies are those of the wires; only their ' +
  'main fields are described here, and all others pass. Paths that begin with /v1 are also served without it.'

const tags: readonly Node[] = [
  { name: 'chat', description: 'OpenAI Chat Completions' },
  { name: 'responses', description: 'OpenAI Responses, and responses that are stored' },
  { name: 'messages', description: 'Anthropic Messages' },
  { name: 'conversations', description: 'Histories with a name, on the Responses wire' },
  { name: 'models', description: 'What can be asked' },
  { name: 'gateway', description: 'The gateway itself' },
]

const securitySchemes: Node = {
  bearer: { type: 'http', scheme: 'bearer', description: 'One of the keys of the gateway.' },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The same keys, as Messages clients send them.',
  },
}

/** Which of them is needed where keys are configured; without keys, none. */
const security: readonly Node[] = [{ bearer: [] }, { apiKey: [] }, {}]

export function openApiDocument(version: string): object {
  const paths: Record<string, Node> = {}
  for (const route of routes) {
    const operation = { ...operationOf(route), ...(route.open === true && { security: [] }) }
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation }
  }
  return structuredClone({
    openapi: '3.1.0',
    info: { title: 'toolwire', version, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    security,
    tags,
    paths,
    components: {
      schemas: { ...wireSchemas, ...ownSchemas },
      responses,
      parameters,
      headers,
      securitySchemes,
    },
  })
}

function operationOf({ name, wire = 'chat' }: Route): Operation {
  return name === 'exchange' ? exchanges[wire] : operations[name]
}
