/** The tools of an MCP server that is started for the purpose, or that listens at an address. */
import { connectMcpServers } from '../../../mcp/connect-servers.ts'
import { ReachError } from '../../../terminal/errors.ts'
import type { Io } from '../../../terminal/io.ts'
import { printable } from '../../../terminal/printable.ts'
import { version } from '../../version.ts'
import type { LintSource } from './lint-source.ts'
import { made } from './read-sources.ts'

export async function readMcpSource(command: string, io: Io): Promise<LintSource> {
  const [program = '', ...args] = wordsOf(command)
  const server = /^https?:/.test(program) ? { url: program } : { command: program, args }
  const onLog = (_: string, line: string): void => void io.stderr.write(`${printable(line)}\n`)
  const servers = await connectMcpServers({ mcp: server }, { version: version(), onLog }).catch(
    (error: unknown) => {
      throw new ReachError(
        printable(command),
        printable(error instanceof Error ? error.message : String(error)),
      )
    },
  )
  try {
    const [problem] = servers.problems
    if (problem !== undefined) throw new ReachError(printable(command), printable(problem.message))
    // As the server lists them, so that they are judged for every wire.
    const tools = servers.tools.map(({ name, description, parameters }) => ({
      name,
      ...(description !== undefined && { description }),
      inputSchema: parameters,
    }))
    return made(command, '', tools)
  } finally {
    await servers.close()
  }
}

/** As a shell parts words, without its expansions. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')
}
