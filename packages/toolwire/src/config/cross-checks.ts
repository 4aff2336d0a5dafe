/** Checks beyond the shape of one setting: settings that contradict one another, or cannot be true. */
import { checkProfile } from '@toolwire/core'
import { hostOf } from '../gateway/upstream/host.ts'
import { withoutTrailingSlashes } from '../platform/addresses.ts'
import { show } from '../terminal/printable.ts'
import type { Problem } from './check-shape.ts'
import type { ToolwireConfig, UpstreamConfig } from './config.ts'
import { isOwnAddress } from './machine.ts'
import { builtInWireSet, type WireSet } from './wires.ts'

/** The configuration must have the right shape. */
export function crossCheck(config: ToolwireConfig, wires: WireSet = builtInWireSet): Problem[] {
  const { upstreams = [], host = '', port = 0 } = config
  return upstreams.flatMap((upstream, index) => {
    const own = isOwnAddress(upstream.baseUrl, host, port)
      ? [
          problem(
            index,
            'baseUrl',
            'is the address of this gateway itself.',
            'Give the address of a model server.',
          ),
        ]
      : []
    return [...checkName(upstreams, index), ...checkUpstream(upstream, index, wires), ...own]
  })
}

function problem(index: number, field: keyof UpstreamConfig, message: string, remedy?: string): Problem {
  const path = ['upstreams', index, field]
  const text = `"upstreams[${index}].${field}" ${message}`
  return remedy === undefined ? { path, message: text } : { path, message: text, remedy }
}

function checkName(upstreams: readonly UpstreamConfig[], index: number): Problem[] {
  const name = upstreams[index]?.name
  const first = upstreams.findIndex(upstream => upstream.name === name)
  if (first === index) return []
  const remedy = 'Give each upstream a name of its own.'
  return [problem(index, 'name', `is ${show(name)}, as that of upstreams[${first}] is.`, remedy)]
}

function checkUpstream(upstream: UpstreamConfig, index: number, wires: WireSet): Problem[] {
  const { apiKey, apiKeyEnv, forwardKey, models = [], rename = {}, headers = {} } = upstream
  const problems: Problem[] = []
  const add = (field: keyof UpstreamConfig, message: string, remedy?: string): void => {
    problems.push(problem(index, field, message, remedy))
  }
  if (!URL.canParse(upstream.baseUrl)) add('baseUrl', `is no address; got ${show(upstream.baseUrl)}.`)
  const meant = withoutRoute(upstream.baseUrl, wires)
  if (meant !== upstream.baseUrl) {
    const message = `holds the path of a wire, which the gateway adds itself; got ${show(upstream.baseUrl)}.`
    add('baseUrl', message, `Write ${show(meant)}.`)
  }
  if (apiKey !== undefined && apiKeyEnv !== undefined) {
    add('apiKeyEnv', 'contradicts "apiKey": one of the two says what the key is.', 'Leave one out.')
  }
  if (forwardKey === true && (apiKey ?? apiKeyEnv) !== undefined) {
    add('forwardKey', 'contradicts the key of this upstream: only one of them can be sent.', 'Leave one out.')
  }
  for (const name of models.filter(model => model.slice(0, -1).includes('*'))) {
    add('models', `has ${show(name)}, but "*" may only stand at the end of a name.`)
  }
  for (const [from, to] of Object.entries(rename)) {
    for (const name of [from, to].filter(model => model.slice(0, -1).includes('*'))) {
      add('rename', `has ${show(name)}, but "*" may only stand at the end of a name.`)
    }
    if (to.endsWith('*') && !from.endsWith('*')) {
      add('rename', `has ${show(to)} for ${show(from)}, but the name on the left has no "*" to take it from.`)
    }
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!headerName.test(name)) add('headers', `has ${show(name)}, which cannot be the name of a header.`)
    else if (!headerValue.test(value)) {
      add('headers', `has a value for ${show(name)} that no header can carry.`, 'Use printable ASCII only.')
    }
  }
  return [...problems, ...checkWires(upstream, index), ...checkUpstreamProfile(upstream, index, wires)]
}

/** The path of a wire at the end of an address, which people copy from pages about a server. */
function withoutRoute(baseUrl: string, wires: WireSet): string {
  const bare = withoutTrailingSlashes(baseUrl)
  const paths = wires.all.flatMap(({ service }) => service.http.routes.map(({ path }) => path))
  const copied = paths.find(path => bare.endsWith(path))
  return copied === undefined ? baseUrl : bare.slice(0, -copied.length)
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
export const headerValue: RegExp = /^[\x20-\x7e]*$/

/** The wires of an upstream, the preferred one first: as stated, or as its host is known to speak. */
export function spokenWires(upstream: UpstreamConfig): readonly string[] {
  const { wire, speaks = [] } = upstream
  if (wire !== undefined) return [...new Set([wire, ...speaks])]
  return speaks.length > 0 ? [...new Set(speaks)] : (hostOf(upstream)?.wires ?? [])
}

function checkWires(upstream: UpstreamConfig, index: number): Problem[] {
  const { wire, speaks, baseUrls = {} } = upstream
  const spoken = spokenWires(upstream)
  if (spoken.length === 0) {
    const message = `upstreams[${index}] needs "wire".`
    return [{ path: ['upstreams', index], message, remedy: 'Name the wire it speaks, or all in "speaks".' }]
  }
  const problems: Problem[] = []
  if (wire !== undefined && speaks !== undefined && !speaks.includes(wire)) {
    const message = `does not have ${show(wire)}, which "wire" says it speaks.`
    problems.push(problem(index, 'speaks', message, 'Leave "wire" out, or list it.'))
  }
  for (const name of Object.keys(baseUrls).filter(name => !spoken.includes(name))) {
    problems.push(
      problem(index, 'baseUrls', `has ${show(name)}, which it does not speak.`, 'List it in "speaks".'),
    )
  }
  return problems
}

/** A profile must not claim what one of the wires has no way to express. */
function checkUpstreamProfile(upstream: UpstreamConfig, index: number, wires: WireSet): Problem[] {
  for (const name of spokenWires(upstream)) {
    const wire = wires.find(name)
    if (wire === undefined) continue
    try {
      checkProfile(wire, upstream.profile ?? {})
    } catch (error) {
      if (!(error instanceof Error)) throw error
      return [{ path: ['upstreams', index, 'profile'], message: error.message }]
    }
  }
  return []
}

/** What is allowed, but probably a mistake. */
export function warningsFor({ upstreams = [] }: ToolwireConfig): string[] {
  const open = upstreams.filter(({ models = [] }) => models.length === 0)
  if (open.length < 2) return []
  return [
    `The upstreams ${open.map(({ name }) => name).join(' and ')} take any model; ${open[0]?.name} answers ` +
      'for all that none lists. Give the others "models", or call them as "name/model".',
  ]
}
