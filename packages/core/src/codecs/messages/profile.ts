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
  parametersRequired: true,
  rootTypeRequired: true,
  strictRules: messagesStrictRules,
  autoStrict: false,
}
