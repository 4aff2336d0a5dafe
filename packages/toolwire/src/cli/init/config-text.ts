/** A configuration file with comments: what was found, and what can be added. */
import type { UpstreamConfig } from '../../config/config.ts'
import type { EnvUpstream } from '../../config/env-upstreams.ts'
import type { FoundServer } from '../launch/find-servers.ts'

export interface Found {
  readonly servers: readonly FoundServer[]
  readonly hosts: readonly EnvUpstream[]
  /** The model for names that no upstream lists. */
  readonly model: string | undefined
  readonly version: string
}

interface Block {
  readonly comment: readonly string[]
  readonly upstream: UpstreamConfig
}

export function configText({ servers, hosts, model, version }: Found): string {
  const blocks: Block[] = [
    ...servers.map(({ host: { title }, upstream: { name, wire, baseUrl }, models }) => ({
      comment: [
        `${title}.${models.length === 0 ? ' It has no model yet.' : ` It has ${models.slice(0, 8).join(', ')}${models.length > 8 ? ', …' : ''}.`}`,
        ...(model !== undefined && models.includes(model)
          ? ['"rename" sends names that no upstream lists, such as an agent\'s own, to one model.']
          : []),
      ],
      upstream: {
        name,
        wire,
        baseUrl,
        ...(models.length > 0 && { models: [...models] }),
        ...(model !== undefined && models.includes(model) && { rename: { '*': model } }),
      },
    })),
    ...hosts.map(({ upstream }) => hostBlock(upstream, model)),
  ]
  const known = blocks.map(({ comment, upstream }) =>
    [...comment.map(remark), objectText(upstream)].join('\n'),
  )
  const list =
    known.length === 0
      ? [
          remark('None: the embedded demo model answers. A model server is added like this:'),
          ...commented(objectText({ name: 'local', wire: 'chat', baseUrl: 'http://127.0.0.1:11434/v1' })),
        ].join('\n')
      : known.join(',\n')
  return `{
  // Made by "toolwire init". "toolwire config check" checks it; editors complete it by the schema.
  "$schema": ${JSON.stringify(schemaUrl(version))},

  // Where the gateway listens. Clients use http://127.0.0.1:4141/v1, or without /v1 those of Anthropic's kind.
  "host": "127.0.0.1",
  "port": 4141,

  // Keys that clients must present, from a variable of the environment. Needed beyond this machine.
  // "keysEnv": "TOOLWIRE_KEYS",

  // Refuse a request of which anything would be lost, instead of reporting it.
  // "losses": "strict",

  // Where models are: "wire" is what the server speaks (chat, responses or messages). Values may hold \${NAME}, which
  // is taken from the environment.
  "upstreams": [
${list}
  ]
}
`
}

/** Where one model answers for all other names, a host gets those of its own, or is named in front of the model. */
function hostBlock(upstream: UpstreamConfig, model: string | undefined): Block {
  const { models = [], ...rest } = upstream
  const { name, apiKeyEnv } = rest
  const own = models.filter(each => each !== '*')
  const isNamed = model !== undefined && own.length === 0
  return {
    comment: [
      apiKeyEnv === undefined
        ? 'From the environment.'
        : `Its key stays in the environment, as ${apiKeyEnv}.`,
      ...(isNamed
        ? [`Ask for its models as "${name}/MODEL": every other name is answered by ${model}.`]
        : []),
    ],
    upstream: model === undefined ? upstream : { ...rest, ...(own.length > 0 && { models: own }) },
  }
}

/** The schema that belongs to this version. */
function schemaUrl(version: string): string {
  return `https://unpkg.com/toolwire@${version}/schema/toolwire.schema.json`
}

const indent = '    '

/** A name of a model may hold line ends, which would end the comment. */
function remark(text: string): string {
  return `${indent}// ${text.replaceAll(/[\r\n\u2028\u2029]/g, ' ')}`
}

function objectText(value: object): string {
  return JSON.stringify(value, null, 2)
    .split('\n')
    .map(line => indent + line)
    .join('\n')
}

function commented(text: string): string[] {
  return text.split('\n').map(line => `${indent}// ${line.slice(indent.length)}`)
}
