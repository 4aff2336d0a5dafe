/** The settings of one upstream. */

import { isObject } from '@toolwire/core/json'
import { hosts } from '@toolwire/core/presets'
import type { SettingName } from '@toolwire/core/wires'
import type { Timeouts } from '../gateway/settings.ts'
import { defaultTimeouts } from '../gateway/settings.ts'
import { noPreset } from '../gateway/upstream/host.ts'
import type { ModelConfig, ProfileConfig, UpstreamConfig } from './config.ts'
import type { EitherRule, FieldsOf, ObjectRule, Rule } from './rule.ts'
import { choice, flag, orNull, text, textMap, texts, whole } from './rule.ts'

/** The address before the path of a wire: without query and fragment, and without a key, which would end up in logs. */
const addressRule: Rule = {
  kind: 'text',
  pattern: /^https?:\/\/[^\s/?#@\\]+(\/[^\s?#\\]*)?$/,
  expects: 'an address such as "http://127.0.0.1:11434/v1", without a query, user name or password',
}

export const variableRule: Rule = {
  kind: 'text',
  pattern: /^[A-Za-z_][A-Za-z0-9_]*$/,
  expects: 'the name of an environment variable',
}

const policies = choice(['emulate', 'drop', 'handler', 'pass', 'error'])

const hostedFunction: ObjectRule = {
  kind: 'object',
  fields: {
    policy: { rule: choice(['emulate', 'handler']), required: true, about: 'Who runs it.' },
    name: { rule: text, about: 'The name the model is shown.' },
    description: { rule: text, about: 'The description the model is shown.' },
    parameters: { rule: { kind: 'any object' }, about: 'JSON Schema of the arguments.' },
  },
}

const hostedPolicy: EitherRule = {
  kind: 'either',
  of: [policies, hostedFunction],
  choose: value => (isObject(value) ? hostedFunction : policies),
  expects: 'a policy, or an object with one',
}

const hostedByType: Rule = { kind: 'map', value: hostedPolicy }

const hostedTools: EitherRule = {
  kind: 'either',
  of: [policies, hostedByType],
  choose: value => (isObject(value) ? hostedByType : policies),
  expects: 'a policy, or a policy for each type',
}

const mediaPolicies = choice(['error', 'note', 'drop'])

const mediaByKind: ObjectRule = {
  kind: 'object',
  fields: {
    image: { rule: mediaPolicies, about: 'Images.' },
    file: { rule: mediaPolicies, about: 'Files and documents.' },
    audio: { rule: mediaPolicies, about: 'Audio.' },
    video: { rule: mediaPolicies, about: 'Video.' },
  },
}

const media: EitherRule = {
  kind: 'either',
  of: [mediaPolicies, mediaByKind],
  choose: value => (isObject(value) ? mediaByKind : mediaPolicies),
  expects: 'a policy, or a policy for each kind',
}

const orNever = whole(0, 2 ** 31 - 1)
const milliseconds = whole(1, 2 ** 31 - 1)

const timeoutFields: FieldsOf<Timeouts> = {
  connectMs: {
    rule: milliseconds,
    default: defaultTimeouts.connectMs,
    about: 'How long connecting may take, in milliseconds.',
  },
  firstByteMs: {
    rule: orNever,
    default: defaultTimeouts.firstByteMs,
    about: 'From sending the request to the head of the answer; 0 is for ever.',
  },
  idleMs: {
    rule: orNever,
    default: defaultTimeouts.idleMs,
    about: 'How long nothing of an answer may come, not even a ping; 0 is for ever.',
  },
  pingMs: {
    rule: orNever,
    default: defaultTimeouts.pingMs,
    about:
      'How long comments and pings alone keep a stream alive; not more than idleMs: they do not; 0 is for ever.',
  },
  totalMs: { rule: milliseconds, default: defaultTimeouts.totalMs, about: 'For the whole exchange.' },
}

const settingNames: readonly SettingName[] = [
  'temperature',
  'topP',
  'frequencyPenalty',
  'presencePenalty',
  'stop',
  'includeUsage',
  'includeObfuscation',
  'effort',
  'format',
  'verbosity',
  'logprobs',
  'topLogprobs',
  'store',
  'metadata',
  'serviceTier',
  'safetyIdentifier',
  'promptCacheKey',
  'promptCacheRetention',
  'promptCacheMode',
  'promptCacheTtl',
  'moderation',
  'user',
]

const characters = orNull(text, 'the inside of a character class, or null for any')

const sources: Rule = { kind: 'list', item: choice(['url', 'data', 'file', 'text']) }
const withReasoning = choice(['always', 'without reasoning', 'never'])
const tokensOrUnknown = orNull(whole(1), 'a whole number, or null')

/** Where an upstream, or one of its models, takes more or less than its wire usually does. */
const modelFields: FieldsOf<ModelConfig> = {
  nameCharacters: {
    rule: characters,
    about: 'Characters allowed in a tool name, as the inside of a character class; null for any.',
  },
  nameMaxLength: { rule: whole(16), about: 'The longest tool name it takes.' },
  namespaces: { rule: flag, about: 'It takes tools grouped in namespaces.' },
  additionalTools: {
    rule: flag,
    about: 'It takes tools and settings declared in the middle of the conversation.',
  },
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
  imageSources: {
    rule: sources,
    about: 'The forms in which it takes images: "url", "data", "file", "text".',
  },
  fileSources: { rule: sources, about: 'The forms in which it takes files.' },
  fileStore: {
    rule: text,
    about: 'Whose uploaded files its file ids refer to; ids of others mean nothing to it.',
  },
  userAfterResults: { rule: flag, about: "A user's message may follow results at once." },
  itemIds: { rule: flag, about: 'It keeps items and knows them by their ids.' },
  reasoningText: {
    rule: flag,
    about: 'It takes reasoning as plain text in the history, also that of other upstreams.',
  },
  callReasoning: {
    rule: choice(['required', 'useful', 'unused']),
    about:
      'Calls in the history need their reasoning: without it this server refuses ("required") or thinks worse ("useful"). It is kept for clients that return none, also for those of its own wire.',
  },
  developerRole: { rule: flag, about: 'It knows the role "developer".' },
  instructionsField: { rule: flag, about: 'It takes instructions in a field of their own.' },
  defaultOutputLimit: {
    rule: orNull(whole(1), 'a whole number, or null'),
    about: 'The output limit to send when the client gave none; null for none.',
  },
  minOutputLimit: { rule: whole(0), about: 'The smallest output limit it takes.' },
  penalties: { rule: flag, about: 'It takes "frequency_penalty" and "presence_penalty".' },
  usageOnRequest: { rule: flag, about: 'Its streams tell their usage only when asked to.' },
  sealedOnRequest: { rule: flag, about: 'Its answers hold encrypted reasoning only when asked to.' },
  overloadedStatus: { rule: whole(400, 599), about: 'The HTTP status with which it says it is overloaded.' },
  failedAnswers: { rule: flag, about: 'An answer that failed is still an answer, and not an error.' },
  functions: { rule: withReasoning, about: 'It takes functions, perhaps only while reasoning is off.' },
  forcedChoice: { rule: flag, about: 'It takes a choice that forces a call.' },
  sampling: {
    rule: withReasoning,
    about: 'It takes "temperature", "top_p" and the like, perhaps only while reasoning is off.',
  },
  effort: { rule: flag, about: 'It takes an effort.' },
  refusedEfforts: { rule: texts, about: 'Words for the effort that it refuses nevertheless.' },
  refusedSettings: {
    rule: { kind: 'list', item: choice(settingNames) },
    about: 'Settings that it refuses or ignores; they are not sent.',
  },
  identifierMaxLength: {
    rule: whole(8),
    about: 'The longest "user", "safety_identifier" and "prompt_cache_key" that it takes.',
  },
  olderOutputLimit: { rule: flag, about: 'On Chat it knows the output limit as "max_tokens" only.' },
  largestOutput: { rule: tokensOrUnknown, about: 'The most tokens of one answer; null: not known.' },
  contextWindow: { rule: tokensOrUnknown, about: 'The tokens of its window; null: not known.' },
  cacheBreakpoints: {
    rule: whole(0),
    about: 'How many cache breakpoints of a client it takes; 0 for none.',
  },
  cachesOnRequest: {
    rule: flag,
    about: 'It caches only up to breakpoints; some are set where the client sets none.',
  },
  compacts: {
    rule: flag,
    about:
      'It makes the summaries that clients of its own wire ask for; otherwise the gateway has them made.',
  },
  parametersRequired: { rule: flag, about: 'Every function must carry a parameters schema.' },
  rootTypeRequired: { rule: flag, about: 'A schema must spell out "type": "object" at its root.' },
  soundSchemas: {
    rule: flag,
    about: 'Schemas must be JSON Schema, with an object at the root; what is not is rewritten.',
  },
  rootProperties: {
    rule: flag,
    about: 'A schema must list its properties at its root, even when there are none.',
  },
  rootRefused: { rule: texts, about: 'Keywords it refuses at the root of a schema, such as "anyOf".' },
  arrayItems: { rule: flag, about: 'An array in a schema must declare its items.' },
  autoStrict: { rule: flag, about: 'It tries strict mode by itself when "strict" is left out.' },
}

const profileFields: FieldsOf<ProfileConfig> = {
  ...modelFields,
  models: {
    rule: { kind: 'map', value: { kind: 'object', fields: modelFields } },
    about: 'Where models differ from this: by their names, or by beginnings that end where a word does.',
  },
}

const fields: FieldsOf<UpstreamConfig> = {
  name: {
    rule: {
      kind: 'text',
      pattern: /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/,
      expects: 'up to 64 letters, digits, "_", "." and "-"',
    },
    required: true,
    about: 'What logs call it. A client reaches it by "name/model" where two upstreams have one model.',
  },
  wire: {
    rule: { kind: 'wire' },
    about:
      'The wire it speaks: a built-in one, or one that "wires" or --wires adds. Needed unless "speaks" or the address of a known host says it.',
  },
  speaks: {
    rule: { kind: 'list', item: { kind: 'wire' } },
    about:
      "All the wires it speaks, the preferred one first. A request is sent on the client's own wire, unless the model takes tools only on another; else on the one that loses the fewest of its tools, and of several on the nearest (Chat and Responses are near to each other).",
  },
  baseUrl: {
    rule: addressRule,
    required: true,
    about: 'Its address up to and including the version, such as "http://127.0.0.1:11434/v1".',
  },
  baseUrls: {
    rule: { kind: 'map', value: addressRule },
    about: 'The addresses of wires that it serves elsewhere than at "baseUrl", by their names.',
  },
  preset: {
    rule: choice([...hosts.map(({ name }) => name), noPreset]),
    about:
      'Whose server it is, for what is known of that host. By default its address says it; "none": nothing is known.',
  },
  apiKey: { rule: text, secret: true, about: 'Its key. Better kept in the environment: see apiKeyEnv.' },
  apiKeyEnv: { rule: variableRule, about: 'The environment variable that holds its key.' },
  flags: {
    rule: texts,
    about:
      'The flags of "anthropic-beta" that it knows; others are left out, together with the fields of a request that belong to them. None stated: all are sent on.',
  },
  forwardKey: {
    rule: flag,
    default: false,
    about:
      "Send the client's own key on, where clients hold keys of this upstream. A Bearer token stays one; only Anthropic's API keys (sk-ant-api…) of Chat and Responses clients go into x-api-key, where alone Anthropic takes them.",
  },
  models: {
    rule: texts,
    about: 'The models it serves: exact names, or beginnings that end in "*". None: any model.',
  },
  rename: {
    rule: textMap,
    about:
      'The client\'s name of a model, and the upstream\'s. "claude-*" stands for all names that begin so, "*" for all that it does not list; a "*" at the end of the upstream\'s name is the rest of the client\'s.',
  },
  headers: { rule: textMap, secret: true, about: 'Headers that go with every request to it.' },
  profile: {
    rule: { kind: 'object', fields: profileFields },
    about: 'Where it takes more or less than its wire usually does.',
  },
  timeouts: {
    rule: { kind: 'object', fields: timeoutFields },
    about: 'How long to wait for it, in milliseconds.',
  },
  retries: {
    rule: whole(0, 10),
    default: 2,
    about: 'How often a request is sent again before anything of its answer has reached the client.',
  },
  order: {
    rule: whole(0),
    about:
      'Of several upstreams that list one model, those with the lowest number are asked first. By default their place in the list.',
  },
  weight: {
    rule: { kind: 'number', min: 0.001, max: 1000, fractions: true },
    default: 1,
    about: 'Which share of the conversations it gets, beside other upstreams of the same order.',
  },
  fallbackOn: {
    rule: {
      kind: 'list',
      item: {
        kind: 'text',
        pattern: /^(?:connect|reset|timeout|[45]\d\d|[45]xx)$/,
        expects: 'connect, reset, timeout, a status such as 429, 4xx or 5xx',
      },
    },
    default: ['connect', 'timeout', '408', '429', '5xx'],
    about:
      'After which failures the next upstream that lists the model is asked, before anything has reached the client.',
  },
  state: {
    rule: choice(['upstream', 'gateway']),
    about: 'Who keeps stored responses and conversations. Upstreams of the Responses wire do by default.',
  },
  unknownIds: {
    rule: choice(['refuse', 'pass']),
    about:
      'With several keys: what becomes of a request that refers to what the upstream holds and no client was given or made through this gateway. By default responses, conversations, items, containers and audio are refused, and files, vector stores, prompts, skills and voices pass, which an operator may have made. "pass" is for the time in which clients move here.',
  },
  otherPaths: {
    rule: {
      kind: 'list',
      item: { kind: 'text', pattern: /^(\*|[\w.-]+)$/, expects: 'the first segment of a path, or "*"' },
    },
    about:
      'Paths that no wire here has, by their first segments below the version ("embeddings", "files", "audio"), or "*" for all: requests for them pass to it unread, if it is of the client\'s vendor. With several keys a client reaches there what it made through this gateway, and paths that leave nothing.',
  },
  strict: { rule: choice(['preserve', 'omit', 'strictify']), about: 'What becomes of "strict".' },
  hostedTools: {
    rule: hostedTools,
    about:
      'What becomes of hosted tools that its wire does not have: one word for all, or one per type, with "*" for every other. A tool in "hosted" goes before a word for all.',
  },
  unknownTools: {
    rule: choice(['drop', 'pass', 'error']),
    about: 'What becomes of tools that cannot be read.',
  },
  misplacedStrict: {
    rule: choice(['ignore', 'honour']),
    about: 'What a "strict" in the wrong place means.',
  },
  media: {
    rule: media,
    about:
      'What becomes of an image, file, audio or video that it cannot take: one word for all, or one per kind. "error" refuses it in the newest turn and writes a note in its place in earlier ones.',
  },
  pairing: {
    rule: choice(['error', 'repair', 'drop', 'pass']),
    about: 'What to do about calls without results and results without calls.',
  },
}

export const upstreamRule: ObjectRule = {
  kind: 'object',
  fields,
  aliases: {
    url: 'baseUrl',
    endpoint: 'baseUrl',
    api_base: 'baseUrl',
    key: 'apiKey',
    token: 'apiKey',
    type: 'wire',
    api: 'wire',
    protocol: 'wire',
    provider: 'preset',
    host: 'preset',
    wires: 'speaks',
    model: 'models',
    aliases: 'rename',
    timeout: 'timeouts',
  },
}
