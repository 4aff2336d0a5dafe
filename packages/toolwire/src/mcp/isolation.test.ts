/** Only the configuration can start programs: no code that answers a request can reach the code that starts them. */
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { appSource, importsOf } from '../../../../test/support/house/source.ts'

const room = 'packages/toolwire/src'
const byPath = new Map(appSource.map(file => [file.path, file]))

function reachedFrom(start: string): { files: Set<string>; packages: Set<string> } {
  const files = new Set<string>()
  const packages = new Set<string>()
  const work = [start]
  for (let path = work.pop(); path !== undefined; path = work.pop()) {
    const file = byPath.get(path)
    if (file === undefined || files.has(path)) continue
    files.add(path)
    for (const specifier of importsOf(file)) {
      if (specifier.startsWith('.')) work.push(posix.join(posix.dirname(path), specifier))
      else packages.add(specifier)
    }
  }
  return { files, packages }
}

test('No file that the gateway imports can start programs.', () => {
  const { files, packages } = reachedFrom(`${room}/gateway/index.ts`)
  expect([...files]).toContain(`${room}/gateway/routes/handlers.ts`)
  expect([...files].filter(path => path.startsWith(`${room}/mcp/`))).toEqual([])
  expect(
    [...packages].filter(name => /child_process|worker_threads|cluster|modelcontextprotocol/.test(name)),
  ).toEqual([])
})
