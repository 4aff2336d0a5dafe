/** Samples of Responses bodies for the cases that all wires share. */
import { answer, errorBody, request } from '../../../../../test/support/arbitraries/responses.ts'
import { toolsOf } from '../../../../../test/support/arbitraries/tools.ts'
import type { OddBody, WireSamples } from '../common.cases.test-helper.ts'
import { echoedFields } from './answer/envelope.ts'

const oddAnswers: readonly OddBody[] = [
  ['nothing', {}],
  ['an output of null', { output: null }],
  ['an empty error and usage', { output: [], error: {}, usage: {} }],
  [
    'items without their required fields',
    {
      output: [
        { role: 'assistant', content: 'x' },
        { type: 'reasoning' },
        { type: 'function_call', name: 'w' },
      ],
    },
  ],
  ['fields of other types', { id: 1, created_at: 'x', status: 7, usage: { input_tokens: 'x' }, error: [] }],
  ['an error that is a text', { error: 'bad' }],
  ['an error that is an empty text', { error: '' }],
  ['an empty error alone', { error: {} }],
  ['an error with an empty message', { error: { message: '' } }],
]

export const responsesSamples: WireSamples = {
  requests: request,
  answers: answer,
  errors: errorBody,
  tools: toolsOf('responses'),
  oddAnswers,
  wordKeys: ['type', 'role', 'status', 'reason', 'object', 'include', 'tool_choice'],
  echoedFields,
  finishes: { refusal: 'filter', pause: 'length', unfinished: 'length' },
}
