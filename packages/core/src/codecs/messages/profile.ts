import { messagesStrictRules } from '../../schema/strict-rules.ts'
import type { Profile } from '../profile.ts'

export const messagesProfile: Profile = {
  nameCharacters: 'a-zA-Z0-9_-',
  nameMaxLength: 128,
  namespaces: false,
  additionalTools: false,
  customTools: false,
  allowedTools: false,
  webSearch: true,
  callIdCharacters: 'a-zA-Z0-9_-',
  callIdMaxLength: 64,
  results: 'with the user',
  resultMedia: true,
  reasoningText: false,
  developerRole: false,
  instructionsField: true,
  defaultOutputLimit: 4096,
  minOutputLimit: 1,
  usageOnRequest: false,
  noReasoningWithTools: [],
  parametersRequired: true,
  rootTypeRequired: true,
  strictRules: messagesStrictRules,
  autoStrict: false,
}
