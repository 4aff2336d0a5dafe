/** The document keeps to OpenAPI 3.1 and to the list of routes. */
import { expect, test } from 'vitest'
import { lossHeader, reportHeader } from '../exchange/loss-report.ts'
import {
  createDocument,
  document,
  misfits,
  type Node,
  nodes,
  resolve,
  routes,
} from './openapi/document.test-helper.ts'

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
)
const parametersOf = (operation: Node): Node[] =>
  ((operation.parameters ?? []) as unknown[]).map(parameter => resolve(parameter) ?? {})

test('The document describes every route, and nothing else.', () => {
  const described = operations.map(({ method, path }) => `${method} ${path}`)
  expect(described.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort())
})

test('Every reference of the document resolves, and every component is used.', () => {
  const refs = [...nodes()].flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : []))
  for (const ref of refs) expect(resolve({ $ref: ref }), ref).toBeDefined()
  const { securitySchemes: _, ...referred } = document.components
  for (const [kind, members] of Object.entries(referred))
    for (const name of Object.keys(members)) expect(refs).toContain(`#/components/${kind}/${name}`)
})

test('Operations have unique ids and known tags.', () => {
  const ids = operations.map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  const tags = (document.tags as { name: string }[]).map(({ name }) => name)
  for (const { operation } of operations) {
    expect(tags).toEqual(expect.arrayContaining(operation.tags as string[]))
    expect(operation.summary).toMatch(/\S/)
  }
})

test('The parameters of a path are those in its braces.', () => {
  for (const { path, operation } of operations) {
    const inPath = parametersOf(operation).filter(parameter => parameter.in === 'path')
    const braces = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1])
    expect(inPath.map(({ name }) => name)).toEqual(braces)
    for (const { required } of inPath) expect(required).toBe(true)
  }
})

test('Every answer has a description, a request id and a body, and every operation has errors.', () => {
  for (const { path, operation } of operations) {
    const responses = operation.responses as Node
    // A socket has no body.
    const { 101: socket, ...answers } = responses
    const good = socket === undefined ? ['200'] : []
    expect(Object.keys(answers), path).toEqual(expect.arrayContaining([...good, '4XX', '5XX']))
    for (const response of Object.values(answers)) {
      const { description, headers, content } = resolve(response) ?? {}
      expect(description).toMatch(/\S/)
      expect(Object.keys(headers as Node)).toContain('x-request-id')
      expect(Object.keys(content as Node).length).toBeGreaterThan(0)
    }
  }
})

test('A POST that takes a body has a request body, and no other method has one.', () => {
  const bodiless = ['POST /v1/responses/{id}/cancel']
  for (const { method, path, operation } of operations) {
    const takes = method === 'POST' && !bodiless.includes(`${method} ${path}`)
    expect(operation.requestBody !== undefined, path).toBe(takes)
  }
})

test('The exchanges of the three wires stream, take the header for a report, and count losses.', () => {
  for (const path of ['/v1/chat/completions', '/v1/responses', '/v1/messages']) {
    const operation = document.paths[path]?.post ?? {}
    const { content, headers } =
      (operation.responses as Record<string, { content: Node; headers: Node }>)['200'] ?? {}
    expect(Object.keys(content ?? {})).toEqual(['application/json', 'text/event-stream'])
    expect(Object.keys(headers ?? {})).toContain(lossHeader)
    expect(parametersOf(operation).map(({ name }) => name)).toContain(reportHeader)
  }
})

test('A key is required except where the route is open.', () => {
  expect(document.security).toEqual([{ bearer: [] }, { apiKey: [] }, {}])
  expect(Object.keys(document.components.securitySchemes ?? {})).toEqual(['bearer', 'apiKey'])
  for (const { open = false, method, path } of routes) {
    const { security } = document.paths[path]?.[method.toLowerCase()] ?? {}
    expect(security).toEqual(open ? [] : undefined)
  }
})

test('The examples of the document fit their schemas.', () => {
  let count = 0
  for (const [path, node] of nodes()) {
    const { schema, example, examples } = node
    const given = Array.isArray(examples) ? examples : []
    for (const value of given) expect(misfits(node, value), path).toEqual([])
    if (example !== undefined) expect(misfits(schema, example), path).toEqual([])
    count += given.length + (example === undefined ? 0 : 1)
  }
  expect(count).toBeGreaterThan(10)
  // So that what was said above means something.
  const live = { $ref: '#/components/schemas/Live' }
  expect(misfits(live, { status: 'live' })).toEqual([])
  expect(misfits(live, { status: 'dead' })).not.toEqual([])
})

test('The document has the version of the gateway, and is made anew each time.', () => {
  expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' } })
  const first = createDocument('1') as { tags: unknown[] }
  first.tags.length = 0
  expect((createDocument('1') as { tags: unknown[] }).tags.length).toBeGreaterThan(0)
})
