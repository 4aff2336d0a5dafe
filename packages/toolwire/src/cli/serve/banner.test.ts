import pico from 'picocolors'
import { expect, test } from 'vitest'
import { readyView } from './banner.ts'

const colors = pico.createColors(false)

const ready = {
  version: '1.0.0',
  readyMs: 1,
  url: 'http://127.0.0.1:1',
  host: '127.0.0.1',
  upstreams: [],
  found: [],
  storeDescription: 'here',
  toolCount: 0,
  file: undefined,
  isOpen: true,
  model: undefined,
}

test('The banner says how many processes serve the port, where there are several.', () => {
  expect(readyView({ ...ready, processes: 2 }, colors)).toContain(
    '  Workers    2 worker processes on one port\n',
  )
  expect(readyView({ ...ready, processes: 1 }, colors)).not.toContain('Workers')
})
