/** What is printed when the gateway is ready. */
import { isEverywhere, isLoopback } from '../../config/machine.ts'
import type { Upstream } from '../../gateway/settings.ts'
import type { Colors } from '../../terminal/colors.ts'
import { printable } from '../../terminal/printable.ts'
import { plural } from '../../terminal/table.ts'
import type { CurlExample } from './curl-examples.ts'
import { demoName } from './start-gateway.ts'

export interface Ready {
  readonly version: string
  readonly readyMs: number
  readonly url: string
  readonly healthUrl?: string
  /** The address it listens on. */
  readonly host: string
  readonly upstreams: readonly Upstream[]
  readonly storeDescription: string
  readonly toolCount: number
  readonly file: string | undefined
  readonly isOpen: boolean
}

export function readyView(ready: Ready, colors: Colors): string {
  const { version, readyMs, url, healthUrl, host, upstreams, storeDescription, toolCount, file, isOpen } =
    ready
  const title = `${colors.bold(colors.green('toolwire'))} ${version} ready in ${Math.round(readyMs)} ms`
  const rows: (readonly [string, string])[] = [
    ['Local', colors.cyan(url)],
    ...(healthUrl === undefined ? [] : [['Health', `${healthUrl}/live, ${healthUrl}/ready`] as const]),
    ...(isLoopback(host) ? [] : [['Network', networkText(host)] as const]),
    ...upstreamCells(upstreams).map((cell, index) => [index === 0 ? 'Upstream' : '', cell] as const),
    ...upstreams
      .filter(isDemo)
      .flatMap(demoNotes)
      .map(note => ['', note] as const),
    ['Store', printable(storeDescription)],
    ...(toolCount === 0 ? [] : [['Tools', `${plural(toolCount, 'tool')} run by the gateway`] as const]),
    ...(file === undefined ? [] : [['Config', file] as const]),
    ['Access', isOpen ? 'no key asked for' : 'with a key'],
  ]
  const lines = rows.map(([name, value]) => `  ${colors.dim(name.padEnd(9))} ${value}\n`)
  return `\n  ${title}\n\n${lines.join('')}`
}

function upstreamCells(upstreams: readonly Upstream[]): string[] {
  const nameWidth = Math.max(...upstreams.map(({ name }) => name.length))
  const wiresOf = ({ wire, speaks = [wire] }: Upstream): string => speaks.join('+')
  const wireWidth = Math.max(...upstreams.map(upstream => wiresOf(upstream).length))
  return upstreams.map(upstream => {
    const { name, baseUrl } = upstream
    const words = isDemo(upstream)
      ? 'embedded demo model, no key, no network'
      : `${printable(baseUrl)}  ${modelsOf(upstream)}`
    return `${name.padEnd(nameWidth)}  ${wiresOf(upstream).padEnd(wireWidth)}  ${words}`
  })
}

function isDemo({ name, transport }: Upstream): boolean {
  return transport !== undefined && name === demoName
}

/** It accepts any model name; most of its own names simulate faults that a client must survive. */
function demoNotes({ models = [] }: Upstream): string[] {
  return [
    `${plural(models.filter(isName).length, 'model')}; any other name is answered as "demo"`,
    'faults by name: demo-429, demo-cut, demo-stall, … (GET /v1/models)',
  ]
}

function isName(model: string): boolean {
  return model !== '*'
}

function networkText(host: string): string {
  const place = isEverywhere(host) ? `on all interfaces (${printable(host)})` : `on ${printable(host)}`
  return `${place}, for other machines too`
}

const shownModels = 3

function modelsOf({ models = [], rename = {} }: Upstream): string {
  const names = [...new Set([...models, ...Object.keys(rename)])].filter(isName)
  if (names.length === 0) return 'any model'
  const more = names.length > shownModels ? `, and ${names.length - shownModels} more` : ''
  const rest = models.every(isName) ? '' : ', and any other'
  return printable(`${names.slice(0, shownModels).join(', ')}${more}${rest}`)
}

export function tryView(lines: readonly CurlExample[], note: string | undefined, colors: Colors): string {
  const head = `\n  Try it, one line for each wire${note === undefined ? '' : ` (${note})`}:\n`
  return (
    head +
    lines.map(({ title, command }) => `\n  ${colors.dim(`# ${title}`)}\n  ${command}\n`).join('') +
    '\n'
  )
}
