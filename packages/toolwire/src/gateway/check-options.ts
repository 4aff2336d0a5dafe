/** Mistakes in the options of a gateway are thrown at once, with the place and the remedy. */
import { isObject, refuseUnknownOptions } from '@toolwire/core/json'
import { show } from '@toolwire/core/wires'
import { gatewayNames, limitNames, tenantNames, timeoutNames, upstreamNames } from './option-names.ts'
import type { GatewayOptions, Upstream } from './settings.ts'
import { shortestSealKey } from './settings.ts'
import { tenantProblems } from './tenants/check-tenants.ts'
import { keysOf } from './tenants/tenants.ts'
import type { WiresByName } from './wires.ts'
import { listNames, registerWires } from './wires.ts'

/** Returns the wires that the gateway is to speak. Callers may come from plain JavaScript, without a compiler's checks. */
export function checkOptions(options: GatewayOptions): WiresByName {
  const given: unknown = options
  if (!isObject(given)) {
    throw new TypeError(`createGateway needs options with "upstreams"; got ${show(given)}.`)
  }
  refuseUnknownOptions('createGateway', given, gatewayNames)
  refuseUnknownOptions('"limits" of createGateway', given.limits, limitNames)
  const { upstreams } = given
  if (!Array.isArray(upstreams) || upstreams.length === 0) {
    throw new TypeError(
      `"upstreams" must be a list with at least one upstream, such as { name: 'local', wire: 'chat', baseUrl: 'http://127.0.0.1:11434/v1' }; got ${show(upstreams)}.`,
    )
  }
  checkTenants(options)
  const keys = keysOf(options)
  const shared = (options.operatorKeys ?? []).findIndex(key => keys.includes(key))
  if (shared !== -1) {
    throw new TypeError(`operatorKeys[${shared}] is also one of "keys". Operators need keys of their own.`)
  }
  const short = (options.sealKeys ?? []).findIndex(({ length }) => length < shortestSealKey)
  if (short !== -1) {
    throw new TypeError(`sealKeys[${short}] has fewer than ${shortestSealKey} characters.`)
  }
  const wires = registerWires(options.wires)
  const names = new Set<string>()
  for (const [index, upstream] of upstreams.entries()) {
    checkUpstream(upstream, `upstreams[${index}]`, wires)
    if (names.has(upstream.name)) throw new TypeError(`Two upstreams are named "${upstream.name}".`)
    names.add(upstream.name)
  }
  return wires
}

function checkTenants({ tenants = [], upstreams }: GatewayOptions): void {
  for (const [index, tenant] of tenants.entries()) {
    refuseUnknownOptions(`tenants[${index}]`, tenant, tenantNames)
  }
  const [problem] = tenantProblems(tenants, upstreams)
  if (problem !== undefined) throw new TypeError(problem.message)
}

function checkUpstream(upstream: unknown, path: string, wires: WiresByName): asserts upstream is Upstream {
  if (!isObject(upstream)) throw new TypeError(`${path} must be an upstream; got ${show(upstream)}.`)
  refuseUnknownOptions(path, upstream, upstreamNames)
  refuseUnknownOptions(`${path}.timeouts`, upstream.timeouts, timeoutNames)
  const { name, wire, baseUrl } = upstream
  if (typeof name !== 'string' || name === '') {
    throw new TypeError(`${path}.name must be a text; got ${show(name)}.`)
  }
  if (typeof wire !== 'string' || !wires.has(wire)) {
    throw new TypeError(`${path}.wire must be ${listNames(wires)}; got ${show(wire)}.`)
  }
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl) || !/^https?:/i.test(baseUrl)) {
    throw new TypeError(
      `${path}.baseUrl must be an http address such as http://127.0.0.1:11434/v1; got ${show(baseUrl)}.`,
    )
  }
}
