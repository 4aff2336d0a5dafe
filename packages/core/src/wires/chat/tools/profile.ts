import { openaiStrictRules } from '../../../schema/strict/rules.ts'
import type { Profile } from '../../profile.ts'

/** Chat Completions as most servers implement it; OpenAI also accepts custom tools. */
export const chatProfile: Profile = {
  nameCharacters: 'a-zA-Z0-9_-',
  nameMaxLength: 64,
  namespaces: false,
  additionalTools: false,
  customTools: false,
  allowedTools: true,
  webSearch: false,
  callIdCharacters: null,
  callIdMaxLength: 40,
  results: 'one per turn',
  resultMedia: false,
  userAfterResults: true,
  itemIds: true,
  reasoningText: true,
  developerRole: false,
  instructionsField: false,
  defaultOutputLimit: null,
  minOutputLimit: 1,
  penalties: true,
  usageOnRequest: true,
  overloadedStatus: 503,
  failedAnswers: false,
  noReasoningWithTools: ['gpt-5.4', 'gpt-5.5', 'gpt-5.6'],
  parametersRequired: false,
  rootTypeRequired: false,
  strictRules: openaiStrictRules,
  autoStrict: false,
}
