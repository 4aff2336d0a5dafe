/** All checks, in the order in which a gateway would fail. */

import type { Settings, ToolwireConfig } from '../../config/config.ts'
import type { LocatedProblem } from '../../config/config-error.ts'
import { ConfigError } from '../../config/config-error.ts'
import { conventionalKeyEnv } from '../../config/env-upstreams.ts'
import { isLoopback } from '../../config/machine.ts'
import type { Read, Wanted } from '../../config/read-settings.ts'
import { readSettings } from '../../config/read-settings.ts'
import { unknownAddress } from '../../config/resolve-settings.ts'
import { WireSet } from '../../config/wires.ts'
import type { Io } from '../../terminal/io.ts'
import { plural } from '../../terminal/table.ts'
import { machineOf } from '../serve/environment.ts'
import { envLayers } from '../serve/flag-layers.ts'
import type { Check, DoctorEnvironment } from './check-machine.ts'
import { checkNode, checkPort, checkStore, ok, problem, warning } from './check-machine.ts'
import { checkUpstream } from './check-upstream.ts'

export async function examine(wanted: Wanted, io: Io, world: DoctorEnvironment): Promise<Check[]> {
  const node = checkNode(world.nodeVersion)
  const read = await readOrTell(wanted, io, world)
  if (Array.isArray(read)) return [node, ...read]
  const { settings } = read
  const wires = new WireSet(settings.wires)
  const timed = (name: string, work: Promise<Check | Check[]>): Promise<Check[]> =>
    withinTime(
      name,
      work.then(found => [found].flat()),
      world,
    )
  // What is missing for an address was told with the configuration.
  const reachable = settings.upstreams.filter(({ baseUrl }) => baseUrl !== unknownAddress)
  const [upstreams, store, port, mcp] = await Promise.all([
    Promise.all(
      reachable.map(upstream => timed(`upstream ${upstream.name}`, checkUpstream(upstream, wires, world))),
    ),
    timed('store', checkStore(settings, world)),
    timed('port', checkPort(settings, world)),
    timed('mcp', checkMcp(settings)),
  ])
  const demo =
    settings.upstreams.length === 0 ? [ok('upstream demo', 'The embedded demo model answers.')] : []
  return [
    node,
    ...checkConfig(read),
    ...checkKeys(read, io.env),
    ...[...demo, ...upstreams.flat()],
    ...mcp,
    ...store,
    ...port,
    ...checkAccess(settings, read.problems),
  ]
}

async function readOrTell(wanted: Wanted, io: Io, world: DoctorEnvironment): Promise<Read | Check[]> {
  try {
    const over = envLayers(io.env)
    return await readSettings({ ...wanted, over }, io, machineOf(io, world))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const rest = warning('others', 'Nothing else was looked at, as the configuration is wrong.')
    return [...error.problems.map(item => asCheck('config', item)), rest]
  }
}

function asCheck(name: string, { where, message, remedy }: LocatedProblem): Check {
  return problem(name, where === undefined ? message : `${where}: ${message}`, remedy)
}

function checkConfig({ file, problems, warnings }: Read): Check[] {
  const wrong = problems
    .filter(({ variable, path }) => variable === undefined && path?.[0] !== 'host')
    .map(item => asCheck('config', item))
  if (wrong.length > 0) return wrong
  const doubts = warnings.map(text => warning('config', text))
  return [
    ok('config', file === undefined ? 'No configuration file, which is fine.' : `${file} is well formed.`),
    ...doubts,
  ]
}

/** Whether the variables for keys are set; their values are never shown. */
function checkKeys({ settings, problems }: Read, env: Io['env']): Check[] {
  const { upstreams = [], keysEnv, operatorKeysEnv }: ToolwireConfig = settings.config
  // A missing key that is no problem, as there are other upstreams, is among the warnings about the configuration.
  const isWarned = (name: string, key: string): boolean =>
    settings.upstreams.some(upstream => upstream.name === name && upstream.disabled !== undefined) &&
    !env[key]?.trim() &&
    !problems.some(({ variable }) => variable === key)
  const needed = upstreams.flatMap(({ name, baseUrl, apiKey, apiKeyEnv, forwardKey }) => {
    const variable =
      apiKeyEnv ??
      (apiKey === undefined && forwardKey !== true ? conventionalKeyEnv(baseUrl, env) : undefined)
    return variable === undefined || isWarned(name, variable)
      ? []
      : [{ variable, use: `for upstream ${name}` }]
  })
  const all = [
    ...needed,
    ...(keysEnv === undefined ? [] : [{ variable: keysEnv, use: 'for clients' }]),
    ...(operatorKeysEnv === undefined ? [] : [{ variable: operatorKeysEnv, use: 'for operators' }]),
  ]
  return all.map(({ variable, use }) =>
    env[variable]?.trim()
      ? ok('key', `${variable}, ${use}, is set.`)
      : problem('key', `${variable}, ${use}, is missing.`, `Set it before starting: export ${variable}=…`),
  )
}

function checkAccess({ host, keys }: Settings, problems: Read['problems']): Check[] {
  const exposed = problems.filter(({ path }) => path?.[0] === 'host')
  if (exposed.length > 0) return exposed.map(item => asCheck('access', item))
  if (keys.length > 0) return [ok('access', `${host}, with a key.`)]
  if (isLoopback(host)) return [ok('access', `${host}, from this machine only.`)]
  const remedy = 'Ask for keys with "keysEnv", or listen on 127.0.0.1.'
  return [warning('access', `${host}, for everyone who reaches this machine, without a key.`, remedy)]
}

async function checkMcp({ mcpServers }: Settings): Promise<Check[]> {
  const names = Object.keys(mcpServers)
  if (names.length === 0) return []
  const { connectMcpServers } = await import('../../mcp/connect-servers.ts')
  try {
    const servers = await connectMcpServers(mcpServers)
    try {
      return names.flatMap(name => {
        const wrong = servers.problems.filter(({ server }) => server === name)
        if (wrong.length > 0) return wrong.map(({ message }) => problem(`mcp ${name}`, message))
        const count = servers.tools.filter(({ server }) => server === name).length
        return [ok(`mcp ${name}`, `Offers ${plural(count, 'tool')}.`)]
      })
    } finally {
      await servers.close()
    }
  } catch (error) {
    return [problem('mcp', error instanceof Error ? error.message : String(error))]
  }
}

/** Longer than every timeout inside a check. */
const patienceMs = 40_000

/** A check that hangs must not hide the results of the others. */
function withinTime(
  name: string,
  work: Promise<Check[]>,
  { after }: Pick<DoctorEnvironment, 'after'>,
): Promise<Check[]> {
  return new Promise((resolve, reject) => {
    const callOff = after(patienceMs, () => {
      const remedy = 'What it waits for hangs: look at the disk, the network or the program behind it.'
      resolve([problem(name, `No answer within ${patienceMs / 1000} s.`, remedy)])
    })
    work.then(resolve, reject).finally(callOff)
  })
}
