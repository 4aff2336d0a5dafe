/** Relay over HTTP: the path names the model and says whether the answer is streamed. */

import { isObject, own } from '@toolwire/core/json'
import type { OpenApiSchema, WireService } from '@toolwire/core/wires'

const text: OpenApiSchema = { type: 'string' }
const listOfObjects: OpenApiSchema = { type: 'array', items: { type: 'object' } }

export const relayService: WireService = {
  http: {
    prefix: '/relay',
    routes: [
      {
        job: 'exchange',
        method: 'POST',
        path: '/{model}/run',
        streams: false,
        operation: {
          id: 'runRelay',
          summary: 'Ask a model, on the Relay wire',
          request: 'RelayRequest',
          answer: 'RelayReply',
        },
      },
      {
        job: 'exchange',
        method: 'POST',
        path: '/{model}/stream',
        streams: true,
        operation: {
          id: 'streamRelay',
          summary: 'Ask a model, on the Relay wire, and get the answer as it is written',
          request: 'RelayRequest',
          answer: 'RelayReply',
        },
      },
    ],
    peek: { model: { parameter: 'model' }, stream: 'route' },
    read({ params, body, streams = false }) {
      const { model = '' } = params
      return { model, streamed: streams, body: { ...body, model, ...(streams && { streaming: true }) } }
    },
    write({ body: { model: _, streaming: __, ...body } }) {
      return body
    },
    keys: [{ header: 'x-relay-pass' }],
    requestHeaders: { sent: { 'x-relay-edition': '2' }, forwarded: ['x-relay-edition'] },
    markerHeaders: ['x-relay-edition'],
    requestId: { headers: ['x-relay-trace'] },
    retryHeaders: ['retry-after', 'x-relay-wait'],
    errorField: 'problem',
    historyField: 'talk',
    isErrorBody: body => own(body, 'problem') !== undefined,
    models: {
      path: '/models',
      decodeIds(list) {
        const names = isObject(list) ? own(list, 'names') : undefined
        return Array.isArray(names) ? names.filter(name => typeof name === 'string') : []
      },
      encodeList: models => ({ names: models.map(({ id }) => id) }),
      encodeModel: ({ id, owner }) => ({ name: id, from: owner }),
    },
    keepsState: false,
  },
  openApi: {
    error: 'RelayProblem',
    model: { type: 'object', properties: { name: text, from: text }, required: ['name'] },
    modelList: { type: 'object', properties: { names: { type: 'array', items: text } }, required: ['names'] },
    streamExample: '{"say":"Hello"}\n{"end":{"ended":"done"}}\n',
    schemas: {
      RelayRequest: {
        type: 'object',
        description: 'A request of Relay.',
        properties: { rules: text, talk: listOfObjects, toolbox: listOfObjects },
        required: ['talk'],
      },
      RelayReply: {
        type: 'object',
        description: 'An answer of Relay.',
        properties: {
          reply: text,
          model: text,
          say: text,
          use: listOfObjects,
          ended: { type: ['string', 'null'] },
        },
        required: ['reply', 'ended'],
      },
      RelayProblem: {
        type: 'object',
        description: 'An error of Relay.',
        properties: {
          problem: { type: 'object', properties: { kind: text, text }, required: ['kind', 'text'] },
        },
        required: ['problem'],
      },
    },
  },
  example: model => ({
    path: `/relay/${encodeURIComponent(model)}/run`,
    body: {
      talk: [{ by: 'human', say: 'Weather in Oslo?' }],
      toolbox: [
        {
          called: 'get_weather',
          takes: { type: 'object', properties: { city: { type: 'string' } } },
        },
      ],
    },
  }),
}
