/** What is printed when the gateway is ready, and what its keys do. */
import { hosts } from '@toolwire/core/presets'
import { isEverywhere, isLoopback } from '../../config/machine.ts'
import type { Upstream } from '../../gateway/settings.ts'
import type { Colors } from '../../terminal/colors.ts'
import { padToWidth } from '../../terminal/display-width.ts'
import { printable } from '../../terminal/printable.ts'
import { plural } from '../../terminal/table.ts'
import { type FoundModels, modelsText, someOf } from '../upstreams/models-found.ts'
import type { CurlExample } from './curl-examples.ts'
import type { HotKey } from './hot-keys.ts'
import { demoName } from './start-gateway.ts'

export interface Ready {
  readonly version: string
  readonly readyMs: number
  readonly url: string
  readonly healthUrl?: string
  readonly inspectorUrl?: string
  /** The address it listens on. */
  readonly host: string
  readonly upstreams: readonly Upstream[]
  /** For each upstream, in their order. */
  readonly found: readonly (FoundModels | undefined)[]
  readonly storeDescription: string
  /** How many processes serve the port. */
  readonly processes: number
  readonly toolCount: number
  readonly file: string | undefined
  readonly isOpen: boolean
  /** Answers every name. */
  readonly model: string | undefined
}

type Row = readonly [name: string, value: string]

export function readyView(ready: Ready, colors: Colors): string {
  const { version, readyMs, url, healthUrl, inspectorUrl, host, storeDescription, toolCount, file, isOpen } =
    ready
  const { model, processes } = ready
  const title = `${colors.bold(colors.green('toolwire'))} ${version} ready in ${Math.round(readyMs)} ms`
  const rows: readonly Row[] = [
    ...baseUrlRows(url, colors),
    ...(inspectorUrl === undefined ? [] : [['Inspector', colors.bold(colors.cyan(inspectorUrl))] as const]),
    ...(healthUrl === undefined ? [] : [['Health', `${healthUrl}/live, ${healthUrl}/ready`] as const]),
    ...(isLoopback(host) ? [] : [['Network', networkText(host)] as const]),
    ...upstreamRows(ready, colors),
    ...(model === undefined ? [] : [['Model', `${printable(model)}, whatever a request names`] as const]),
    ['Store', printable(storeDescription)],
    ...(processes === 1 ? [] : [['Workers', `${processes} worker processes on one port`] as const]),
    ...(toolCount === 0 ? [] : [['Tools', `${plural(toolCount, 'tool')} run by the gateway`] as const]),
    ...(file === undefined ? [] : [['Config', file] as const]),
    ['Access', isOpen ? 'no key asked for; clients may send any' : 'with a key'],
  ]
  const lines = rows.map(([name, value]) => `  ${colors.dim(name.padEnd(9))}  ${value}\n`)
  return `\n  ${title}\n\n${lines.join('')}`
}

/** What to paste, for each family of clients: the address as its own variable has it. */
function baseUrlRows(url: string, colors: Colors): Row[] {
  const named = hosts.flatMap(({ title, environment }) => (environment ? [{ title, ...environment }] : []))
  // Many hosts are reached with the clients of the first.
  const families = [true, false]
    .flatMap(adds => named.find(({ addsVersion = false }) => addsVersion === adds) ?? [])
    .reverse()
  const addresses = families.map(({ addsVersion }) => (addsVersion ? url : `${url}/v1`))
  const width = Math.max(...addresses.map(address => address.length))
  return families.map(({ title, baseUrl }, i) => [
    title,
    `${colors.bold(colors.cyan(padToWidth(addresses[i] ?? url, width)))}  ${colors.dim(baseUrl)}`,
  ])
}

function upstreamRows({ upstreams, found }: Ready, colors: Colors): Row[] {
  const nameWidth = Math.max(...upstreams.map(({ name }) => name.length))
  const wiresOf = ({ wire, speaks = [wire] }: Upstream): string => speaks.join('+')
  const wireWidth = Math.max(...upstreams.map(upstream => wiresOf(upstream).length))
  return upstreams.flatMap((upstream, i): Row[] => {
    const { name, baseUrl } = upstream
    const place = isDemo(upstream) ? 'embedded demo model, no key, no network' : printable(baseUrl)
    const notes = isDemo(upstream) ? demoNotes(upstream) : modelNotes(upstream, found[i], colors)
    const head = `${printable(name).padEnd(nameWidth)}  ${wiresOf(upstream).padEnd(wireWidth)}  ${place}`
    return [[i === 0 ? 'Upstream' : '', head], ...notes.map(note => ['', `  ${note}`] as const)]
  })
}

function modelNotes(upstream: Upstream, found: FoundModels | undefined, colors: Colors): string[] {
  const stated = statedModels(upstream)
  if (upstream.disabled !== undefined) return [...stated, colors.yellow('left out, see the warning')]
  const said = found === undefined ? [] : [modelsText(found)]
  const isWell = found?.failure === undefined && (found?.status ?? 200) < 400
  return [...stated, ...said.map(text => (isWell ? text : colors.yellow(text)))]
}

function isDemo({ name, transport }: Upstream): boolean {
  return transport !== undefined && name === demoName
}

/** It accepts any model name; most of its own names simulate faults that a client must survive. */
function demoNotes({ models = [] }: Upstream): string[] {
  return [
    `${plural(models.filter(isName).length, 'model')}; any other name is answered as "demo"`,
    'faults by name: demo-429, demo-cut, … (GET /v1/models)',
  ]
}

function isName(model: string): boolean {
  return model !== '*'
}

function networkText(host: string): string {
  const place = isEverywhere(host) ? `on all interfaces (${printable(host)})` : `on ${printable(host)}`
  return `${place}, for other machines too`
}

/** Which names are sent to it, where the settings say so. */
function statedModels({ models = [], rename = {} }: Upstream): string[] {
  const names = [...new Set([...models, ...Object.keys(rename)])].filter(isName)
  const { '*': target } = rename
  // One that lists no models is sent every name that nobody else lists.
  const isOpen = target !== undefined || models.length === 0 || !models.every(isName)
  const as = target === undefined ? '' : ` as ${printable(target)}`
  if (names.length === 0) return target === undefined ? [] : [`serves any name${as}`]
  return [`serves ${someOf(names)}${isOpen ? `, and any other${as}` : ''}`]
}

export function tryView(lines: readonly CurlExample[], note: string | undefined, colors: Colors): string {
  const head = `\n  Try it, one line for each wire${note === undefined ? '' : ` (${note})`}:\n`
  return (
    head +
    lines.map(({ title, command }) => `\n  ${colors.dim(`# ${title}`)}\n  ${command}\n`).join('') +
    '\n'
  )
}

/** One line that names the keys. */
export function keysLine(keys: readonly HotKey[], colors: Colors): string {
  return `\n  ${keys.map(({ key, name }) => `${colors.bold(key)} ${colors.dim(name)}`).join('   ')}\n\n`
}

/** The keys with what they do. */
export function keysView(keys: readonly HotKey[], colors: Colors): string {
  return `\n${keys.map(({ key, about }) => `  ${colors.bold(colors.cyan(key))}  ${about}\n`).join('')}`
}
