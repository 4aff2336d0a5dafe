/** Answers of an upstream that holds what it made, and every way in which a request can refer to it. */
import type { PendingRequest } from './upstream.ts'

/** The ids of one answer: none of them repeats, and none can be mistaken for another. */
export const idsOf = (name: string): Ids => ({
  response: `resp_${name}`,
  conversation: `conv_${name}`,
  message: `msg_${name}`,
  image: `ig_${name}`,
  container: `cntr_${name}`,
  approval: `mcpr_${name}`,
})

export interface Ids {
  readonly response: string
  readonly conversation: string
  readonly message: string
  readonly image: string
  readonly container: string
  readonly approval: string
}

function answerWith(ids: Ids): object {
  return {
    id: ids.response,
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'm',
    conversation: { id: ids.conversation },
    output: [
      {
        id: ids.message,
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'A secret of Ann’s', annotations: [] }],
      },
      { id: ids.image, type: 'image_generation_call', status: 'completed', result: null },
      {
        id: 'ci_1',
        type: 'code_interpreter_call',
        status: 'completed',
        code: 'x',
        container_id: ids.container,
        outputs: null,
      },
      { id: ids.approval, type: 'mcp_approval_request', arguments: '{}', name: 'x', server_label: 'y' },
    ],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  }
}

export function streamWith(ids: Ids): string {
  const event = (type: string, fields: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 0, ...fields })}\n\n`
  const answer = answerWith(ids) as { output: object[] }
  return [
    event('response.created', { response: { ...answer, status: 'in_progress', output: [] } }),
    ...answer.output.flatMap((item, output_index) => [
      event('response.output_item.added', { output_index, item }),
      event('response.output_item.done', { output_index, item }),
    ]),
    event('response.completed', { response: answer }),
  ].join('')
}

export function reply(asked: PendingRequest, ids: Ids): void {
  if (asked.body.stream === true) asked.stream().data(streamWith(ids)).end()
  else asked.json(200, answerWith(ids))
}

/** Every way in which a request can refer to what the upstream holds. */
export function attempts(ids: Ids): readonly (readonly [name: string, more: object])[] {
  const image = { type: 'image_generation_call', id: ids.image }
  return [
    ['continue', { previous_response_id: ids.response }],
    ['continue unkept', { previous_response_id: ids.response, store: false }],
    ['continue in the background', { previous_response_id: ids.response, background: true }],
    ['join', { conversation: ids.conversation }],
    ['join an object', { conversation: { id: ids.conversation } }],
    ['refer', { input: [{ type: 'item_reference', id: ids.message }] }],
    ['refer after others', { input: ['x', null, { type: 'item_reference', id: ids.message }] }],
    ['refer without a type', { input: [{ id: ids.message }] }],
    ['refer with no type', { input: [{ type: null, id: ids.message }] }],
    ['refer to an image', { input: [{ role: 'user', content: 'Bigger' }, image] }],
    ['refer to reasoning', { input: [{ type: 'reasoning', id: ids.message, summary: [] }] }],
    ['refer to an empty message', { input: [{ role: 'user', content: [], id: ids.message }] }],
    [
      'approve',
      { input: [{ type: 'mcp_approval_response', approval_request_id: ids.approval, approve: true }] },
    ],
    ['run in a container', { tools: [{ type: 'code_interpreter', container: ids.container }] }],
    [
      'run a shell in a container',
      {
        tools: [{ type: 'shell', environment: { type: 'container_reference', container_id: ids.container } }],
      },
    ],
  ]
}

export const routesOf = (ids: Ids): readonly (readonly [string, string, object?])[] => [
  ['GET', `/v1/responses/${ids.response}`],
  ['GET', `/v1/responses/${ids.response}?stream=true`],
  ['GET', `/v1/responses/${ids.response}/input_items`],
  ['POST', `/v1/responses/${ids.response}/cancel`],
  ['DELETE', `/v1/responses/${ids.response}`],
  ['GET', `/v1/conversations/${ids.conversation}`],
  ['POST', `/v1/conversations/${ids.conversation}`, { metadata: {} }],
  ['DELETE', `/v1/conversations/${ids.conversation}`],
  ['GET', `/v1/conversations/${ids.conversation}/items`],
  ['POST', `/v1/conversations/${ids.conversation}/items`, { items: [] }],
  ['GET', `/v1/conversations/${ids.conversation}/items/${ids.message}`],
  ['DELETE', `/v1/conversations/${ids.conversation}/items/${ids.message}`],
  ['GET', `/toolwire/traces/${ids.response}`],
]
