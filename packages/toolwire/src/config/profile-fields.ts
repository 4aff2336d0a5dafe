/** What may be said of an upstream that takes more or less than its wire usually does. */
import type { ProfileConfig } from './config.ts'
import type { FieldsOf } from './rule.ts'
import { choice, flag, orNull, text, texts, whole } from './rule.ts'

const characters = orNull(text, 'the inside of a character class, or null for any')

export const profileFields: FieldsOf<ProfileConfig> = {
  nameCharacters: {
    rule: characters,
    about: 'Characters allowed in a tool name, as the inside of a character class; null for any.',
  },
  nameMaxLength: { rule: whole(16), about: 'The longest tool name it takes.' },
  namespaces: { rule: flag, about: 'It takes tools grouped in namespaces.' },
  additionalTools: { rule: flag, about: 'It takes tools declared in the middle of the input.' },
  customTools: { rule: flag, about: 'It takes free-text tools.' },
  allowedTools: { rule: flag, about: 'It takes a subset of the tools in "tool_choice".' },
  webSearch: { rule: flag, about: 'It searches the web itself when a tool asks for it.' },
  callIdCharacters: {
    rule: characters,
    about: 'Characters allowed in a call id, as the inside of a character class; null for any.',
  },
  callIdMaxLength: { rule: whole(9), about: 'The longest call id it takes.' },
  results: {
    rule: choice(['one per turn', 'with the user', 'anywhere']),
    about: "Where results stand: a message each, inside the user's next message, or as items anywhere.",
  },
  resultMedia: { rule: flag, about: 'It takes images and files in results.' },
  userAfterResults: { rule: flag, about: "A user's message may follow results at once." },
  itemIds: { rule: flag, about: 'It keeps items and knows them by their ids.' },
  reasoningText: { rule: flag, about: 'It takes reasoning as plain text in the history.' },
  developerRole: { rule: flag, about: 'It knows the role "developer".' },
  instructionsField: { rule: flag, about: 'It takes instructions in a field of their own.' },
  defaultOutputLimit: {
    rule: orNull(whole(1), 'a whole number, or null'),
    about: 'The output limit to send when the client gave none; null for none.',
  },
  minOutputLimit: { rule: whole(0), about: 'The smallest output limit it takes.' },
  penalties: { rule: flag, about: 'It takes "frequency_penalty" and "presence_penalty".' },
  usageOnRequest: { rule: flag, about: 'Its streams tell their usage only when asked to.' },
  overloadedStatus: { rule: whole(400, 599), about: 'The HTTP status with which it says it is overloaded.' },
  failedAnswers: { rule: flag, about: 'An answer that failed is still an answer, and not an error.' },
  noReasoningWithTools: {
    rule: texts,
    about: 'Beginnings of the names of models that refuse functions unless reasoning is off.',
  },
  parametersRequired: { rule: flag, about: 'Every function must carry a parameters schema.' },
  rootTypeRequired: { rule: flag, about: 'A schema must spell out "type": "object" at its root.' },
  autoStrict: { rule: flag, about: 'It tries strict mode by itself when "strict" is left out.' },
}
