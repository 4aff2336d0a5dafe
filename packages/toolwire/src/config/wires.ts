/** The wires of one run: the built-in ones, and those that a configuration or `--wires` adds. */
import { builtInWires, detectWire, type WireDefinition } from '@toolwire/core'
import { hosts } from '@toolwire/core/presets'
import { mcpTools, type ToolFormat } from '@toolwire/core/wires'

/** Where tools can be read from besides wires: lists of MCP servers, which are read and never written. */
export const mcpSource: McpSource = { name: 'mcp', title: 'MCP', tools: mcpTools }

interface McpSource {
  readonly name: 'mcp'
  readonly title: string
  readonly tools: ToolFormat
}

export type ToolSource = WireDefinition | McpSource

/** The source as the functions of core take it. */
export function sourceOption(source: ToolSource): WireDefinition | 'mcp' {
  return source === mcpSource ? 'mcp' : (source as WireDefinition)
}

const builtIn: readonly WireDefinition[] = Object.values(builtInWires)

export class WireSet {
  /** The built-in wires first. */
  readonly all: readonly WireDefinition[]
  readonly added: readonly WireDefinition[]
  /** Where those were imported from. */
  readonly modules: readonly string[]

  constructor(added: readonly WireDefinition[] = [], modules: readonly string[] = []) {
    this.added = [...new Set(added)]
    this.modules = modules
    this.all = [...builtIn, ...this.added]
  }

  get names(): string[] {
    return this.all.map(({ name }) => name)
  }

  find(name: string): WireDefinition | undefined {
    return this.all.find(wire => wire.name === name)
  }

  /** The wire that a value was written for. Tools count as a request; a stream is given as the text of its beginning. */
  detect(value: unknown, kind: 'request' | 'answer' | 'stream' = 'request'): WireDefinition | undefined {
    const name = detectWire(value, { kind, wires: this.added })
    return name === undefined ? undefined : this.find(name)
  }

  /** What to reply to words that are not names of wires but that people try: other names, hosts, models. */
  get hints(): { readonly [word: string]: string } {
    const aliases = this.all.flatMap(({ name, aliases = [] }) =>
      aliases.map(word => [word, `Did you mean "${name}"?`] as const),
    )
    const ofHosts = hosts.flatMap(host => {
      const spoken = this.all.filter(({ name }) => host.wires.includes(name))
      const [only, ...others] = spoken
      const list = spoken.map(({ name, title }) => `"${name}" is ${title}`).join(', ')
      const hint =
        others.length === 0
          ? `${host.title}'s wire is "${only?.name}".`
          : `${host.title} has several: ${list}.`
      return [host.name, ...host.aliases].map(word => [word, hint] as const)
    })
    return Object.fromEntries([...ofHosts, ...aliases])
  }
}

export const builtInWireSet: WireSet = new WireSet()
