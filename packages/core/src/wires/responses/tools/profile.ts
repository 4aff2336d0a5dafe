import { openaiStrictRules } from '../../../schema/strict/rules.ts'
import type { Profile } from '../../profile.ts'

/** Responses as OpenAI serves it; hosts that copy it hold tool names to 64 characters. */
export const responsesProfile: Profile = {
  nameCharacters: 'a-zA-Z0-9_-',
  nameMaxLength: 64,
  namespaces: true,
  additionalTools: true,
  customTools: true,
  allowedTools: true,
  webSearch: true,
  callIdCharacters: null,
  callIdMaxLength: 64,
  results: 'anywhere',
  resultMedia: true,
  userAfterResults: true,
  itemIds: true,
  reasoningText: false,
  developerRole: true,
  instructionsField: false,
  defaultOutputLimit: null,
  minOutputLimit: 16,
  penalties: false,
  usageOnRequest: false,
  overloadedStatus: 503,
  failedAnswers: true,
  noReasoningWithTools: [],
  parametersRequired: true,
  rootTypeRequired: false,
  strictRules: openaiStrictRules,
  autoStrict: true,
}
