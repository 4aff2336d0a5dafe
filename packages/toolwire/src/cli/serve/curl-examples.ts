/** Three requests to paste, one for each wire, each with a tool for the model to call. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import type { Settings } from '../../config/config.ts'
import type { Upstream } from '../../gateway/settings.ts'
import type { Io } from '../../terminal/io.ts'
import type { Environment } from './environment.ts'

export interface CurlExample {
  readonly title: string
  readonly command: string
}

const question = 'Weather in Oslo?'
const tool = { name: 'get_weather' }
const schema = { type: 'object', properties: { city: { type: 'string' } } }
const asked = [{ role: 'user', content: question }]

interface Example {
  readonly title: string
  readonly path: string
  readonly body: object
}

/** As short as each wire allows, and without a single quote, for the shell takes them between two of these. */
const examples: { readonly [W in Wire]: Example } = {
  chat: {
    title: 'Chat Completions',
    path: '/v1/chat/completions',
    body: { messages: asked, tools: [{ type: 'function', function: { ...tool, parameters: schema } }] },
  },
  responses: {
    title: 'Responses',
    path: '/v1/responses',
    body: { input: question, tools: [{ type: 'function', ...tool, parameters: schema, strict: false }] },
  },
  messages: {
    title: 'Messages',
    path: '/v1/messages',
    body: { max_tokens: 99, messages: asked, tools: [{ ...tool, input_schema: schema }] },
  },
}

export function curlExamples(url: string, model: string, keyVariable: string | undefined): CurlExample[] {
  const key = keyVariable === undefined ? '' : ` -H "authorization: Bearer $${keyVariable}"`
  return Object.values(examples).map(({ title, path, body }) => {
    // The name of a model is the user's own, and may hold anything.
    const json = JSON.stringify({ model, ...body }).replaceAll("'", "'\\''")
    return { title, command: `curl -sS ${url}${path} -H 'content-type: application/json'${key} -d '${json}'` }
  })
}

/** The variable with a key for the lines; `undefined` when none is needed. */
export function keyVariableFor({ keys, config }: Settings, env: Io['env']): string | undefined {
  if (keys.length === 0) return undefined
  const { keysEnv } = config
  const holdsOne = keysEnv !== undefined && !(env[keysEnv] ?? '').includes(',')
  return holdsOne ? keysEnv : unnamedKey
}

export const unnamedKey = 'TOOLWIRE_KEY'

/** A model that exists, as far as can be known: a name from the settings, or the first that an upstream lists. */
export async function modelToTry(
  upstreams: readonly Upstream[],
  { fetch }: Pick<Environment, 'fetch'>,
): Promise<string | undefined> {
  const listed = upstreams
    .flatMap(({ models = [], rename = {} }) => [...models, ...Object.keys(rename)])
    .find(name => !name.endsWith('*'))
  if (listed !== undefined) return listed
  const { queryModels } = await import('./ask-models.ts')
  for (const upstream of upstreams) {
    const { models } = await queryModels(upstream, fetch, patienceMs)
    const { models: served = [] } = upstream
    const found = models?.find(
      model => served.length === 0 || served.some(prefix => model.startsWith(prefix.slice(0, -1))),
    )
    if (found !== undefined) return found
  }
  return undefined
}

/** Whoever starts a gateway wants to see it start. */
const patienceMs = 1_000
