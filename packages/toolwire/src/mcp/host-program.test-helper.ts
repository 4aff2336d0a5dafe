/** A program that uses an MCP server and then exits or throws. It first prints the ids of the processes. */
import process from 'node:process'
import { connectMcpServers } from './connect-servers.ts'

export async function host(serverProgram = '', mode = '', end = ''): Promise<void> {
  await connectMcpServers(
    { sample: { command: process.execPath, args: [serverProgram, mode] } },
    { onLog: (_, line) => line.startsWith('pids ') && process.stdout.write(`${line}\n`) },
  )
  process.stdin.once('data', () => {
    if (end === 'exit') process.exit(1)
    throw new Error('Nobody catches this.')
  })
}
