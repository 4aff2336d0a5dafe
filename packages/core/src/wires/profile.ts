/**
 * What a wire, or one upstream of it, accepts. Adaptations read only these facts, so an upstream with other limits needs
 * only other data.
 */
import type { MediaSource } from '../model/conversation.ts'
import type { SettingName } from '../model/request.ts'
import type { StrictRules } from '../schema/strict/rules.ts'
import { openaiStrictRules } from '../schema/strict/rules.ts'

/** What a wire or an upstream accepts, as data. Adaptations read it. */
export interface Profile {
  /** Characters allowed in a tool name, as the inside of a character class; `null`: any. */
  readonly nameCharacters: string | null
  readonly nameMaxLength: number
  /** Tools grouped in namespaces. */
  readonly namespaces: boolean
  /** Tools and settings declared in the middle of the conversation. */
  readonly additionalTools: boolean
  /** Free-text tools. Most servers of Chat accept only functions. */
  readonly customTools: boolean
  /** A subset of the tools named in `tool_choice`. */
  readonly allowedTools: boolean
  /** Web search by the provider, declared as a tool. */
  readonly webSearch: boolean
  /** Characters allowed in a call id, as the inside of a character class; `null`: any. */
  readonly callIdCharacters: string | null
  readonly callIdMaxLength: number
  /** Where results are written: in one message each, in the user's next message, or as items anywhere. */
  readonly results: 'one per turn' | 'with the user' | 'anywhere'
  /** Images and files in results. */
  readonly resultMedia: boolean
  /** In which forms images and files are taken. Text is what a file of plain text is. */
  readonly imageSources: readonly MediaSource['type'][]
  readonly fileSources: readonly MediaSource['type'][]
  /** Whose uploaded files an id refers to. An id means nothing where this differs. */
  readonly fileStore: string
  /** A user's message may follow results at once. */
  readonly userAfterResults: boolean
  /** The server stores items by their ids; one that does not must not be sent ids. */
  readonly itemIds: boolean
  /** Reasoning as plain text in the history. Where the caller states it, also that of other upstreams. */
  readonly reasoningText: boolean
  /** Whether calls in the history need the reasoning that led to them: the server refuses without it, or thinks worse. */
  readonly callReasoning: 'required' | 'useful' | 'unused'
  readonly developerRole: boolean
  /** Instructions in a field of their own, outside the conversation. */
  readonly instructionsField: boolean
  /** The output limit to send if the client set none, because the server requires one. */
  readonly defaultOutputLimit: number | null
  /** The smallest output limit that the server accepts. */
  readonly minOutputLimit: number
  /** Penalties for repetition. OpenAI's Responses does not accept them, Open Responses does. */
  readonly penalties: boolean
  /** Streams include their usage only on request. */
  readonly usageOnRequest: boolean
  /** Answers include their encrypted reasoning only on request. */
  readonly sealedOnRequest: boolean
  /** The HTTP status for an overloaded server. */
  readonly overloadedStatus: number
  /** A failed answer is still an answer, and not an error body. */
  readonly failedAnswers: boolean
  /** Whether functions are accepted, perhaps only while reasoning is off. */
  readonly functions: 'always' | 'without reasoning' | 'never'
  /** A choice that forces a call. */
  readonly forcedChoice: boolean
  /** Temperature, penalties and the like, perhaps only while reasoning is off. */
  readonly sampling: 'always' | 'without reasoning' | 'never'
  /** An effort at all, and the words for it that are refused nevertheless. */
  readonly effort: boolean
  readonly refusedEfforts: readonly string[]
  /** Settings that the server refuses or ignores. */
  readonly refusedSettings: readonly SettingName[]
  /** The longest name of a user or of a cache. */
  readonly identifierMaxLength: number
  /** The output limit has an older name here. Servers that copied the wire early know no other. */
  readonly olderOutputLimit: boolean
  /** The model's largest output and its window, in tokens; `null`: not known. */
  readonly largestOutput: number | null
  readonly contextWindow: number | null
  /** How many cache breakpoints a request may have. Most servers of Chat refuse fields that they do not know. */
  readonly cacheBreakpoints: number
  /** The server caches only up to breakpoints; some are set if the client sets none. */
  readonly cachesOnRequest: boolean
  /** The server compacts conversations itself, where a request of its own wire asks for it. */
  readonly compacts: boolean
  /** Every function must carry a parameters schema. */
  readonly parametersRequired: boolean
  /** The schema's root must spell out `type: "object"`. */
  readonly rootTypeRequired: boolean
  /** Schemas must be JSON Schema, with an object at the root; what is not is rewritten. */
  readonly soundSchemas: boolean
  /** The schema's root must list its properties, even when there are none. */
  readonly rootProperties: boolean
  /** Keywords refused at the schema's root. */
  readonly rootRefused: readonly string[]
  /** An array in a schema must declare its items. */
  readonly arrayItems: boolean
  /** What a schema must obey to be strict here. */
  readonly strictRules: StrictRules
  /** The server tries strict mode by itself when `strict` is left out. */
  readonly autoStrict: boolean
  /** Where models differ from this, by their names. */
  readonly models: FactsByModel
}

/** By a model's name or a beginning of it that ends where a word does. The facts of a longer name come first. */
export type FactsByModel = { readonly [name: string]: Partial<Omit<Profile, 'models'>> }

/** For a request that stays on its wire: nothing is adapted. */
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
  imageSources: ['url', 'data', 'file', 'text'],
  fileSources: ['url', 'data', 'file', 'text'],
  fileStore: '',
  userAfterResults: true,
  itemIds: true,
  reasoningText: true,
  callReasoning: 'unused',
  developerRole: true,
  instructionsField: false,
  defaultOutputLimit: null,
  minOutputLimit: Number.NEGATIVE_INFINITY,
  penalties: true,
  usageOnRequest: false,
  sealedOnRequest: false,
  overloadedStatus: 503,
  failedAnswers: false,
  functions: 'always',
  forcedChoice: true,
  sampling: 'always',
  effort: true,
  refusedEfforts: [],
  refusedSettings: [],
  identifierMaxLength: Number.POSITIVE_INFINITY,
  olderOutputLimit: false,
  largestOutput: null,
  contextWindow: null,
  cacheBreakpoints: Number.POSITIVE_INFINITY,
  cachesOnRequest: false,
  compacts: true,
  parametersRequired: false,
  rootTypeRequired: false,
  soundSchemas: false,
  rootProperties: false,
  rootRefused: [],
  arrayItems: false,
  strictRules: openaiStrictRules,
  autoStrict: true,
  models: {},
}

/**
 * The profile of tools that a program defines. Its strict rules are a separate object, because rules are compared by
 * identity: such tools are not known to fit the rules of any wire.
 */
export const programProfile: Profile = { ...permissiveProfile, strictRules: { ...openaiStrictRules } }
