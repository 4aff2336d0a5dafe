/** The machine that the gateway runs on: its addresses, and where it stores data. */
import { posix, win32 } from 'node:path'

export const usualHost = '127.0.0.1'
export const usualPort = 4141

const loopback = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1)$/i
const everywhere = /^(0\.0\.0\.0|::|)$/

/** As `listen` takes it: IPv6 without brackets. */
export function bareHost(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
}

export function isLoopback(host: string): boolean {
  return loopback.test(bareHost(host))
}

/** All addresses of this machine. */
export function isEverywhere(host: string): boolean {
  return everywhere.test(bareHost(host))
}

/** The address that a client on this machine uses. */
export function localUrl(host: string, port: number): string {
  const bare = bareHost(host)
  const name = everywhere.test(bare) ? usualHost : bare
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** Whether this is the gateway's own address, so that a request to it would go in circles. */
export function isOwnAddress(url: string, host: string, port: number): boolean {
  if (!URL.canParse(url)) return false
  const { hostname, port: given, protocol } = new URL(url)
  const target = bareHost(hostname)
  if (Number(given || (protocol === 'https:' ? 443 : 80)) !== port || port === 0) return false
  const bare = bareHost(host)
  return target === bare || (isLoopback(target) && (isLoopback(bare) || everywhere.test(bare)))
}

export interface Machine {
  readonly platform: string
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

const storeFile = 'responses.sqlite'

/** Where the system wants programs to store data between runs. */
export function defaultStorePath({ platform, home, env }: Machine): string {
  if (platform === 'win32') {
    return win32.join(env.LOCALAPPDATA || win32.join(home, 'AppData', 'Local'), 'toolwire', storeFile)
  }
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'toolwire', storeFile)
  const { XDG_STATE_HOME: state = '' } = env
  // The XDG specification says to ignore a relative path.
  const folder = posix.isAbsolute(state) ? state : posix.join(home, '.local', 'state')
  return posix.join(folder, 'toolwire', storeFile)
}
