/** What may be said of one upstream. */
import { wireHints, wires } from '../cli/wire-option.ts'
import type { Timeouts } from '../gateway/settings.ts'
import { defaultTimeouts } from '../gateway/settings.ts'
import type { UpstreamConfig } from './config.ts'
import { isObject } from './json-value.ts'
import { profileFields } from './profile-fields.ts'
import type { EitherRule, FieldsOf, ObjectRule, Rule } from './rule.ts'
import { choice, flag, text, textMap, texts, whole } from './rule.ts'

/** What stands before the path of a wire: no query, no fragment, and no key, which would end up in logs. */
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
    about:
      'How long nothing of an answer may come, comments and pings of a stream not counted; 0 is for ever.',
  },
  totalMs: { rule: milliseconds, default: defaultTimeouts.totalMs, about: 'For the whole exchange.' },
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
  wire: { rule: choice(wires, wireHints), required: true, about: 'The wire it speaks.' },
  baseUrl: {
    rule: addressRule,
    required: true,
    about: 'Its address up to and including the version, such as "http://127.0.0.1:11434/v1".',
  },
  apiKey: { rule: text, secret: true, about: 'Its key. Better kept in the environment: see apiKeyEnv.' },
  apiKeyEnv: { rule: variableRule, about: 'The environment variable that holds its key.' },
  forwardKey: {
    rule: flag,
    default: false,
    about: "Send the client's own key on, where clients hold keys of this upstream.",
  },
  models: {
    rule: texts,
    about: 'The models it serves: exact names, or beginnings that end in "*". None: any model.',
  },
  rename: { rule: textMap, about: "The client's name of a model, and the upstream's." },
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
  state: {
    rule: choice(['upstream', 'gateway']),
    about: 'Who keeps stored responses and conversations. Upstreams of the Responses wire do by default.',
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
  pairing: {
    rule: choice(['error', 'repair', 'pass']),
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
    provider: 'wire',
    model: 'models',
    aliases: 'rename',
    timeout: 'timeouts',
  },
}
