/**
 * What single models refuse, as dated facts. The profile of a wire has its table, adaptations and lint read it there, and
 * `profile.models` of an upstream comes before it. A table is looked up by the beginnings of a model's name.
 */
import type { FactsByModel } from '../wires/profile.ts'
import { modelLimits } from './models.ts'

/** What holds for some models, with its source and date. */
export interface ModelFact {
  /** Names of models, or beginnings of names. */
  readonly models: readonly string[]
  readonly facts: FactsByModel[string]
  readonly source: string
  /** When it was last known to hold. */
  readonly date: string
}

/** Of OpenAI's models on every wire. */
const openai: readonly ModelFact[] = [
  {
    models: ['gpt-3.5', 'gpt-4', 'gpt-4o', 'gpt-4.1', 'gpt-4.5', 'gpt-5-chat', 'chatgpt-4o'],
    facts: { effort: false },
    source: 'model pages of OpenAI: they do not reason',
    date: '2026-11',
  },
  {
    models: ['o1', 'o3', 'o4', 'gpt-5', 'gpt-5-mini', 'gpt-5-nano', 'gpt-5-pro', 'gpt-5-codex'],
    facts: { sampling: 'never' },
    source: 'guide to reasoning models of OpenAI',
    date: '2026-11',
  },
  {
    models: ['gpt-5-chat'],
    facts: { sampling: 'always' },
    source: 'model page of OpenAI: it does not reason',
    date: '2026-11',
  },
  {
    models: ['gpt-5.1', 'gpt-5.2', 'gpt-5.4', 'gpt-5.5', 'gpt-5.6', 'gpt-6'],
    facts: { sampling: 'without reasoning' },
    source: 'guide to the latest model of OpenAI',
    date: '2026-11',
  },
  {
    models: ['gpt-6-astra', 'gpt-6.1-sol'],
    facts: { sampling: 'never', refusedEfforts: ['none', 'minimal'] },
    source: 'guide to the latest model in Codex 0.166',
    date: '2026-11',
  },
]

/** Of the same models on Chat alone. */
const openaiOnChat: readonly ModelFact[] = [
  {
    models: ['gpt-5.4', 'gpt-5.5', 'gpt-5.6', 'gpt-6'],
    facts: { functions: 'without reasoning' },
    source: 'guide to the latest model in Codex 0.166; onyx#15008, LibreChat#14231, litellm#34569',
    date: '2026-11',
  },
  {
    models: ['gpt-6-astra', 'gpt-6.1-sol'],
    facts: { functions: 'never' },
    source: 'guide to the latest model in Codex 0.166',
    date: '2026-11',
  },
]

/** Of open models on Chat, wherever they run. */
const openOnChat: readonly ModelFact[] = [
  {
    models: ['deepseek-reasoner', 'deepseek-v4', 'kimi-k2-thinking', 'kimi-k2.5', 'kimi-k2.6', 'kimi-k3'],
    facts: { callReasoning: 'required' },
    source: 'guides of DeepSeek and Kimi to thinking with tools; agentscope-ai/QwenPaw#433 on another host',
    date: '2026-11',
  },
  {
    models: ['glm-4.7', 'glm-5', 'minimax-m2'],
    facts: { callReasoning: 'useful' },
    source: 'guides of Z.ai and MiniMax to interleaved thinking',
    date: '2026-11',
  },
]

const anthropic: readonly ModelFact[] = [
  {
    models: ['claude-3', 'claude-opus-4', 'claude-sonnet-4', 'claude-haiku-4'],
    facts: { effort: false, contextWindow: 200_000 },
    source: 'model pages and the guide to effort of Anthropic; llm-rosetta#289',
    date: '2026-11',
  },
  {
    models: ['claude-opus-4-5'],
    facts: { effort: true, refusedEfforts: ['xhigh', 'max'] },
    source: 'guide to effort of Anthropic',
    date: '2026-11',
  },
  {
    models: ['claude-opus-4-6', 'claude-sonnet-4-6'],
    facts: { effort: true, refusedEfforts: ['xhigh'], contextWindow: 1_000_000 },
    source: 'guide to effort and model pages of Anthropic',
    date: '2026-11',
  },
  {
    models: ['claude-opus-4-7', 'claude-opus-4-8', 'claude-opus-5', 'claude-sonnet-5', 'claude-fable-5'],
    facts: { effort: true, sampling: 'never', contextWindow: 1_000_000 },
    source: 'types of @anthropic-ai/sdk 0.137 and model pages of Anthropic',
    date: '2026-11',
  },
  {
    models: ['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-fable-5-1'],
    facts: { forcedChoice: false },
    source: '@ai-sdk/anthropic 4.0.94',
    date: '2026-09-28',
  },
]

// The calls are marked as pure, so that a bundle holds only the facts of its own wires.

/** All facts, for documents and tests. */
export const modelFacts: { readonly [wire: string]: readonly ModelFact[] } = /* @__PURE__ */ byWire()

export const chatModels: FactsByModel = /* @__PURE__ */ tableOf(openai, openaiOnChat, openOnChat)
export const responsesModels: FactsByModel = /* @__PURE__ */ tableOf(openai)
export const messagesModels: FactsByModel = /* @__PURE__ */ tableOf(
  anthropic,
  /* @__PURE__ */ largestOutputs('claude-'),
)

function byWire(): { readonly [wire: string]: readonly ModelFact[] } {
  return { chat: [...openai, ...openaiOnChat, ...openOnChat], responses: openai, messages: anthropic }
}

function tableOf(...lists: readonly (readonly ModelFact[])[]): FactsByModel {
  const table: Record<string, FactsByModel[string]> = {}
  for (const { models, facts } of lists.flat()) {
    for (const name of models) table[name] = { ...table[name], ...facts }
  }
  return table
}

function largestOutputs(beginning: string): ModelFact[] {
  return Object.entries(modelLimits)
    .filter(([name]) => name.startsWith(beginning))
    .map(([name, largestOutput]) => ({
      models: [name],
      facts: { largestOutput },
      source: 'modelLimits',
      date: '2026-11',
    }))
}
