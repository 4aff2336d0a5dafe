/** Addresses: which are this machine only, and how a client writes them. */

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
  const name = everywhere.test(bare) ? '127.0.0.1' : bare
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** Whether this is the gateway's own address, so that asking it would go round in circles. */
export function isOwnAddress(url: string, host: string, port: number): boolean {
  if (!URL.canParse(url)) return false
  const { hostname, port: given, protocol } = new URL(url)
  const target = bareHost(hostname)
  if (Number(given || (protocol === 'https:' ? 443 : 80)) !== port || port === 0) return false
  const bare = bareHost(host)
  return target === bare || (isLoopback(target) && (isLoopback(bare) || everywhere.test(bare)))
}
