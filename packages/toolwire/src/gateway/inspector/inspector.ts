/** What the gateway has of the inspector: its files, and what only those know who started it. */
import { createHash } from 'node:crypto'
import type { ShareSessions } from './sessions.ts'

export interface InspectorOptions {
  /** Reads a file of the page by its name; `undefined` where there is none. Called once for each. */
  readFile(name: string): Uint8Array | undefined
  /** Whether there is one under the settings in force; asked whenever they change. Default: always. */
  isOpen?(): boolean
  /** What the health page shows beside what the gateway knows itself: plain JSON with keys masked. */
  about?(): unknown
  /** Where several processes serve it: whoever has signed in to one has signed in to all. */
  readonly shareSessions?: ShareSessions
}

export interface PageFile {
  readonly bytes: Uint8Array
  readonly etag: string
}

/** The inspector of a gateway that has one. */
export class Inspector {
  readonly #options: InspectorOptions
  readonly #files = new Map<string, PageFile | undefined>()

  constructor(options: InspectorOptions) {
    this.#options = options
  }

  get isOpen(): boolean {
    return this.#options.isOpen?.() ?? true
  }

  about(): unknown {
    return this.#options.about?.()
  }

  file(name: string): PageFile | undefined {
    if (!this.#files.has(name)) {
      const bytes = this.#options.readFile(name)
      const etag = bytes && `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
      this.#files.set(name, bytes && { bytes, etag: etag ?? '' })
    }
    return this.#files.get(name)
  }
}
