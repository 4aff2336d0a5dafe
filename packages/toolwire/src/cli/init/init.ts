/** `toolwire init`: finds servers and keys, asks little, and writes a configuration that explains itself. */
import { isAbsolute, join } from 'node:path'
import { type EnvUpstream, upstreamsFromEnv } from '../../config/env-upstreams.ts'
import { loadConfig } from '../../config/load-config.ts'
import { builtInWireSet } from '../../config/wires.ts'
import { UsageError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import type { Arguments } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { type FoundServer, findServers, localPlaces } from '../launch/find-servers.ts'
import { orConfigFailure } from '../print-error.ts'
import { type Environment, processEnvironment } from '../serve/environment.ts'
import { version } from '../version.ts'
import { asking, type Questions } from './ask.ts'
import { configText } from './config-text.ts'

const usualName = 'toolwire.config.jsonc'

export function run(args: Arguments, io: Io): Promise<number> {
  return init(args, io, processEnvironment)
}

export async function init(args: Arguments, io: Io, world: Environment): Promise<number> {
  const [name = usualName, ...more] = args.positionals
  if (more.length > 0) throw new UsageError('One file at a time, please.')
  if (!/\.jsonc?$/.test(name)) {
    throw new UsageError(`${printable(name)} does not end in .json or .jsonc.`, `Usual is ${usualName}.`)
  }
  const prints = args.flag('print')
  return orConfigFailure(io, async () => {
    if (!prints && !args.flag('force')) await refuseExisting(args.positionals[0], io)
    const isJson = args.flag('json')
    const tell = (line: string): void => {
      if (!isJson) (prints ? io.stderr : io.stdout).write(`${line}\n`)
    }
    const servers = await findServers(builtInWireSet, world)
    const hosts = upstreamsFromEnv(io.env, servers.length === 0)
    for (const line of foundLines(servers, hosts)) tell(line)
    const isTalk = io.stdinIsTTY && io.stdout.isTTY && !isJson
    const ask = isTalk && !args.flag('yes') && !prints ? asking(io) : undefined
    const model = await chosenModel(servers, args.value('model'), ask)
    const text = configText({ servers, hosts, model, version: version() })
    if (isJson) io.stdout.write(foundJson(servers, hosts, model, prints ? { text } : { file: name }))
    else if (prints) io.stdout.write(text)
    if (!prints) {
      await io.writeFile(isAbsolute(name) ? name : join(io.cwd, name), text)
      const next =
        servers.length + hosts.length === 0
          ? 'name a server in it; until then the demo model answers at "toolwire serve".'
          : '"toolwire serve", or an agent at once, such as "toolwire codex".'
      tell(`\nWrote ${printable(name)}. Next: ${next}`)
    }
    return exitCodes.ok
  })
}

/** A configuration of any form is in the way: with two of them "serve" would not know which is meant. */
async function refuseExisting(name: string | undefined, io: Io): Promise<void> {
  const existing = name === undefined ? await loadConfig(undefined, io) : await existingFile(name, io)
  if (existing === undefined) return
  throw new UsageError(
    `There is a configuration already: ${existing.name}.`,
    'Change it by hand, print a new one with --print, or replace it with --force.',
  )
}

async function existingFile(name: string, io: Io): Promise<{ readonly name: string } | undefined> {
  try {
    for await (const _ of io.read(isAbsolute(name) ? name : join(io.cwd, name))) break
    return { name: printable(name) }
  } catch {
    return undefined
  }
}

/** No key is among it, only the variables that hold them. */
function foundJson(
  servers: readonly FoundServer[],
  hosts: readonly EnvUpstream[],
  model: string | undefined,
  written: { readonly file: string } | { readonly text: string },
): string {
  const all = {
    ...written,
    servers: servers.map(({ host: { title, baseUrl }, models }) => ({ title, baseUrl, models })),
    hosts: hosts.map(({ upstream: { name, baseUrl, apiKeyEnv } }) => ({ name, baseUrl, apiKeyEnv })),
    model,
  }
  return `${JSON.stringify(all, null, 2)}\n`
}

function foundLines(servers: readonly FoundServer[], hosts: readonly EnvUpstream[]): string[] {
  const lines = [
    ...servers.map(({ host: { title, baseUrl }, models }) => {
      const names = models.length === 0 ? 'no model yet' : models.slice(0, 5).map(printable).join(', ')
      return `Found ${title} at ${baseUrl}: ${names}${models.length > 5 ? ', …' : ''}`
    }),
    ...hosts.map(({ upstream: { name, apiKeyEnv, baseUrl } }) =>
      apiKeyEnv === undefined ? `Found ${name} at ${baseUrl}` : `Found a key for ${name} in ${apiKeyEnv}`,
    ),
  ]
  if (lines.length > 0) return lines
  return [`Found no model server (looked for ${localPlaces()}) and no key in the environment.`]
}

/** The model for names that no upstream lists, such as those that agents bring along. */
async function chosenModel(
  servers: readonly FoundServer[],
  asked: string | undefined,
  ask: Questions | undefined,
): Promise<string | undefined> {
  const models = servers.flatMap(server => server.models)
  const [first] = models
  if (asked !== undefined && !models.includes(asked)) throw noSuchModel(asked, servers)
  if (asked !== undefined || first === undefined || ask === undefined) return asked ?? first
  return ask.choose('Which model is to answer for names that none of these has?', models)
}

function noSuchModel(model: string, servers: readonly FoundServer[]): UsageError {
  const lists = servers.map(
    ({ host: { title }, models }) => `${title} has ${models.map(printable).join(', ') || 'no model yet'}.`,
  )
  return new UsageError(
    `No model server on this machine has the model "${printable(model)}".`,
    lists.length === 0 ? `None was found: looked for ${localPlaces()}.` : lists.join(' '),
  )
}
