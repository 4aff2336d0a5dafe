/** The two stores of the application against the suite for all stores. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { createMemoryStore } from '../../packages/toolwire/src/store/memory-store.ts'
import { openSqliteStore } from '../../packages/toolwire/src/store/sqlite-store.ts'
import { openThreadedStore } from '../../packages/toolwire/src/store/thread/threaded-store.ts'
import { bundle } from '../support/gateway/worker-file.ts'
import { describeStore } from './describe-store.ts'

describeStore('memory', { open: async options => createMemoryStore(options) })

const folder = mkdtempSync(join(tmpdir(), 'toolwire-store-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let path = ''

const threadFile = bundle('packages/toolwire/src/store/thread/store-thread.ts', 'store-thread')

describeStore('sqlite in a thread', {
  open: async options => {
    path = join(folder, `${randomUUID()}.db`)
    return openThreadedStore({ ...options, path }, await threadFile)
  },
  again: async options => openThreadedStore({ ...options, path }, await threadFile),
})

describeStore('sqlite', {
  open: options => {
    path = join(folder, `${randomUUID()}.db`)
    return openSqliteStore({ ...options, path })
  },
  again: options => openSqliteStore({ ...options, path }),
})
