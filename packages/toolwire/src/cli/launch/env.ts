/** `toolwire env`: what an agent is to be given for a gateway that runs by itself. */

import { localUrl } from '../../config/machine.ts'
import { readSettings } from '../../config/read-settings.ts'
import type { WireSet } from '../../config/wires.ts'
import { UsageError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import { didYouMean } from '../../terminal/suggest.ts'
import type { Arguments } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { orConfigFailure } from '../print-error.ts'
import { keyVariableFor } from '../serve/curl-examples.ts'
import { type Environment, machineOf, processEnvironment } from '../serve/environment.ts'
import { layersOver } from '../serve/flag-layers.ts'
import { type Agent, agents } from './agents.ts'
import { fillAgent } from './fill-agent.ts'
import { givenJson, givenText } from './given-text.ts'

export function run(args: Arguments, io: Io, wires: WireSet): Promise<number> {
  return printEnv(args, io, processEnvironment, wires)
}

export async function printEnv(args: Arguments, io: Io, world: Environment, wires: WireSet): Promise<number> {
  const agent = checkSubject(args)
  if (agent === undefined) throw new UsageError('Say for which agent.', `There are ${names().join(', ')}.`)
  return orConfigFailure(io, async () => {
    const file = args.value('config')
    const over = layersOver(args, io, wires)
    const wanted = { ...(file !== undefined && { file }), over, wires }
    const { settings } = await readSettings(wanted, io, machineOf(io, world))
    const variable = keyVariableFor(settings, io.env)
    // Agents insist on a key, also where the gateway asks for none.
    const key = variable === undefined ? 'toolwire' : `$${variable}`
    const given = fillAgent(agent, {
      url: localUrl(settings.host, settings.port),
      key,
      model: settings.model ?? (agent.needsModel === true ? unnamedModel : undefined),
      file: agent.file?.name,
    })
    if (args.flag('json')) io.stdout.write(givenJson(agent, given))
    else io.stdout.write(givenText(agent, given, new Set(variable === undefined ? [] : [key])))
    if (settings.model === undefined && agent.needsModel === true) {
      io.stderr.write(`${unnamedModel} stands for the name of a model: --model gives it.\n`)
    }
    return exitCodes.ok
  })
}

const unnamedModel = 'MODEL'

export function checkSubject({ positionals: [name, ...more] }: Arguments): Agent | undefined {
  if (more.length > 0) throw new UsageError('One agent at a time, please.')
  const agent = agents.find(each => each.name === name)
  if (name === undefined || agent !== undefined) return agent
  const hint = didYouMean(name, names()) ?? `There are ${names().join(', ')}.`
  throw new UsageError(`There is no agent "${printable(name)}".`, hint)
}

const names = (): string[] => agents.map(({ name }) => name)
