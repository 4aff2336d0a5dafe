/** `toolwire tour`: a conversion from end to end, on the terminal and without a network. */
import { type CallUndo, convertTools, createExchange, type FunctionCall } from '@toolwire/core'
import { type Colors, colorsFor } from '../../terminal/colors.ts'
import { UsageError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import { parseDocument } from '../../terminal/json-document.ts'
import { diagnosticsTable } from '../../terminal/table.ts'
import type { Arguments } from '../arguments.ts'
import { inDocumentOrder } from '../document-order.ts'
import { exitCodes } from '../exit-codes.ts'
import { asToolInput } from '../tool-input.ts'

const wires = { from: 'responses', to: 'chat' } as const

/** The kinds of tools a coding agent that speaks Responses sends along. */
const agentTools = [
  {
    type: 'function',
    name: 'read_file',
    description: 'Reads a file of the workspace.',
    strict: false,
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
  {
    type: 'custom',
    name: 'apply_patch',
    description: 'Edits files.',
    format: {
      type: 'grammar',
      syntax: 'lark',
      definition: 'start: "*** Begin Patch" LF hunk+ "*** End Patch"',
    },
  },
  {
    type: 'namespace',
    name: 'mcp__demo',
    description: 'A demo server.',
    tools: [
      {
        type: 'function',
        name: 'search',
        description: 'Searches the docs.',
        strict: false,
        parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
      },
    ],
  },
  { type: 'local_shell' },
  { type: 'web_search' },
]

const modelCalls: readonly FunctionCall[] = [
  { kind: 'function', name: 'apply_patch', arguments: '{"input":"*** Begin Patch\\n*** End Patch"}' },
  { kind: 'function', name: 'mcp__demo__search', arguments: '{"query":"strict mode"}' },
]

/** Two calls at once, whose results came in as they were ready. */
const agentInput = [
  { type: 'message', role: 'user', content: 'Compare the two.' },
  { type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: '{"path":"a.md"}' },
  { type: 'function_call', call_id: 'call_2', name: 'read_file', arguments: '{"path":"b.md"}' },
  { type: 'function_call_output', call_id: 'call_2', output: 'of b' },
  { type: 'function_call_output', call_id: 'call_1', output: 'of a' },
]

const itemWidth = 'function_call_output call_1'.length + 3

/** They must work where nothing but the package is. */
const nextCommands = [
  [`echo '[{"type":"web_search"}]' | npx toolwire convert tools --to chat`, 'convert tools of your own'],
  [`echo '[{"name":"get weather"}]' | npx toolwire lint --from messages`, 'see what a provider would refuse'],
  [
    `echo '{"input":"Hi","truncation":"auto"}' | npx toolwire diff`,
    'see a request on the three wires, side by side',
  ],
  ['npx toolwire explain custom_tool_wrapped', 'ask about any code'],
] as const

export async function run(args: Arguments, io: Io): Promise<number> {
  if (args.positionals.length > 0) throw new UsageError('The tour takes no arguments.')
  const { stdout, env } = io
  const colors = colorsFor(stdout, env)
  const document = parseDocument(JSON.stringify(agentTools))
  const { diagnostics, undo } = convertTools(agentTools, wires)
  const changes = inDocumentOrder(diagnostics, document, asToolInput(agentTools, 'tour'))
  const parts = [
    heading('1', 'An agent speaks Responses, the model server speaks Chat', colors),
    'Five tools go in. This is what the model gets to see:\n\n',
    ...agentTools.map(tool => toolLine(tool, colors)),
    heading('2', 'Nothing is lost in silence', colors),
    'Every change and every loss comes back as data, with the place it is about:\n\n',
    diagnosticsTable(changes, stdout, colors, 'tools'),
    heading('3', 'The way back', colors),
    'The model calls the tools it saw; the agent gets the calls it understands:\n\n',
    modelCalls.map(call => callLines(call, undo, colors)).join('\n'),
    heading('4', 'A whole conversation', colors),
    'Calls that were made at once share a message, and each result stands with its call:\n\n',
    ...conversationLines(colors),
    heading('5', 'Try it', colors),
    ...nextCommands.map(([command, why]) => `  ${colors.dim(`# ${why}`)}\n  ${colors.cyan(command)}\n`),
  ]
  stdout.write(parts.join(''))
  return exitCodes.ok
}

function heading(number: string, title: string, colors: Colors): string {
  return `\n${colors.bold(`${colors.magenta(number)}  ${title}`)}\n\n`
}

/** Each tool is converted by itself, so that its line shows what became of it and of nothing else. */
function toolLine(tool: (typeof agentTools)[number], colors: Colors): string {
  const { value } = convertTools([tool], wires)
  const before = `${tool.type.padEnd(11)} ${'name' in tool ? tool.name : ''}`.padEnd(26)
  const after = value.map(describeChatTool).join(', ')
  return `  ${before} ${colors.dim('→')}  ${after === '' ? colors.yellow('left out') : colors.green(after)}\n`
}

function describeChatTool(tool: unknown): string {
  // The encoder for Chat has just written it.
  const { function: fn } = tool as {
    function: { name: string; parameters?: { properties?: Record<string, unknown> } }
  }
  return `function ${fn.name}(${Object.keys(fn.parameters?.properties ?? {}).join(', ')})`
}

function callLines(call: FunctionCall, undo: CallUndo, colors: Colors): string {
  const restored = undo.restoreCall(call)
  return (
    `  ${colors.dim('model ')} ${call.name} ${colors.dim(call.arguments)}\n` +
    `  ${colors.dim('agent ')} ${colors.green(describeCall(restored))}\n`
  )
}

/** What the agent sends on the left, what the model server gets on the right. */
function conversationLines(colors: Colors): string[] {
  const { value } = createExchange(wires).request({ input: agentInput })
  // The encoder for Chat has just written it.
  const messages = (value as { messages: ChatMessage[] }).messages.map(describeMessage)
  const rows = agentInput.map((item, i) => [describeItem(item), messages[i] ?? ''] as const)
  return [
    `  ${colors.dim(`${'Responses items'.padEnd(itemWidth)}Chat messages`)}\n`,
    ...rows.map(([item, message]) => `  ${`${item.padEnd(itemWidth)}${colors.green(message)}`.trimEnd()}\n`),
  ]
}

function describeItem({ role, type, call_id = '' }: (typeof agentInput)[number]): string {
  return `${role ?? type} ${call_id}`
}

interface ChatMessage {
  readonly role: string
  readonly tool_call_id?: string
  readonly tool_calls?: readonly { readonly id: string }[]
}

function describeMessage({ role, tool_call_id, tool_calls = [] }: ChatMessage): string {
  return [role, ...tool_calls.map(({ id }) => id), tool_call_id ?? ''].join(' ').trimEnd()
}

function describeCall(call: ReturnType<CallUndo['restoreCall']>): string {
  switch (call.kind) {
    case 'custom':
      return `custom_tool_call ${call.name} ${JSON.stringify(call.input)}`
    case 'hosted':
      return `${call.type}_call ${call.arguments}`
    case 'function': {
      const namespace = call.namespace === undefined ? '' : ` of ${call.namespace}`
      return `function_call ${call.name}${namespace} ${call.arguments}`
    }
  }
}
