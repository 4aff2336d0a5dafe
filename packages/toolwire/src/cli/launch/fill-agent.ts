/** What an agent is given for one gateway: the row of the table with its places filled in. */
import { isObject, type JsonObject } from '@toolwire/core/json'
import type { Agent } from './agents.ts'

export interface Place {
  /** The address of the gateway, without the version. */
  readonly url: string
  readonly key: string
  readonly model?: string | undefined
  /** How many tokens the model takes, if that is known. */
  readonly window?: number | undefined
  /** Where the file of the agent is, if it needs one. */
  readonly file?: string | undefined
}

export interface Given {
  readonly args: readonly string[]
  /** `undefined` for what is unset. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The text of its file. */
  readonly file?: string
}

export function fillAgent(agent: Agent, place: Place): Given {
  const { withModel = {} } = place.model === undefined ? {} : agent
  const { withWindow = {} } = place.window === undefined ? {} : agent
  const fill = filler(place)
  const variables = Object.entries({ ...agent.env, ...withModel.env, ...withWindow.env }).map(
    ([name, value]) => {
      if (value === null) return [name, undefined] as const
      return [name, typeof value === 'string' ? fill(value) : JSON.stringify(fillAll(value, fill))] as const
    },
  )
  return {
    args: [agent, withModel, withWindow].flatMap(({ args = [] }) => args).map(fill),
    env: Object.fromEntries(variables),
    ...(agent.file !== undefined && {
      file: `${JSON.stringify(fillAll(agent.file.content, fill), null, 2)}\n`,
    }),
  }
}

/** In one pass, so that nothing in a value is taken for a place. */
function filler({ url, key, model = '', window, file = '' }: Place): (text: string) => string {
  const values: Readonly<Record<string, string>> = {
    url,
    key,
    model,
    window: String(window ?? ''),
    file,
    // A string of TOML is one of JSON.
    'model:quoted': JSON.stringify(model),
  }
  return text =>
    text.replaceAll(/\{(url|key|model|window|file|model:quoted)\}/g, (_, name: string) => values[name] ?? '')
}

function fillAll(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === 'string') return fill(value)
  if (Array.isArray(value)) return value.map(item => fillAll(item, fill))
  if (!isObject(value)) return value
  const filled: JsonObject = Object.fromEntries(
    Object.entries(value).map(([name, item]) => [fill(name), fillAll(item, fill)]),
  )
  return filled
}
