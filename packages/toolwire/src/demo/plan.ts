/** What the model will say: a pure function of the request. */
import { fillSchema } from './arguments.ts'
import type { Choice } from './choose-calls.ts'
import { chooseCalls } from './choose-calls.ts'
import { tellResult } from './facts.ts'
import { shorten } from './json.ts'
import type { Message } from './message.ts'
import { readMessage } from './message.ts'
import type { DemoRequest } from './read-request.ts'

export interface PlannedCall {
  readonly kind: 'function' | 'custom' | 'legacy'
  readonly id: string
  readonly name: string
  readonly input: string
}

type FinishReason = 'stop' | 'length' | 'tool_calls' | 'function_call'

export interface Plan {
  readonly reasoning: string
  readonly text: string
  readonly refusal: string
  readonly calls: readonly PlannedCall[]
  /** Whether calls grow side by side when they are streamed. */
  readonly isInterleaved: boolean
  readonly finish: FinishReason
}

const empty: Plan = { reasoning: '', text: '', refusal: '', calls: [], isInterleaved: false, finish: 'stop' }

export function planAnswer(request: DemoRequest): Plan {
  if (request.behaviour === 'empty') return empty
  if (request.behaviour === 'refuse')
    return { ...empty, refusal: 'I am sorry, but I cannot help with that. (demo-refuse always says so.)' }
  // Results are answered in words, unless the request insists on a call.
  const choice = request.results.length > 0 && !request.mustCall ? undefined : chooseCalls(request)
  const plan = choice !== undefined && choice.calls.length > 0 ? callPlan(choice, request) : wordPlan(request)
  return request.reasons ? plan : { ...plan, reasoning: '' }
}

function callPlan({ calls, hasStrict, reasons, message }: Choice, request: DemoRequest): Plan {
  const names = [...new Set(calls.map(({ name }) => name))].join(' and ')
  const because = reasons.length === 0 ? '' : ` It fits the words: ${reasons.slice(0, 6).join(', ')}.`
  const count = calls.length === 1 ? 'one call' : `${calls.length} calls at once`
  return {
    ...empty,
    reasoning: `The user asks about ${asTopic(message)}. ${choosing(request)} ${names}.${because} I make ${count}.`,
    calls: calls.map((call, i) => ({ ...call, id: `call_${request.digest}_${i}` })),
    // OpenAI's own client takes a strict call for complete as soon as another one goes on, and then fails to parse it.
    isInterleaved: !hasStrict,
    finish: calls[0]?.kind === 'legacy' ? 'function_call' : 'tool_calls',
  }
}

function choosing({ tools }: DemoRequest): string {
  return tools.length === 1 ? 'I have one tool for it,' : `Of ${tools.length} tools I choose`
}

function wordPlan(request: DemoRequest): Plan {
  const message = readMessage(request.question, new Set())
  const said = request.results.length > 0 ? tellResults(request) : answerPlainly(message, request)
  const { format } = request
  if (format.type === 'text') return { ...empty, ...said }
  if (format.type === 'json_object')
    return { ...empty, ...said, text: JSON.stringify({ answer: said.text, topic: message.topic }) }
  const seed = Number.parseInt(request.digest.slice(0, 8), 16)
  const filling = { message, groups: message.groups, seed, most: 1, text: said.text }
  const [value] = fillSchema(format.schema, filling) ?? [{}]
  return { ...empty, reasoning: `${said.reasoning} The answer must be JSON.`, text: JSON.stringify(value) }
}

type Said = Pick<Plan, 'reasoning' | 'text'>

const mostTold = 20

function tellResults({ results }: DemoRequest): Said {
  const told = results.slice(0, mostTold).map(tellResult)
  const failed = told.filter(({ isFailure }) => isFailure).length
  const beyond = results.length - told.length
  const head =
    told.length === 1 ? [] : [failed === told.length ? 'None of it worked.' : 'Here is what I found.']
  const tail = beyond > 0 ? [`There are ${beyond} more results.`] : []
  return {
    reasoning: `${results.length === 1 ? 'One result is' : `${results.length} results are`} in${failed > 0 ? `, ${failed} of them a failure` : ''}. I tell the user what they say.`,
    text: [...head, ...told.map(({ sentence }) => sentence), ...tail].join(' '),
  }
}

function answerPlainly(message: Message, { tools, media }: DemoRequest): Said {
  const asked =
    message.topic === ''
      ? 'Hello! I am the demo model of toolwire.'
      : `You asked about ${asTopic(message)}. I am the demo model of toolwire: I run inside this process and know nothing of the world.`
  const seen =
    media === 0 ? '' : ` I was shown ${media === 1 ? 'an image or file' : `${media} images or files`}.`
  const names = tools.slice(0, 6).map(({ name }) => name)
  const listed = names.join(', ') + (tools.length > names.length ? ' and more' : '')
  const advice =
    names.length === 0
      ? ' Give me tools, and I will call the one that fits and tell you what it returned.'
      : ` ${message.topic === '' ? 'My tools are' : 'None of my tools fits that'}: ${listed}. Use a word of a tool's name, and I will call it.`
  return {
    reasoning: `The user asks about ${asTopic(message)}. ${names.length === 0 ? 'There are no tools to call.' : 'No tool fits the words.'} I answer in words.`,
    text: asked + seen + advice,
  }
}

function asTopic({ topic, text }: Message): string {
  const words = topic || shorten(text.trim().replace(/\s+/g, ' '), 80)
  return words === '' ? 'nothing in particular' : `“${words}”`
}
