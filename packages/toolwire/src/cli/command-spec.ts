/** What the table knows of a command, and the options that several commands have. */
import type { WireSet } from '../config/wires.ts'
import type { Io } from '../terminal/io.ts'
import type { Arguments, OptionSpec, OptionSpecs } from './arguments.ts'

export interface CommandSpec {
  readonly summary: string
  readonly usage: readonly string[]
  readonly about: string
  /** The words that may follow the command, where its usage does not list them. */
  readonly subjects?: readonly string[]
  readonly options: OptionSpecs
  /** It starts an agent. What to say of a flag that is not in the table, which may be one of the agent's own. */
  readonly ofAgent?: { readonly strangeFlag: string }
  /** When the exit code is 1; absent where it never is. */
  readonly fails?: string
  readonly examples: readonly (readonly [command: string, comment: string])[]
  /** Loaded only when the command runs. */
  readonly load: () => Promise<{
    run(args: Arguments, io: Io, wires: WireSet, commands: CommandTable): Promise<number>
    /** Throws when the first word is not one of the command's; also called before its help is shown. */
    checkSubject?(args: Arguments): void
  }>
}

export type CommandTable = { readonly [name: string]: CommandSpec }

export const helpOption: OptionSpec = { type: 'flag', short: 'h', description: 'Show this help' }

export const wiresOption: OptionSpec = {
  type: 'values',
  value: 'module',
  description: 'A module that exports wires beside the built-in ones (repeat for more)',
}

export const configOption: OptionSpec = {
  type: 'value',
  short: 'c',
  value: 'file',
  description: 'toolwire.config.{ts,js,json,jsonc} by default',
}

/** The options of every command that asks a running gateway. */
export const reachOptions: OptionSpecs = {
  config: configOption,
  url: {
    type: 'value',
    value: 'url',
    description:
      'The address of the gateway; by default that of PORT, the configuration, or the one running here',
  },
  'key-env': {
    type: 'value',
    value: 'name',
    description: 'The variable that holds a key of the gateway, where it asks for one',
  },
}

/** Which exchanges of the list are wanted. */
export const filterOptions: OptionSpecs = {
  model: {
    type: 'value',
    short: 'm',
    value: 'name',
    description: 'Only of this model; * stands for anything',
  },
  status: {
    type: 'value',
    short: 's',
    value: 'status',
    description: 'Only with this status: 200, 4xx, ok, failed or running',
  },
  losses: { type: 'flag', description: 'Only those of which something was lost' },
  text: { type: 'value', value: 'text', description: 'Only those in which this was said, in any case' },
}
