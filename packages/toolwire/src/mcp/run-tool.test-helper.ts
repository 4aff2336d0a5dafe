/** One call of one tool, as a model would make it. */
import type { CallOutcome, ToolCall } from '@toolwire/core'
import { runToolCalls } from '@toolwire/core'
import type { McpServers } from './connect-servers.ts'

export const ask = (name: string, args: object = {}): ToolCall => ({
  id: 'call_1',
  name,
  arguments: JSON.stringify(args),
})

export async function run({ tools }: McpServers, name: string, args: object = {}): Promise<CallOutcome> {
  const [outcome] = await runToolCalls([ask(name, args)], { tools })
  if (outcome === undefined) throw new Error('There is no outcome.')
  return outcome
}
