/**
 * What a wire, or one upstream that speaks it, can take. Adaptations read these facts and nothing else, so
 * an upstream with other limits is served by changing data.
 */
import type { StrictRules } from '../schema/strict/rules.ts'
import { openaiStrictRules } from '../schema/strict/rules.ts'

export interface Profile {
  /** Characters allowed in a tool name, as the inside of a character class; `null`: any. */
  readonly nameCharacters: string | null
  readonly nameMaxLength: number
  /** Tools grouped in namespaces. */
  readonly namespaces: boolean
  /** Tools declared in the middle of the input, as an item of their own. */
  readonly additionalTools: boolean
  /** Free-text tools. Most servers that speak Chat know only functions. */
  readonly customTools: boolean
  /** A subset of the tools named in `tool_choice`. */
  readonly allowedTools: boolean
  /** Web search by the provider, declared as a tool. */
  readonly webSearch: boolean
  /** Characters allowed in a call id, as the inside of a character class; `null`: any. */
  readonly callIdCharacters: string | null
  readonly callIdMaxLength: number
  /** Where results stand: a message each, inside the user's next message, or as items anywhere. */
  readonly results: 'one per turn' | 'with the user' | 'anywhere'
  /** Images and files in results. */
  readonly resultMedia: boolean
  /** A user's message may follow results at once. */
  readonly userAfterResults: boolean
  /** The server keeps items and knows them by their ids; one that does not must not be sent ids. */
  readonly itemIds: boolean
  /** Reasoning as plain text in the history. */
  readonly reasoningText: boolean
  readonly developerRole: boolean
  /** Instructions in a field of their own, outside the conversation. */
  readonly instructionsField: boolean
  /** The output limit to send when the client gave none, because the server demands one. */
  readonly defaultOutputLimit: number | null
  /** The smallest output limit the server takes. */
  readonly minOutputLimit: number
  /** Penalties for what has been said already. OpenAI's own Responses takes none, Open Responses does. */
  readonly penalties: boolean
  /** Streams tell their usage only when asked to. */
  readonly usageOnRequest: boolean
  /** The HTTP status with which this wire says that the server is overloaded. */
  readonly overloadedStatus: number
  /** An answer that failed is still an answer here, and not an error in its place. */
  readonly failedAnswers: boolean
  /** Beginnings of the names of models that refuse functions here unless reasoning is off. */
  readonly noReasoningWithTools: readonly string[]
  /** Every function must carry a parameters schema. */
  readonly parametersRequired: boolean
  /** The schema's root must spell out `type: "object"`. */
  readonly rootTypeRequired: boolean
  /** What a schema must obey to be strict here. */
  readonly strictRules: StrictRules
  /** The server tries strict mode by itself when `strict` is left out. */
  readonly autoStrict: boolean
}

/** For a wire talking to itself: nothing needs fitting. */
export const permissiveProfile: Profile = {
  nameCharacters: null,
  nameMaxLength: Number.POSITIVE_INFINITY,
  namespaces: true,
  additionalTools: true,
  customTools: true,
  allowedTools: true,
  webSearch: true,
  callIdCharacters: null,
  callIdMaxLength: Number.POSITIVE_INFINITY,
  results: 'anywhere',
  resultMedia: true,
  userAfterResults: true,
  itemIds: true,
  reasoningText: true,
  developerRole: true,
  instructionsField: false,
  defaultOutputLimit: null,
  minOutputLimit: 0,
  penalties: true,
  usageOnRequest: false,
  overloadedStatus: 503,
  failedAnswers: false,
  noReasoningWithTools: [],
  parametersRequired: false,
  rootTypeRequired: false,
  strictRules: openaiStrictRules,
  autoStrict: true,
}

/**
 * Where tools come from that no wire has seen yet. The strict rules are its own, since rules are told apart by identity:
 * nothing is known to keep to any wire's.
 */
export const programProfile: Profile = { ...permissiveProfile, strictRules: { ...openaiStrictRules } }
