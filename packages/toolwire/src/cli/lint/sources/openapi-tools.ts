/** The operations of an OpenAPI document as functions, as they are commonly given to models. */
import type { Path } from '@toolwire/core'
import { isObject, type JsonObject, own, setOwn } from '@toolwire/core/json'

export function isOpenApi(value: unknown): value is JsonObject {
  return (
    isObject(value) &&
    (typeof value.openapi === 'string' || typeof value.swagger === 'string') &&
    isObject(value.paths)
  )
}

const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'] as const

interface OperationTool {
  readonly tool: object
  /** Where the operation stands in the document. */
  readonly path: Path
  /** Its name stands there, and was not made from its path. */
  readonly isNamed: boolean
}

export function toolsOfOpenApi(document: JsonObject): OperationTool[] {
  const paths = own(document, 'paths')
  return Object.entries(isObject(paths) ? paths : {}).flatMap(([path, item]) =>
    methods.flatMap(method => {
      const operation = isObject(item) ? own(item, method) : undefined
      if (!isObject(operation)) return []
      const isNamed = typeof operation.operationId === 'string'
      const tool = toolOf(document, path, method, operation, item)
      return [{ tool, path: ['paths', path, method], isNamed }]
    }),
  )
}

function toolOf(
  document: JsonObject,
  path: string,
  method: string,
  operation: JsonObject,
  item: unknown,
): object {
  const shared = isObject(item) && Array.isArray(item.parameters) ? item.parameters : []
  const given = Array.isArray(operation.parameters) ? operation.parameters : []
  const properties: Record<string, unknown> = {}
  const required: string[] = []
  for (const parameter of [...shared, ...given].map(one => resolved(document, one))) {
    if (!isObject(parameter) || typeof parameter.name !== 'string') continue
    const { name, schema, description } = parameter
    const described = typeof description === 'string' ? { description } : {}
    setOwn(properties, name, { ...(isObject(schema) ? schema : {}), ...described })
    if (parameter.required === true) required.push(name)
  }
  const body = resolved(document, operation.requestBody)
  const schema = isObject(body) && isObject(body.content) ? bodySchema(body.content) : undefined
  if (schema !== undefined) setOwn(properties, 'body', schema)
  if (isObject(body) && body.required === true) required.push('body')
  const described = [operation.summary, operation.description].find(text => typeof text === 'string')
  const components = own(document, 'components')
  return {
    type: 'function',
    name:
      typeof operation.operationId === 'string'
        ? operation.operationId
        : `${method}_${path}`.replace(/[^\w-]+/g, '_'),
    ...(described !== undefined && { description: described }),
    parameters: {
      type: 'object',
      properties,
      ...(required.length > 0 && { required }),
      // References in schemas lead to it.
      ...(isObject(components) && JSON.stringify(properties).includes('"#/components/') && { components }),
    },
  }
}

function bodySchema(content: JsonObject): unknown {
  const media = own(content, 'application/json') ?? Object.values(content)[0]
  return isObject(media) ? media.schema : undefined
}

/** A parameter or body may be a reference into the components. */
function resolved(document: JsonObject, value: unknown): unknown {
  const ref = isObject(value) ? own(value, '$ref') : undefined
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return value
  let here: unknown = document
  for (const step of ref.slice(2).split('/')) {
    here = isObject(here) ? own(here, step.replaceAll('~1', '/').replaceAll('~0', '~')) : undefined
  }
  return here
}
