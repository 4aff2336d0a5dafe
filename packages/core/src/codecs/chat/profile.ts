import { openaiStrictRules } from '../../schema/strict-rules.ts'
import type { Profile } from '../profile.ts'

/** Chat Completions as most servers speak it; OpenAI's own also takes custom tools. */
export const chatProfile: Profile = {
  nameCharacters: 'a-zA-Z0-9_-',
  nameMaxLength: 64,
  namespaces: false,
  additionalTools: false,
  customTools: false,
  allowedTools: true,
  webSearch: false,
  parametersRequired: false,
  rootTypeRequired: false,
  strictRules: openaiStrictRules,
  autoStrict: false,
}
