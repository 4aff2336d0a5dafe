import type { BuiltInWire as Wire } from '@toolwire/core'
import { checkChoice } from './arguments.ts'

export const wires: readonly Wire[] = ['chat', 'responses', 'messages']

/** What people call the wires after those who make them. */
export const wireHints: { readonly [word: string]: string } = {
  openai: 'OpenAI has two: "chat" is Chat Completions, "responses" is Responses.',
  gpt: 'OpenAI has two: "chat" is Chat Completions, "responses" is Responses.',
  completions: 'Did you mean "chat"?',
  'chat-completions': 'Did you mean "chat"?',
  anthropic: 'Anthropic\'s wire is "messages".',
  claude: 'Anthropic\'s wire is "messages".',
}

export function wireOption(flag: string, value: string): Wire
export function wireOption(flag: string, value: string | undefined): Wire | undefined
export function wireOption(flag: string, value: string | undefined): Wire | undefined {
  if (value === undefined) return undefined
  checkChoice(flag, value, wires, wireHints)
  return value as Wire
}
