import { describe, expect, test } from 'vitest'
import { defaultStorePath, isLoopback, isOwnAddress, localUrl } from './machine.ts'

test.each([
  ['127.0.0.1', true],
  ['127.8.9.1', true],
  ['localhost', true],
  ['::1', true],
  ['[::1]', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['127.0.0.1.evil.test', false],
  ['localhost.evil.test', false],
])('The host %s is this machine only: %s.', (host, expected) => {
  expect(isLoopback(host)).toBe(expected)
})

test.each([
  ['127.0.0.1', 'http://127.0.0.1:80'],
  ['0.0.0.0', 'http://127.0.0.1:80'],
  ['::1', 'http://[::1]:80'],
  ['box.test', 'http://box.test:80'],
])('A client reaches %s at %s.', (host, expected) => {
  expect(localUrl(host, 80)).toBe(expected)
})

test.each([
  ['http://127.0.0.1:4141/v1', '127.0.0.1', 4141, true],
  ['http://localhost:4141/v1', '0.0.0.0', 4141, true],
  ['http://[::1]:4141/v1', '127.0.0.1', 4141, true],
  ['http://127.0.0.1:11434/v1', '127.0.0.1', 4141, false],
  ['http://other.test:4141/v1', '127.0.0.1', 4141, false],
  ['http://box.test:4141/v1', 'box.test', 4141, true],
  ['https://localhost', '127.0.0.1', 443, true],
  ['http://127.0.0.1:4141/v1', '127.0.0.1', 0, false],
  ['not an address', '127.0.0.1', 4141, false],
])('The address %s is that of a gateway on %s:%s: %s.', (url, host, port, expected) => {
  expect(isOwnAddress(url, host, port)).toBe(expected)
})

describe('the store lies', () => {
  test.each([
    ['linux', {}, '/home/me/.local/state/toolwire/responses.sqlite'],
    ['linux', { XDG_STATE_HOME: '/var/me' }, '/var/me/toolwire/responses.sqlite'],
    ['linux', { XDG_STATE_HOME: 'relative' }, '/home/me/.local/state/toolwire/responses.sqlite'],
    ['freebsd', {}, '/home/me/.local/state/toolwire/responses.sqlite'],
    ['darwin', {}, '/home/me/Library/Application Support/toolwire/responses.sqlite'],
  ])('On %s with %j the store is at %s.', (platform, env, expected) => {
    expect(defaultStorePath({ platform, env, home: '/home/me' })).toBe(expected)
  })

  test('On Windows the store is in the folder for local data.', () => {
    const machine = { platform: 'win32', home: 'C:\\Users\\me' }
    expect(defaultStorePath({ ...machine, env: {} })).toBe(
      'C:\\Users\\me\\AppData\\Local\\toolwire\\responses.sqlite',
    )
    expect(defaultStorePath({ ...machine, env: { LOCALAPPDATA: 'D:\\data' } })).toBe(
      'D:\\data\\toolwire\\responses.sqlite',
    )
  })
})
