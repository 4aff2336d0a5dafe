/** Help texts, all from the command table. */

import type { WireSet } from '../config/wires.ts'
import type { Colors } from '../terminal/colors.ts'
import { wrap } from '../terminal/table.ts'
import { namesFor, type OptionSpec } from './arguments.ts'
import { type CommandSpec, helpOption } from './command-spec.ts'
import { commands } from './command-table.ts'
import { exitCodeMeanings } from './exit-codes.ts'

export const globalOptions: { readonly [name: string]: OptionSpec } = {
  help: { type: 'flag', short: 'h', description: 'Show help' },
  version: { type: 'flag', short: 'V', description: 'Show the version (-v does too)' },
}

/** Where it is printed. */
export interface Page {
  readonly colors: Colors
  /** In columns. Commands that people paste are not wrapped. */
  readonly width: number
  readonly wires: WireSet
}

export function mainHelp(page: Page): string {
  const all = Object.entries(commands)
  const rowsOf = (list: typeof all): (readonly [string, string])[] =>
    list.map(([name, { summary }]) => [name, summary])
  const agents = all.filter(([, { ofAgent }]) => ofAgent !== undefined)
  const others = all.filter(([, { ofAgent }]) => ofAgent === undefined)
  const firsts = [...agents.slice(0, 1), ...others.filter(([name]) => firstSteps.includes(name))].flatMap(
    ([, { examples }]) => examples.slice(0, 1),
  )
  return [
    ...prose(purposeOf(page.wires), page),
    '',
    section('Usage', ['toolwire <command> [options]'], page),
    section('Agents', columns(rowsOf(agents), page), page),
    section(
      'Commands',
      columns([...rowsOf(others), ['help <command>', 'Show the help of a command']], page),
      page,
    ),
    section('Options', optionLines(globalOptions, page), page),
    section('Examples', exampleLines(firsts, page), page),
    exitCodeSection(allFailures(), page),
    environmentSection(page),
  ].join('\n')
}

/** The help of each command has more; all of them would push the list of commands off the screen. */
const firstSteps: readonly string[] = ['convert', 'lint', 'serve', 'trace', 'init']

export function commandHelp(spec: CommandSpec, page: Page): string {
  return [
    ...prose(spec.summary, page),
    '',
    section('Usage', usageLines(spec, page), page),
    ...prose(spec.about, page),
    '',
    section('Options', optionLines({ ...spec.options, help: helpOption }, page), page),
    section('Examples', exampleLines(spec.examples, page), page),
    exitCodeSection(spec.fails, page),
  ].join('\n')
}

function purposeOf({ all }: WireSet): string {
  const titles = all.map(({ title }) => title)
  const list = `${titles.slice(0, -1).join(', ')} and ${titles.at(-1)}`
  return `Tools, requests, answers and streams between ${list}, with nothing lost in silence.`
}

const widestProse = 110

/** The word that a line explains, with the gap behind it. */
const term = /^\S+ {2,}/

function prose(text: string, { width }: Page): string[] {
  return paragraphs(text).flatMap(line => {
    const [word = ''] = term.exec(line) ?? []
    return hanging(word, line.slice(word.length), Math.min(width, widestProse))
  })
}

/** A line that explains a word is a paragraph; the other lines are joined into one. */
function paragraphs(text: string): string[] {
  const found: string[] = []
  for (const line of text.split('\n')) {
    const last = found.at(-1)
    if (last === undefined || term.test(line) || term.test(last)) found.push(line)
    else found[found.length - 1] = `${last} ${line}`
  }
  return found
}

/** A text behind what it belongs to, its further lines below its first. */
function hanging(head: string, text: string, width: number, headWidth: number = head.length): string[] {
  const [first = '', ...rest] = wrap(text, width - headWidth)
  return [head + first, ...rest.map(line => ' '.repeat(headWidth) + line)]
}

function section(title: string, lines: readonly string[], { colors }: Page): string {
  return `${colors.bold(title)}\n${lines.map(line => `  ${line}\n`).join('')}`
}

function usageLines({ usage }: CommandSpec, { width }: Page): string[] {
  return usage.flatMap(line => {
    const [first = '', ...rest] = wrap(line, width - 2 - deeper.length)
    return [first, ...rest.map(piece => deeper + piece)]
  })
}

const deeper = '    '

function optionLines(options: { readonly [name: string]: OptionSpec }, page: Page): string[] {
  const rows = Object.entries(options).map(([name, { short, value, isWire, choices, description }]) => {
    const values = isWire === undefined ? choices : namesFor(isWire, page.wires)
    const letter = short === undefined ? '    ' : `-${short}, `
    const long = `--${name}${value === undefined ? '' : ` <${value}>`}`
    return [
      letter + long,
      values === undefined ? description : `${description}: ${values.join(', ')}`,
    ] as const
  })
  return columns(rows, page)
}

function exampleLines(examples: CommandSpec['examples'], { colors }: Page): string[] {
  return examples.flatMap(([command, comment]) => [colors.dim(`# ${comment}`), command])
}

function allFailures(): string {
  return Object.entries(commands)
    .flatMap(([name, { fails }]) => (fails === undefined ? [] : [`${name}: ${fails}`]))
    .join('; ')
}

function exitCodeSection(fails: string | undefined, page: Page): string {
  const rows = exitCodeMeanings(fails).map(([code, meaning]) => [String(code), meaning] as const)
  return section('Exit codes', columns(rows, page), page)
}

function environmentSection(page: Page): string {
  const rows = [
    ['NO_COLOR', 'Set to anything to have no colours'],
    ['FORCE_COLOR', 'Set to 1 to have colours without a terminal'],
    ['DEBUG', 'Set to anything to see where in toolwire a bug is'],
  ] as const
  return section('Environment', columns(rows, page), page)
}

/** Inside a section, which is indented. */
function columns(
  rows: readonly (readonly [left: string, right: string])[],
  { colors, width }: Page,
): string[] {
  const leftWidth = Math.max(...rows.map(([left]) => left.length))
  return rows.flatMap(([left, right]) =>
    hanging(`${colors.cyan(left.padEnd(leftWidth))}  `, right, width - 2, leftWidth + 2),
  )
}
