/** A tool that answers with an image, and what a client that can send one is. */
import type { BuiltInWire as Wire } from '@toolwire/core'

/** One dot, which is enough of a map. */
export const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const caption = 'North is up.'
export const question = 'Show me Oslo and Rome.'

export const address = `data:image/png;base64,${pixel}`
export const description = 'Draws a map of a city.'

export interface Connection {
  readonly baseURL: string
  readonly fetch: typeof fetch
  readonly stream: boolean
}

export interface MapClient {
  readonly name: string
  readonly wire: Wire
  /** It sends what servers of its own wire refuse. */
  readonly refusedAtHome?: boolean
  /** Runs the loop and gives the last words. */
  readonly run: (connection: Connection) => Promise<string>
}

export const settings = ({ baseURL, fetch }: Connection) => ({ apiKey: 'none', baseURL, fetch })

export const endless = (): Error => new Error('The loop has no end.')
