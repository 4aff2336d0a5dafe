/** An MCP server with tools for tests, for any transport. */
import { randomUUID } from 'node:crypto'
import process from 'node:process'
import type { CallToolResult, ServerContext, Tool } from '@modelcontextprotocol/server'
import { Server } from '@modelcontextprotocol/server'

/** Different for each start of the server. */
const startId = randomUUID()

/** A red square of one pixel. */
export const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

const anything = { type: 'object' } as const

const sum: Tool = {
  name: 'sum',
  title: 'Sum',
  description: 'Adds numbers.',
  inputSchema: {
    type: 'object',
    properties: { of: { type: 'array', items: { type: 'number' } } },
    required: ['of'],
  },
  outputSchema: { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] },
  annotations: { readOnlyHint: true },
}

const named = (name: string): Tool => ({ name, inputSchema: anything })

const first: readonly Tool[] = [
  sum,
  ...[
    'say',
    'fail',
    'picture',
    'nothing',
    'wait',
    'steps',
    'start-id',
    'environment',
    'long',
    'die',
    'refuse',
    'grow',
  ].map(named),
]

export interface SampleOptions {
  /** How many tools are on a page of the list. */
  readonly pageSize?: number
  /** Called when a call of `wait` is cancelled. */
  readonly onCancelled?: () => void
  readonly onWaiting?: () => void
}

export function createSampleServer(name: string, options: SampleOptions = {}): Server {
  const server = new Server({ name, version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } })
  const tools = [...first]
  server.setRequestHandler('tools/list', ({ params }) => {
    const { pageSize = tools.length } = options
    const start = Number(params?.cursor ?? 0)
    const end = start + pageSize
    return { tools: tools.slice(start, end), ...(end < tools.length && { nextCursor: String(end) }) }
  })
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    if (params.name === 'grow') {
      tools.push(named('grown'))
      await server.sendToolListChanged()
      return text('There is one more.')
    }
    return call(params.name, params.arguments ?? {}, context, options)
  })
  return server
}

async function call(
  name: string,
  args: Record<string, unknown>,
  { mcpReq }: ServerContext,
  { onCancelled, onWaiting }: SampleOptions,
): Promise<CallToolResult> {
  switch (name) {
    case 'sum': {
      const total = (args.of as number[]).reduce((all, one) => all + one, 0)
      const structuredContent = { total: args.wrong === true ? String(total) : total }
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
    }
    case 'say':
      return text(`You said ${JSON.stringify(args)}`)
    case 'fail':
      return { ...text('The disk is full.'), isError: true }
    case 'picture':
      return {
        content: [
          { type: 'text', text: 'Here it is.' },
          { type: 'image', data: pixel, mimeType: 'image/png' },
        ],
      }
    case 'nothing':
      return { content: [] }
    case 'start-id':
      return text(startId)
    case 'environment':
      return text(Object.keys(process.env).sort().join(' '))
    case 'long':
      return text('x'.repeat(Number(args.length)))
    case 'die':
      process.stderr.write('\u001b[31mout of memory\n')
      return process.exit(3)
    case 'wait':
      onWaiting?.()
      await new Promise(resolve => mcpReq.signal.addEventListener('abort', resolve))
      onCancelled?.()
      return text('Never heard.')
    case 'steps':
      for (const progress of [1, 2]) {
        const progressToken = mcpReq._meta?.progressToken ?? 0
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 2 },
        })
      }
      return text('Done.')
    default:
      throw new Error(`There is no tool ${name}`)
  }
}

function text(value: string): CallToolResult {
  return { content: [{ type: 'text', text: value }] }
}
