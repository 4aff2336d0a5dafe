/** Conversations of the kind Codex holds, turn after turn, before upstreams that know only functions. */
import { describe, expect, test } from 'vitest'
import type { GatewayHarness } from '../../support/gateway/harness.ts'
import { startHarness, upstreamKey } from '../../support/gateway/harness.ts'
import type { History } from '../../support/gateway/history.ts'
import { callsOf, images, resultsOf, textsOf } from '../../support/gateway/history.ts'
import type { Step } from '../../support/gateway/script.ts'
import { createScript } from '../../support/gateway/script.ts'
import { headers, startCodex } from './codex-client.ts'
import type { Json } from './codex-tools.ts'
import { grammar, patch } from './codex-tools.ts'
import { address } from './map-tool.ts'

/** A model knows its tools by what is said of them; what they are called here is the gateway's choice. */
function call({ tools }: History, described: string, input: Json): { name: string; input: Json } {
  const tool = tools.find(({ description }) => description.startsWith(described))
  if (tool === undefined) throw new Error(`No tool is described as: ${described}`)
  return { name: tool.name, input }
}

const code = 'const s = "☔ \\\\"\nreturn s'

const withTools: readonly Step[] = [
  history => ({
    text: 'I look around.',
    calls: [
      call(history, 'Shows an image file.', { path: 'map.png' }),
      call(history, 'Runs a command.', { cmd: 'npm test' }),
      call(history, 'Searches the handbook.', { query: 'rain' }),
    ],
  }),
  history => ({
    text: 'I write it down.',
    calls: [
      call(history, 'Edits files by a patch.', { input: patch }),
      call(history, 'Finds tools that are not listed.', { query: 'tickets', limit: 3 }),
    ],
  }),
  history => ({ text: 'I report it.', calls: [call(history, 'Opens a ticket.', { title: 'Rain' })] }),
  { text: 'All is well.' },
  history => ({ text: 'Gladly.', calls: [call(history, 'Starts an agent.', { message: 'sweep' })] }),
  history => ({ text: 'Once more.', calls: [call(history, 'Edits files by a patch.', { input: patch })] }),
  { text: 'Done.' },
]

const inCodeMode: readonly Step[] = [
  history => ({ text: 'I try.', calls: [call(history, 'Runs JavaScript.', { input: code })] }),
  history => ({
    text: 'I wait.',
    calls: [
      call(history, 'Waits for a cell.', { cell_id: '1' }),
      call(history, 'Tells an agent.', { message: 'hello' }),
    ],
  }),
  { text: 'All is well.' },
  history => ({ text: 'Again.', calls: [call(history, 'Runs JavaScript.', { input: code })] }),
  { text: 'Done.' },
]

describe.each(['chat', 'messages'] as const)('a Codex conversation with an upstream on %s', to => {
  test('Custom, namespaced and searched tools are called as they were declared. [D5]', async () => {
    const script = createScript(to, withTools)
    const stage = await startHarness(script, to)
    const codex = startCodex(`${stage.baseURL}/responses`, stage.fetch, 'tools')
    const last = [await codex.turn('Mend it.').catch(String), await codex.turn('Tidy up.').catch(String)]
    expect(script.refusals).toEqual([])
    expect(last).toEqual(['All is well.', 'Done.'])
    expect(codex.items.map(shape).filter(item => item !== '')).toEqual([
      'view_image',
      'exec_command',
      'mcp__demo/search_docs',
      `custom apply_patch ${patch}`,
      'search {"query":"tickets","limit":3}',
      'mcp__tickets/create_issue',
      'multi_agent_v1/spawn_agent',
      `custom apply_patch ${patch}`,
    ])
    const heard = script.received.at(-1)
    expect(callsOf(heard).map(({ id }) => id)).toEqual(script.callIds)
    expect(resultsOf(heard).map(({ text }) => text)).toEqual([
      // On Chat these are words about where the image is.
      expect.any(String),
      '$ npm test\n12 passing',
      'About rain:read the handbook.',
      `Success. ${patch.length} characters.`,
      expect.stringContaining('create_issue'),
      '#12 Rain',
      'agent-7 works on: sweep',
      `Success. ${patch.length} characters.`,
    ])
    expect(images(heard)).toEqual([address])
    expect(textsOf(heard, 'assistant')).toEqual([
      'I look around.',
      'I write it down.',
      'I report it.',
      'All is well.',
      'Gladly.',
      'Once more.',
    ])
    const edits = heard?.tools.find(({ description }) => description.startsWith('Edits files'))
    expect(edits?.description).toContain(grammar)
    expect(edits?.schema).toMatchObject({ required: ['input'], additionalProperties: false })
    expectSmallLosses(stage)
  })

  test('Tools that stand in the input are called in their namespaces. [D5]', async () => {
    const script = createScript(to, inCodeMode)
    const stage = await startHarness(script, to)
    const codex = startCodex(`${stage.baseURL}/responses`, stage.fetch, 'additional_tools')
    const last = [await codex.turn('Mend it.').catch(String), await codex.turn('Tidy up.').catch(String)]
    expect(script.refusals).toEqual([])
    expect(last).toEqual(['All is well.', 'Done.'])
    expect(codex.items.map(shape).filter(item => item !== '')).toEqual([
      `custom functions/exec ${code}`,
      'functions/wait',
      'collaboration/send_message',
      `custom functions/exec ${code}`,
    ])
    const heard = script.received.at(-1)
    expect(callsOf(heard).map(({ id }) => id)).toEqual(script.callIds)
    expect(resultsOf(heard).map(({ text }) => text)).toEqual([
      `ran ${code.length} characters`,
      'cell 1 is done',
      'sent: hello',
      `ran ${code.length} characters`,
    ])
    const tells = heard?.tools.find(({ description }) => description.startsWith('Tells an agent.'))
    expect(tells?.schema.properties).toEqual({ message: { type: 'string', encrypted: true } })
    expectSmallLosses(stage)
  })

  test('No beta header is sent upstream, nor any other of the client. [C27]', async () => {
    const stage = await startHarness(createScript(to, [{ text: 'Good day.' }]), to)
    await startCodex(`${stage.baseURL}/responses`, stage.fetch, 'tools').turn('Hello.')
    const [received] = stage.upstreamRequests
    const names = Object.keys(received?.headers ?? {})
    expect(names.filter(name => name.includes('beta') || name in headers)).toEqual([])
    expect(JSON.stringify(received?.headers)).not.toContain('the key of the client')
    expect(received?.headers[to === 'messages' ? 'x-api-key' : 'authorization']).toContain(upstreamKey)
  })
})

/** Settings that only servers of OpenAI know, and the one tool that another server would have to run. */
const withoutPlace =
  /^(tools\.6(\.\w+)?|client_metadata|reasoning\.summary|include\.0|text\.verbosity|.*\.defer_loading)$/

function expectSmallLosses({ facts, requests }: GatewayHarness): void {
  const lost = facts.map(({ losses = [] }) => losses.map(({ path }) => path.join('.')))
  for (const path of lost.flat()) expect(path).toMatch(withoutPlace)
  expect(requests.map(({ headers }) => headers.get('x-toolwire-losses'))).toEqual(
    lost.map(paths => `${paths.length}`),
  )
}

/** A call as Codex sees it; nothing for other items. */
function shape(item: Json): string {
  const { type, name, namespace, input } = item
  const full = namespace === undefined ? `${name}` : `${namespace}/${name}`
  if (type === 'function_call') return full
  if (type === 'custom_tool_call') return `custom ${full} ${input}`
  return type === 'tool_search_call' ? `search ${JSON.stringify(item.arguments)}` : ''
}
