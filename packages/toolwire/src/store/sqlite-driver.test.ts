import process from 'node:process'
import { afterEach, expect, test, vi } from 'vitest'
import { loadDriver } from './sqlite-driver.ts'
import { StoreError } from './store-error.ts'

class Fake {
  readonly path: string
  constructor(path: string) {
    this.path = path
  }
}
class Other extends Fake {}

const missing = async (): Promise<unknown> => {
  throw new Error('Cannot find package')
}

afterEach(() => vi.restoreAllMocks())

test("Node's own module is preferred, with its new or old class name.", async () => {
  const dependency = vi.fn(missing)
  const old = await loadDriver({ builtin: () => ({ DatabaseSync: Fake }), dependency })
  expect(old.name).toBe('node:sqlite')
  expect(old.open('a.db')).toEqual(new Fake('a.db'))
  const renamed = await loadDriver({ builtin: () => ({ Database: Other, DatabaseSync: Fake }), dependency })
  expect(renamed.open('a.db')).toBeInstanceOf(Other)
  expect(dependency).not.toHaveBeenCalled()
})

test('The package is loaded when Node has no module.', async () => {
  const driver = await loadDriver({
    builtin: () => undefined,
    dependency: async () => ({ DatabaseSync: Fake }),
  })
  expect(driver.name).toBe('@photostructure/sqlite')
})

test.each([missing, async () => ({})])('Without both, the error names the remedies.', async dependency => {
  const failure = await loadDriver({ builtin: () => undefined, dependency }).catch(error => error)
  expect(failure).toBeInstanceOf(StoreError)
  expect(failure).toMatchObject({ code: 'no_driver' })
  expect(failure.message).toContain('npm install @photostructure/sqlite')
  expect(failure.message).toContain('memory store')
})

test('Only the warning that SQLite is experimental is hidden, and only while loading.', async () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const sqlite = 'SQLite is an experimental feature and might change at any time'
  await loadDriver({
    builtin: () => {
      process.emitWarning(sqlite, 'ExperimentalWarning')
      process.emitWarning('Something else is experimental', 'ExperimentalWarning')
      process.emitWarning('SQLite is old', 'DeprecationWarning')
      return { DatabaseSync: Fake }
    },
    dependency: missing,
  })
  process.emitWarning(sqlite, 'ExperimentalWarning')
  expect(emitWarning.mock.calls).toEqual([
    ['Something else is experimental', 'ExperimentalWarning'],
    ['SQLite is old', 'DeprecationWarning'],
    [sqlite, 'ExperimentalWarning'],
  ])
})

test('One of the two drivers works on this machine.', async () => {
  const connection = (await loadDriver()).open(':memory:')
  expect(connection.prepare('SELECT ? AS value').get('x')).toMatchObject({ value: 'x' })
  connection.close()
})
