/** The stores that the runs use: a file, and real servers where they are installed. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres, startRedis } from '../support/servers/servers.ts'

export interface Place {
  readonly name: string
  readonly store: string
  restartStore?(): Promise<void>
  stop(): Promise<void>
}

export const placeNames = ['sqlite', 'redis', 'postgres'] as const
export type PlaceName = (typeof placeNames)[number]

/** `undefined` where its server is not installed. */
export async function openPlace(name: PlaceName): Promise<Place | undefined> {
  if (name === 'sqlite') {
    const folder = mkdtempSync(join(tmpdir(), 'toolwire-scale-'))
    const stop = async (): Promise<void> => rmSync(folder, { recursive: true, force: true })
    return { name, store: join(folder, 'responses.sqlite'), stop }
  }
  const server = await (name === 'redis' ? startRedis() : startPostgres())
  return server && { name, store: server.url, restartStore: server.restart, stop: server.stop }
}
