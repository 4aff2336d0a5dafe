/** The tools that Codex declares, in its two ways, and what running them gives. */
import { address } from './map-tool.ts'

export type Json = { readonly [key: string]: unknown }

/** Running a call, as Codex answers it: the item that goes back, without its ids. */
export type Tool = (input: Json) => string | readonly Json[]

const object = (properties: Json, required: readonly string[] = []): Json => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

const fn = (name: string, description: string, parameters: Json): Json => ({
  type: 'function',
  name,
  description,
  strict: false,
  parameters,
})

const text = { type: 'string' }

export const grammar = `start: begin_patch hunk+ end_patch
begin_patch: "*** Begin Patch" LF
end_patch: "*** End Patch" LF?
hunk: "*** Add File: " filename LF add_line+
filename: /(.+)/
add_line: "+" /(.*)/ LF
%import common.LF
`

export const patch = `*** Begin Patch
*** Add File: notes "today".txt
+It rains \\ 40 % ☔
*** End Patch
`

const applyPatch: Json = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Edits files by a patch.',
  format: { type: 'grammar', syntax: 'lark', definition: grammar },
}

const agents: Json = {
  type: 'namespace',
  name: 'multi_agent_v1',
  description: 'Other agents.',
  tools: [
    fn('spawn_agent', 'Starts an agent.', object({ message: text }, ['message'])),
    fn('close_agent', 'Ends an agent.', object({ id: text }, ['id'])),
  ],
}

const docs: Json = {
  type: 'namespace',
  name: 'mcp__demo',
  description: 'Tools of the server demo.',
  tools: [fn('search_docs', 'Searches the handbook.', object({ query: text }, ['query']))],
}

/** What a search for tools finds; not declared before. */
export const found: Json = {
  type: 'namespace',
  name: 'mcp__tickets',
  description: 'Tools of the server tickets.',
  tools: [
    { ...fn('create_issue', 'Opens a ticket.', object({ title: text }, ['title'])), defer_loading: true },
  ],
}

export const declared: readonly Json[] = [
  fn('exec_command', 'Runs a command.', object({ cmd: text, workdir: text }, ['cmd'])),
  fn('view_image', 'Shows an image file.', object({ path: text }, ['path'])),
  applyPatch,
  agents,
  docs,
  {
    type: 'tool_search',
    execution: 'client',
    description: 'Finds tools that are not listed.',
    parameters: object({ query: text, limit: { type: 'number' } }, ['query']),
  },
  { type: 'web_search', external_web_access: false },
]

/** Code mode: all tools in one item of the input, in namespaces. */
export const additional: readonly Json[] = [
  {
    type: 'namespace',
    name: 'functions',
    description: 'Code mode.',
    tools: [
      {
        type: 'custom',
        name: 'exec',
        description: 'Runs JavaScript.',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: /(.|\\n)+/' },
      },
      fn('wait', 'Waits for a cell.', object({ cell_id: text }, ['cell_id'])),
    ],
  },
  {
    type: 'namespace',
    name: 'collaboration',
    description: 'Other agents.',
    // The keyword is Codex's own, no dialect has it.
    tools: [
      fn('send_message', 'Tells an agent.', object({ message: { ...text, encrypted: true } }, ['message'])),
    ],
  },
]

/** By the names that Codex dispatches on; a call under any other name is answered as unsupported. */
export const functions: Readonly<Record<string, Tool>> = {
  exec_command: ({ cmd }) => `$ ${cmd}\n12 passing`,
  view_image: () => [{ type: 'input_image', image_url: address }],
  'mcp__demo/search_docs': ({ query }) => [
    { type: 'input_text', text: `About ${query}:` },
    { type: 'input_text', text: 'read the handbook.' },
  ],
  'multi_agent_v1/spawn_agent': ({ message }) => `agent-7 works on: ${message}`,
  'mcp__tickets/create_issue': ({ title }) => [{ type: 'input_text', text: `#12 ${title}` }],
  'functions/wait': ({ cell_id }) => `cell ${cell_id} is done`,
  'collaboration/send_message': ({ message }) => `sent: ${message}`,
}

export const customs: Readonly<Record<string, (input: string) => string | readonly Json[]>> = {
  apply_patch: input => `Success. ${input.length} characters.`,
  'functions/exec': input => [{ type: 'input_text', text: `ran ${input.length} characters` }],
}
