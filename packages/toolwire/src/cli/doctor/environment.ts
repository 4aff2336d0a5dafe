/** What the doctor touches beyond what `serve` does. */
import { createServer } from 'node:net'
import type { Environment } from '../serve/environment.ts'
import { processEnvironment } from '../serve/environment.ts'
import { openStore } from '../serve/open-store.ts'

export interface DoctorEnvironment extends Environment {
  readonly nodeVersion: string
  readonly openStore: typeof openStore
  /** Opens the port and closes it again; rejects when it cannot be opened. */
  tryPort(host: string, port: number): Promise<void>
  /** Calls back once, unless it is called off. */
  after(milliseconds: number, callback: () => void): () => void
}

export const processDoctorEnvironment: DoctorEnvironment = {
  ...processEnvironment,
  nodeVersion: process.versions.node,
  openStore,
  tryPort: (host, port) =>
    new Promise((resolve, reject) => {
      const server = createServer()
      server.once('error', reject)
      server.listen(port, host, () => server.close(() => resolve()))
    }),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds)
    return () => clearTimeout(timer)
  },
}
