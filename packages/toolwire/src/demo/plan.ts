/** What the model will answer: a pure function of the request. */
import { fillSchema, inputsFor } from './fill-arguments.ts'
import { shorten } from './json.ts'
import { wordsOf } from './message-words.ts'
import { judge } from './never-destroy.ts'
import type { DemoRequest } from './read-request.ts'
import type { DemoTool } from './read-tools.ts'
import { describeResult } from './results.ts'

export interface PlannedCall {
  readonly kind: DemoTool['kind']
  readonly id: string
  readonly name: string
  readonly input: string
}

export interface Plan {
  readonly reasoning: string
  readonly text: string
  readonly refusal: string
  readonly calls: readonly PlannedCall[]
  /** Whether the pieces of several calls alternate in a stream. */
  readonly isInterleaved: boolean
  readonly finish: 'stop' | 'length' | 'tool_calls' | 'function_call'
}

const empty: Plan = { reasoning: '', text: '', refusal: '', calls: [], isInterleaved: false, finish: 'stop' }

const mostCalls = 8
const mostResults = 20
const mostToolNames = 6

export function planAnswer(request: DemoRequest): Plan {
  if (request.behaviour === 'empty') return empty
  if (request.behaviour === 'refuse')
    return { ...empty, refusal: 'I am sorry, but I cannot help with that. (demo-refuse always says so.)' }
  // Results are answered in words, unless the request forces a call.
  const chosen = request.results.length > 0 && !request.mustCall ? undefined : chooseTool(request)
  const plan = chosen === undefined ? planText(request) : (planCalls(chosen, request) ?? decline(chosen.tool))
  return request.showsReasoning ? plan : { ...plan, reasoning: '' }
}

interface ChosenTool {
  readonly tool: DemoTool
  /** The words it shares with the message. */
  readonly words: readonly string[]
}

/** A word of the name says more about a tool than one of its description. */
const nameWeight = 4
/** Descriptions begin with what the tool does; the rest is advice. */
const describingWords = 40
const mostMessageWords = 2000

/** `undefined` when no tool shares a word with the message and the request does not force a call. Forced, it takes a safe one. */
function chooseTool({ tools, question, mustCall }: DemoRequest): ChosenTool | undefined {
  const asked = wordsOf(question, mostMessageWords)
  let best: ChosenTool | undefined
  let most = mustCall ? -1 : 0
  const safe = tools.filter(tool => judge(tool).use !== 'none')
  for (const tool of mustCall && safe.length > 0 ? safe : tools) {
    const inName = wordsOf(tool.name, 12)
    const all = new Set([...inName, ...wordsOf(tool.description, describingWords)])
    const words = [...all].filter(word => asked.has(word))
    const score = words.reduce((sum, word) => sum + (inName.has(word) ? nameWeight : 1), 0)
    if (score <= most) continue
    best = { tool, words }
    most = score
  }
  return best
}

/** `undefined` where a call could change something that is there. */
function planCalls({ tool, words }: ChosenTool, request: DemoRequest): Plan | undefined {
  if (judge(tool).use === 'none') return undefined
  const { kind, name, isStrict } = tool
  const { question, digest, isParallel } = request
  const inputs = inputsFor(tool, {
    message: question,
    text: question.trim() || 'Hello',
    seed: seedOf(request),
    digest,
    most: isParallel ? mostCalls : 1,
  })
  if (inputs.length === 0) return undefined
  const because = words.length === 0 ? 'A call is forced.' : `It shares these words: ${words.join(', ')}.`
  return {
    ...empty,
    reasoning: `${topicOf(request)} Of ${plural(request.tools.length, 'tool')} I choose ${name}. ${because} I make ${plural(inputs.length, 'call')}.`,
    calls: inputs.map((input, i) => ({ kind, name, input, id: `call_${digest}_${i}` })),
    // OpenAI's own client takes a strict call for complete as soon as another one goes on, and fails to parse it.
    isInterleaved: !isStrict,
    finish: kind === 'legacy' ? 'function_call' : 'tool_calls',
  }
}

function decline(tool: DemoTool): Plan {
  const verdict = judge(tool)
  const why = verdict.use === 'none' ? verdict.reason : 'would change something with these arguments'
  return {
    ...empty,
    reasoning: `${tool.name} ${why}. I decline.`,
    text: `I am the demo model of toolwire, and I do not call ${tool.name}: it ${why}. I understand too little to be trusted with that. Connect a real model for this.`,
  }
}

function planText(request: DemoRequest): Plan {
  const { format, question, results } = request
  const reply = results.length > 0 ? describeResults(request) : introduce(request)
  if (format.type === 'text') return { ...empty, ...reply }
  if (format.type === 'json_object')
    return { ...empty, ...reply, text: JSON.stringify({ answer: reply.text, topic: shorten(question, 80) }) }
  const [value] = fillSchema(format.schema, {
    message: question,
    text: reply.text,
    seed: seedOf(request),
    digest: request.digest,
    most: 1,
  })
  return { ...empty, reasoning: `${reply.reasoning} The answer must be JSON.`, text: JSON.stringify(value) }
}

type Reply = Pick<Plan, 'reasoning' | 'text'>

function describeResults({ results }: DemoRequest): Reply {
  const described = results.slice(0, mostResults).map(describeResult)
  const failed = described.filter(({ isFailure }) => isFailure).length
  const beyond = results.length - described.length
  const head = failed === described.length ? 'None of the calls worked.' : 'Here is what I found.'
  const texts = described.map(({ text }) => text)
  return {
    reasoning: `I have ${plural(results.length, 'result')}, ${failed} of them failed. I repeat their key facts.`,
    text: [
      ...(texts.length > 1 ? [head] : []),
      ...texts,
      ...(beyond > 0 ? [`There are ${beyond} more results.`] : []),
    ].join(' '),
  }
}

/** Without a tool to call: who answers, and how to get a call. */
function introduce(request: DemoRequest): Reply {
  const { tools, media, question } = request
  const who = 'I am the demo model of toolwire'
  const begin =
    question.trim() === ''
      ? `Hello! ${who}.`
      : `${topicOf(request)} ${who}: I run inside this process and know nothing of the world.`
  const seen = media === 0 ? '' : ` I was shown ${plural(media, 'image or file', 'images or files')}.`
  const names = tools.slice(0, mostToolNames).map(({ name }) => name)
  const more = tools.length > names.length ? ' and more' : ''
  const advice =
    names.length === 0
      ? 'Give me tools, and I will call the one that fits and repeat what it returned.'
      : `My tools are: ${names.join(', ')}${more}. Use a word of a tool's name, and I will call it.`
  return {
    reasoning: `${topicOf(request)} No tool shares a word with that. I answer in words.`,
    text: `${begin}${seen} ${advice}`,
  }
}

function topicOf({ question }: DemoRequest): string {
  return `You asked “${shorten(question, 80)}”.`
}

function seedOf({ digest }: DemoRequest): number {
  return Number.parseInt(digest.slice(0, 8), 16)
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
