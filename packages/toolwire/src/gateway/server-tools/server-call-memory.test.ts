import type { ServerCallRecord } from '@toolwire/core'
import { expect, test } from 'vitest'
import { createServerCallMemory } from './server-call-memory.ts'

const recordOf = (callId: string): ServerCallRecord =>
  ({ callIds: [callId], text: 'x'.repeat(1000) }) as unknown as ServerCallRecord

test('An owner whose calls exceed the limit makes room with its own.', () => {
  const memory = createServerCallMemory(10_000)
  memory.add('ann', recordOf('quiet'))
  for (let i = 0; i < 100; i++) memory.add('bob', recordOf(`flood${i}`))
  expect(memory.find('ann', 'quiet')).toBeDefined()
  expect(memory.find('bob', 'flood99')).toBeDefined()
  expect(memory.find('bob', 'flood0')).toBeUndefined()
})
