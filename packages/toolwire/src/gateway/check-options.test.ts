import { expect, test } from 'vitest'
import { createGateway } from './create-gateway.ts'
import type { GatewayOptions } from './settings.ts'

const baseUrl = 'http://127.0.0.1:1/v1'

test.each<[message: string, options: unknown]>([
  ['createGateway needs options with "upstreams"; got nothing.', undefined],
  ['"upstreams" must be a list with at least one upstream', {}],
  ['got a list.', { upstreams: [] }],
  ['upstreams[0] must be an upstream; got null.', { upstreams: [null] }],
  ['upstreams[0].name must be a text; got nothing.', { upstreams: [{ wire: 'chat', baseUrl }] }],
  [
    'upstreams[1].wire must be "chat", "responses" or "messages"; got "openai".',
    {
      upstreams: [
        { name: 'a', wire: 'chat', baseUrl },
        { name: 'b', wire: 'openai', baseUrl },
      ],
    },
  ],
  [
    'upstreams[0] has no option "baseURL". Did you mean "baseUrl"?',
    { upstreams: [{ name: 'a', wire: 'chat', baseURL: baseUrl }] },
  ],
  ['got "127.0.0.1:11434".', { upstreams: [{ name: 'a', wire: 'chat', baseUrl: '127.0.0.1:11434' }] }],
  [
    'Two upstreams are named "a".',
    {
      upstreams: [
        { name: 'a', wire: 'chat', baseUrl },
        { name: 'a', wire: 'chat', baseUrl },
      ],
    },
  ],
])('createGateway throws a TypeError that says: %s', (message, options) => {
  expect(() => createGateway(options as GatewayOptions)).toThrow(TypeError)
  expect(() => createGateway(options as GatewayOptions)).toThrow(message)
})
