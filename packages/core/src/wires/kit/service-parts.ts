/** What the service facets of most wires have in common. */
import { own } from '../../json/object.ts'
import type { OpenApiSchema, WireHttp } from '../service.ts'

/** Requests name their model, and ask for a stream, in fields of the body, where the codec reads them too. */
export function bodyFields(
  modelField: string,
  streamField: string,
): Pick<WireHttp, 'peek' | 'read' | 'write'> {
  return {
    peek: { model: { field: modelField }, stream: { field: streamField } },
    read({ body }) {
      const model = own(body, modelField)
      const streamed = own(body, streamField) === true
      return typeof model === 'string' && model !== '' ? { model, streamed, body } : { streamed, body }
    },
    write({ model, streamed, body }) {
      const says = own(body, streamField) === true
      return says === streamed
        ? { ...body, [modelField]: model }
        : { ...body, [modelField]: model, [streamField]: streamed }
    },
  }
}

/** Error bodies of all kinds of servers that imitate one of the big providers. */
export const isCommonErrorBody: WireHttp['isErrorBody'] = body =>
  Object.hasOwn(body, 'error') || Object.hasOwn(body, 'message') || Object.hasOwn(body, 'detail')

/** What examples for people ask, and the tool that they offer for it. */
export const exampleQuestion = 'Weather in Oslo?'
export const exampleTool: { readonly name: string } = { name: 'get_weather' }
export const exampleSchema: OpenApiSchema = { type: 'object', properties: { city: { type: 'string' } } }
