/**
 * The rooms of both packages and what each may import, beside itself. A permission is a room, or one file of a room.
 * The `index.ts` of a package or of a room, and what else is published, is an entry point: it may import every room of
 * its package, and no room imports it.
 */

interface Room {
  readonly imports: readonly string[]
  /** Packages it may depend on; the application may also use Node and the entry points of core. */
  readonly packages?: readonly string[]
}

export interface Package {
  readonly rooms: { readonly [room: string]: Room }
  /** The room of a file, by its path under `src`. */
  roomOf(path: string): string
}

export const entry = 'entry points'

/** Entry points of core that take definitions of wires, not names: they must not load the registry. */
export const definitionEntries: readonly string[] = ['exchange.ts', 'tools.ts', 'run.ts']

const wireNames = ['chat', 'responses', 'messages']
const wire: Room = {
  imports: ['json', 'model', 'sse', 'schema', 'presets', 'wires/contract', 'wires/kit'],
}
/** What a room that takes definitions of wires may use. Only the registry imports the folder of a wire. */
const definitions = ['wires/contract', 'wires/kit']
const reader = 'wires/fast-path/stream-reader.ts'
/** What a room that takes names of wires may use. */
const names = [...definitions, 'wires/registry']

const core: Package = {
  rooms: {
    json: { imports: [] },
    sse: { imports: [] },
    model: { imports: ['json'] },
    diagnostics: { imports: ['model'] },
    schema: { imports: ['json', 'model'] },
    'wires/kit': { imports: ['json', 'model', 'sse', 'schema', 'wires/contract'] },
    // Text in, events out: rooms that read streams see the reader, and nobody sees how it is fast.
    'wires/fast-path': { imports: ['json', 'model', 'sse', 'wires/contract'] },
    'wires/contract': { imports: ['json', 'model', 'sse', 'schema'] },
    ...Object.fromEntries(wireNames.map(name => [`wires/${name}`, wire])),
    'wires/registry': {
      imports: ['json', 'model', 'wires/contract', 'wires/kit', ...wireNames.map(name => `wires/${name}`)],
    },
    presets: { imports: ['json', 'model', 'wires/contract'] },
    convert: { imports: ['json', 'model', 'sse', 'schema', reader, ...definitions] },
    lint: { imports: ['json', 'model', 'schema', 'convert', ...names] },
    runtime: { imports: ['json', 'model', 'schema'] },
    platform: { imports: ['runtime'] },
    client: { imports: ['json', 'model', 'sse', 'convert', 'runtime', 'presets', reader, ...definitions] },
    steps: { imports: ['json', 'model', 'schema', 'runtime'] },
    tokens: {
      imports: ['json', 'model', 'presets', ...names],
      packages: ['gpt-tokenizer/encoding/o200k_base', 'gpt-tokenizer/encoding/cl100k_base'],
    },
    openai: { imports: ['json', 'model', 'schema', 'convert', 'runtime', 'tokens', ...names] },
    // Files at the root: they give a room the registry, so that wires go by name, or the platform's clock and chance.
    bindings: {
      imports: ['json', 'model', 'schema', 'convert', 'runtime', 'platform', 'client', 'openai', ...names],
    },
    testing: {
      imports: [
        'json',
        'model',
        'sse',
        'schema',
        'convert',
        'lint',
        'runtime',
        'platform',
        'bindings',
        ...names,
      ],
    },
  },
  roomOf(path) {
    if (path === 'platform.ts') return 'platform'
    if (isEntry(path)) return entry
    const [room = '', inside = ''] = path.split('/')
    if (room.endsWith('.ts')) return 'bindings'
    if (room !== 'wires') return room
    if (path === 'wires/registry.ts') return 'wires/registry'
    return inside.endsWith('.ts') ? 'wires/contract' : `wires/${inside}`
  },
}

/** `cli → config → gateway → store, telemetry`, never back. */
const app: Package = {
  rooms: {
    platform: { imports: [] },
    terminal: { imports: [], packages: ['jsonc-parser', 'picocolors'] },
    store: { imports: ['platform'], packages: ['@photostructure/sqlite'] },
    telemetry: { imports: ['platform', 'terminal'], packages: ['@opentelemetry/api', 'picocolors'] },
    mcp: {
      imports: ['platform'],
      packages: ['@modelcontextprotocol/client', '@modelcontextprotocol/client/stdio'],
    },
    // A trace as people read it: for the gateway's inspector and for the command.
    reading: { imports: ['telemetry'] },
    gateway: { imports: ['platform', 'store', 'telemetry', 'reading'], packages: ['fzstd', 'undici', 'ws'] },
    // The demo model is an upstream: it knows how one is called and how one fails, and nothing else of the gateway.
    demo: {
      imports: ['platform', 'gateway/errors.ts', 'gateway/http/contract.ts', 'gateway/http/json-body.ts'],
    },
    config: { imports: ['platform', 'terminal', 'telemetry', 'mcp', 'gateway'], packages: ['jsonc-parser'] },
    cli: {
      imports: ['platform', 'terminal', 'store', 'telemetry', 'mcp', 'reading', 'gateway', 'demo', 'config'],
      packages: ['jsonc-parser', 'yaml'],
    },
  },
  roomOf: path => (isEntry(path) ? entry : (path.split('/')[0] ?? '')),
}

function isEntry(path: string): boolean {
  return /^([^/]+\/)?index\.ts$/.test(path) || definitionEntries.includes(path)
}

export const packages: { readonly [name: string]: Package } = { core, toolwire: app }

/** Rooms of the plan that need not exist. */
export const plannedRooms: readonly string[] = ['toolwire: platform']
