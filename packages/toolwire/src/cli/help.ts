/** Help texts, all from the command table. */
import type { OptionSpec } from './arguments.ts'
import type { Colors } from './colors.ts'
import { type CommandSpec, commands } from './command-table.ts'
import { exitCodeMeanings } from './exit-codes.ts'

export const globalOptions: { readonly [name: string]: OptionSpec } = {
  help: { type: 'flag', short: 'h', description: 'Show help' },
  version: { type: 'flag', short: 'V', description: 'Show the version (-v does too)' },
}

export function mainHelp(colors: Colors): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => [name, summary] as const)
  return [
    'Tools, requests, answers and streams between Chat Completions, Responses and Messages,',
    'with nothing lost in silence.',
    '',
    section('Usage', ['toolwire <command> [options]'], colors),
    section('Commands', columns([...rows, ['help <command>', 'Show the help of a command']], colors), colors),
    section('Options', optionLines(globalOptions, colors), colors),
    section(
      'Examples',
      exampleLines(
        Object.values(commands).flatMap(({ examples }) => examples.slice(0, 1)),
        colors,
      ),
      colors,
    ),
    exitCodeSection(allFailures(), colors),
    environmentSection(colors),
  ].join('\n')
}

export function commandHelp(spec: CommandSpec, colors: Colors): string {
  return [
    spec.summary,
    '',
    section('Usage', spec.usage, colors),
    ...spec.about.split('\n'),
    '',
    section('Options', optionLines({ ...spec.options, help: helpOption }, colors), colors),
    section('Examples', exampleLines(spec.examples, colors), colors),
    exitCodeSection(spec.fails, colors),
  ].join('\n')
}

export const helpOption: OptionSpec = { type: 'flag', short: 'h', description: 'Show this help' }

function section(title: string, lines: readonly string[], colors: Colors): string {
  return `${colors.bold(title)}\n${lines.map(line => `  ${line}\n`).join('')}`
}

function optionLines(options: { readonly [name: string]: OptionSpec }, colors: Colors): string[] {
  const rows = Object.entries(options).map(([name, { short, value, choices, description }]) => {
    const letter = short === undefined ? '    ' : `-${short}, `
    const long = `--${name}${value === undefined ? '' : ` <${value}>`}`
    return [
      letter + long,
      choices === undefined ? description : `${description}: ${choices.join(', ')}`,
    ] as const
  })
  return columns(rows, colors)
}

function exampleLines(examples: CommandSpec['examples'], colors: Colors): string[] {
  return examples.flatMap(([command, comment]) => [colors.dim(`# ${comment}`), command])
}

function allFailures(): string {
  return Object.entries(commands)
    .flatMap(([name, { fails }]) => (fails === undefined ? [] : [`${name}: ${fails}`]))
    .join('; ')
}

function exitCodeSection(fails: string | undefined, colors: Colors): string {
  const rows = exitCodeMeanings(fails).map(([code, meaning]) => [String(code), meaning] as const)
  return section('Exit codes', columns(rows, colors), colors)
}

function environmentSection(colors: Colors): string {
  const rows = [
    ['NO_COLOR', 'Set to anything to have no colours'],
    ['FORCE_COLOR', 'Set to 1 to have colours without a terminal'],
    ['DEBUG', 'Set to anything to see where in toolwire a bug is'],
  ] as const
  return section('Environment', columns(rows, colors), colors)
}

function columns(rows: readonly (readonly [left: string, right: string])[], colors: Colors): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `${colors.cyan(left.padEnd(width))}  ${right}`)
}
