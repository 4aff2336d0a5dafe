/** What can be completed, as plain data. */
import type { WireSet } from '../../config/wires.ts'
import { namesFor } from '../arguments.ts'
import { type CommandTable, helpOption } from '../command-spec.ts'

export interface CompletedOption {
  readonly name: string
  readonly short: string | undefined
  readonly description: string
  /** What may follow: nothing, one of these words, or anything, such as the name of a file. */
  readonly value: 'none' | 'any' | readonly string[]
}

export interface Completed {
  readonly name: string
  readonly summary: string
  /** The words that may follow the command, where it has some. */
  readonly subjects: readonly string[]
  readonly options: readonly CompletedOption[]
}

export function completedCommands(commands: CommandTable, wires: WireSet): Completed[] {
  const names = Object.keys(commands)
  const all = Object.entries(commands).map(
    ([name, { summary, usage, subjects, options }]): Completed => ({
      name,
      summary,
      subjects: subjects ?? subjectsIn(name, usage),
      options: Object.entries({ ...options, help: helpOption }).map(([option, spec]) => ({
        name: option,
        short: spec.short,
        description: spec.description,
        value:
          spec.type === 'flag'
            ? 'none'
            : spec.isWire
              ? namesFor(spec.isWire, wires)
              : (spec.choices ?? 'any'),
      })),
    }),
  )
  return [...all, { name: 'help', summary: 'Show the help of a command', subjects: names, options: [] }]
}

/** The lines of usage say them: `toolwire config print [--config <file>]`, `toolwire trace <id>|last`. */
function subjectsIn(name: string, usage: readonly string[]): string[] {
  const words = usage.flatMap(line => {
    const [, command, word = ''] = line.split(' ')
    return command === name ? word.split('|') : []
  })
  return [...new Set(words)].filter(word => /^[a-z]+$/.test(word))
}
