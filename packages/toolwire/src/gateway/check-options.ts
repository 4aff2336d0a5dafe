/** Mistakes in the options of a gateway are the program's, so they are thrown at once, with the place and the remedy. */
import type { GatewayOptions, Upstream } from './settings.ts'

const wires: readonly string[] = ['chat', 'responses', 'messages']

/** Whoever comes from plain JavaScript has had no compiler to tell them. */
export function checkOptions(options: unknown): asserts options is GatewayOptions {
  if (!isObject(options))
    throw new TypeError(`createGateway needs options with "upstreams"; got ${kindOf(options)}.`)
  const { upstreams } = options
  if (!Array.isArray(upstreams) || upstreams.length === 0) {
    throw new TypeError(
      `"upstreams" must be a list with at least one upstream, such as { name: 'local', wire: 'chat', baseUrl: 'http://127.0.0.1:11434/v1' }; got ${kindOf(upstreams)}.`,
    )
  }
  const names = new Set<unknown>()
  for (const [index, upstream] of upstreams.entries()) {
    checkUpstream(upstream, `upstreams[${index}]`)
    if (names.has(upstream.name)) throw new TypeError(`Two upstreams are named "${upstream.name}".`)
    names.add(upstream.name)
  }
}

function checkUpstream(upstream: unknown, place: string): asserts upstream is Upstream {
  if (!isObject(upstream)) throw new TypeError(`${place} must be an upstream; got ${kindOf(upstream)}.`)
  const { name, wire, baseUrl } = upstream
  if (typeof name !== 'string' || name === '')
    throw new TypeError(`${place}.name must be a text; got ${kindOf(name)}.`)
  if (typeof wire !== 'string' || !wires.includes(wire)) {
    throw new TypeError(`${place}.wire must be "chat", "responses" or "messages"; got ${kindOf(wire)}.`)
  }
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl) || !/^https?:/i.test(baseUrl)) {
    const meant = 'baseURL' in upstream || 'url' in upstream ? ' Write it as "baseUrl".' : ''
    throw new TypeError(
      `${place}.baseUrl must be an http address such as http://127.0.0.1:11434/v1; got ${kindOf(baseUrl)}.${meant}`,
    )
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 100))
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value
}
