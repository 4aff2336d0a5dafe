/** The commands as data: what parses their arguments and what prints their help. */

import { conventionalVariables } from '../config/env-upstreams.ts'
import { agentCommands } from './agent-commands.ts'
import { type CommandTable, configOption, wiresOption } from './command-spec.ts'
import { observingCommands } from './observing-commands.ts'
import { upkeepCommands } from './upkeep-commands.ts'

const ofWires = { value: 'wire', isWire: true } as const
const ofSources = { value: 'wire', isWire: 'or mcp' } as const

export const commands: CommandTable = {
  convert: {
    summary: 'Convert tools, requests, answers and streams from one wire to another',
    usage: [
      'toolwire convert tools [--from <wire>] --to <wire> [file|-]',
      'toolwire convert request [--from <wire>] --to <wire> [file|-]',
      'toolwire convert response [--from <wire>] --to <wire> [--request <file>] [file|-]',
      'toolwire convert stream [--from <wire>] --to <wire> [--request <file>] [file|-]',
    ],
    about:
      'tools     a list of tools, of an MCP server too, or a request body of which only the tool part is converted\n' +
      'request   a whole request body\n' +
      'response  a whole answer, or an error body\n' +
      'stream    an answer as server-sent events, converted as they come\n' +
      'The result goes to stdout, what was changed or lost to stderr. --from is always the wire of the input.',
    fails: 'an error was reported, the stream failed, or with --strict anything was lost',
    options: {
      from: {
        type: 'value',
        short: 'f',
        ...ofSources,
        description: 'The wire of the input ("mcp" for tools only); guessed when left out',
      },
      to: {
        type: 'value',
        short: 't',
        ...ofWires,
        description: 'The wire of the output',
      },
      json: { type: 'flag', description: 'Write {"value", "diagnostics"} to stdout and nothing to stderr' },
      compact: { type: 'flag', description: 'Write the JSON in one line' },
      strict: { type: 'flag', description: 'Exit with 1 when anything is lost, not only on errors' },
      request: {
        type: 'value',
        short: 'r',
        value: 'file',
        description:
          'For an answer: the request of the client, so that its tools come back as it declared them',
      },
      pairing: {
        type: 'value',
        value: 'policy',
        choices: ['error', 'repair', 'drop', 'pass'],
        description: 'For a request: what to do about calls without results and results without calls',
      },
      'strict-mode': {
        type: 'value',
        value: 'mode',
        choices: ['preserve', 'omit', 'strictify'],
        description: 'What becomes of "strict"',
      },
      'misplaced-strict': {
        type: 'value',
        value: 'how',
        choices: ['ignore', 'honour'],
        description: 'What a "strict" in the wrong place means',
      },
      hosted: {
        type: 'values',
        value: '[type=]policy',
        description: 'What becomes of hosted tools: emulate, drop, handler, pass, error',
      },
      unknown: {
        type: 'value',
        value: 'policy',
        choices: ['drop', 'pass', 'error'],
        description: 'What becomes of tools that cannot be read',
      },
      'native-custom': { type: 'flag', description: 'The target takes free-text tools as they are' },
      'max-name-length': {
        type: 'value',
        value: 'n',
        description: 'The longest tool name the target takes (16 or more)',
      },
      wires: wiresOption,
    },
    examples: [
      ['toolwire convert tools --from chat --to responses tools.json', 'from a file to stdout'],
      ['cat request.json | toolwire convert tools --to messages', 'the source wire is guessed'],
      [
        'toolwire convert tools --from mcp --to chat tools-list.json',
        'what an MCP server answered to tools/list',
      ],
      ['toolwire convert tools --to chat --hosted web_search=emulate codex.json', 'one policy for one type'],
      ['toolwire convert tools --to chat --strict --json tools.json', 'for scripts: fail on any loss'],
      ['toolwire convert request --to messages --pairing repair request.json', 'a whole conversation'],
      [
        'toolwire convert response --from chat --to responses --request request.json answer.json',
        'the way back, with the tools as they were declared',
      ],
      ['curl -sN … | toolwire convert stream --to responses', 'a stream, as it comes'],
      ['toolwire convert request --wires ./my-wire.js --to mine request.json', 'to a wire of your own'],
    ],
    load: () => import('./convert/convert.ts'),
  },
  diff: {
    summary: 'See tools, a request or an answer on every wire side by side',
    usage: ['toolwire diff [--from <wire>] [--full] [file|-]'],
    about:
      'Shows what stands on each wire, and below it what is lost there. In the source, letters before a line\n' +
      'tell on which wires it is lost. Ids and times that a wire makes up are the same in every run.',
    options: {
      from: {
        type: 'value',
        short: 'f',
        ...ofSources,
        description: 'The wire of the input ("mcp" for tools only); guessed when left out',
      },
      full: { type: 'flag', description: 'Show all lines, schemas and losses, and wrap instead of cutting' },
      json: {
        type: 'flag',
        description: 'Write each wire under its name, with its "value" and "diagnostics"',
      },
      wires: wiresOption,
    },
    examples: [
      ['toolwire diff request.json', 'a request on every wire'],
      ['toolwire diff --full answer.json | less', 'all of it'],
      ['toolwire diff --json tools.json', 'for scripts'],
    ],
    load: () => import('./diff/diff.ts'),
  },
  lint: {
    summary: 'Find what a provider would refuse, and fix what can be fixed',
    usage: [
      'toolwire lint [--target <wire>] [--fix] [--watch] [files and folders…]',
      'toolwire lint --mcp <command>',
    ],
    about:
      'Each file, or stdin, holds tools or a request body: JSON, JSON lines, YAML, an OpenAPI document, or a module that\n' +
      'exports tools. In a folder, modules are read that are called tools.js or *.tools.js. Findings go to stdout. A comment\n' +
      '"toolwire-lint-ignore code" accepts a finding in its line or the next, "toolwire-lint-ignore-file code" in the file;\n' +
      '"lint.ignore" in the configuration does it for many. TypeScript needs Node 22.18.\n' +
      'With --fix and stdin the repaired JSON goes to stdout, and the findings to stderr.',
    fails: 'an error was found, or more warnings than --max-warnings',
    options: {
      from: {
        type: 'value',
        short: 'f',
        ...ofSources,
        description: 'The wire the tools are written for; guessed when left out',
      },
      target: {
        type: 'values',
        short: 't',
        ...ofWires,
        description:
          'The wires they will be sent on (repeat, or separate with commas); the same when left out, for "mcp" all',
      },
      strict: { type: 'flag', description: 'Hold every function to strict mode' },
      fix: { type: 'flag', description: 'Write certain repairs into the files (from stdin: to stdout)' },
      'fix-dry-run': { type: 'flag', description: 'Say what --fix would do, and write nothing' },
      format: {
        type: 'value',
        value: 'format',
        choices: ['pretty', 'json', 'sarif', 'github'],
        description: 'How to print the findings (pretty)',
      },
      json: { type: 'flag', description: 'The same as --format json' },
      quiet: { type: 'flag', short: 'q', description: 'Leave the notes out' },
      mcp: {
        type: 'values',
        value: 'command',
        description: 'Lint the tools of an MCP server: its command line, or its address',
      },
      watch: { type: 'flag', description: 'Lint again whenever a file changes, until Ctrl-C' },
      config: configOption,
      'max-warnings': { type: 'value', value: 'n', description: 'How many warnings to tolerate (0)' },
      wires: wiresOption,
    },
    examples: [
      ['toolwire lint tools.json', 'against the wire it is written for'],
      ['toolwire lint --target chat,messages tools.json', 'what two other wires would refuse or lose'],
      ['toolwire lint src/ --watch', 'all tools below a folder, again and again'],
      ['toolwire lint --mcp "npx -y @modelcontextprotocol/server-filesystem ."', 'what an MCP server offers'],
      ['toolwire lint --fix-dry-run tools/*.json', 'what would be repaired'],
      ['toolwire lint --fix tools/*.json', 'repair what has only one repair'],
      ['toolwire lint --format sarif tools.json > lint.sarif', 'for code scanning'],
    ],
    load: () => import('./lint/lint.ts'),
  },
  tokens: {
    summary: 'See what each tool and message of a request costs in tokens',
    usage: ['toolwire tokens [--wire <wire>] [--model <model>] [file|-]'],
    about:
      'The input is a request body or a list of tools. Texts are counted with the tokenizer of the model where that\n' +
      'is public; what servers put around them is counted by what is published about it. No network is used.',
    options: {
      wire: {
        type: 'value',
        short: 'w',
        ...ofWires,
        description: 'The wire of the input; guessed when left out',
      },
      model: {
        type: 'value',
        short: 'm',
        value: 'model',
        description: 'Count for this model instead of the one in the request',
      },
      encoding: {
        type: 'value',
        short: 'e',
        value: 'name',
        choices: ['o200k_base', 'cl100k_base', 'estimate'],
        description: "Count texts in this encoding instead of the model's own",
      },
      top: { type: 'value', short: 'n', value: 'n', description: 'How many rows to show (20); 0 shows all' },
      sort: {
        type: 'value',
        value: 'by',
        choices: ['size', 'order'],
        description: 'The largest first (size), or as they stand in the request (order)',
      },
      json: { type: 'flag', description: 'Write {"wire", "total", "method", "errorBound", "parts", …}' },
      wires: wiresOption,
    },
    examples: [
      ['toolwire tokens request.json', 'the twenty largest parts of a request'],
      ['toolwire tokens --model gpt-4o tools.json', 'what a list of tools costs'],
      ['toolwire tokens --json request.json | jq .total', 'for scripts'],
    ],
    load: () => import('./tokens/tokens.ts'),
  },
  explain: {
    summary: 'Explain a diagnostic code',
    usage: ['toolwire explain [code]'],
    about: 'Tells what a code means and what to do about it; without a code, lists them all.',
    options: { json: { type: 'flag', description: 'Write JSON' } },
    examples: [
      ['toolwire explain strict_unstated', 'one code'],
      ['toolwire explain', 'all of them'],
    ],
    load: () => import('./explain.ts'),
  },
  serve: {
    summary: 'Run the gateway',
    usage: ['toolwire serve [--config <file>]', 'toolwire serve --upstream <wire>=<url>'],
    about:
      'Clients of any wire reach models on any other. Without a configuration file, flags, or keys and addresses in\n' +
      `${conventionalVariables.join(', ')}, the embedded demo model\n` +
      'answers: no key, no network. Flags win over PORT and HOST, those over the file. What to try goes to stdout, one\n' +
      'log line for each request to stderr. Ctrl-C and SIGTERM let exchanges end; a second one does not.',
    options: {
      config: configOption,
      port: { type: 'value', short: 'p', value: 'n', description: 'The port (4141); 0 takes any free one' },
      host: { type: 'value', value: 'address', description: 'The address to listen on (127.0.0.1)' },
      'health-port': {
        type: 'value',
        value: 'n',
        description:
          'A port on which a thread of its own answers /live and /ready, however busy the gateway is',
      },
      workers: {
        type: 'value',
        value: 'n',
        description: 'How many processes serve the port (1), or auto for as many as there are cores',
      },
      upstream: {
        type: 'values',
        short: 'u',
        value: 'wire=url',
        description:
          'Where models are, instead of those in the file; may end in ,key=ENV ,models=a|b* ,name=x',
      },
      model: {
        type: 'value',
        short: 'm',
        value: 'name',
        description: 'Send every request to this model, whatever model it names',
      },
      demo: { type: 'flag', description: 'The demo model, whatever else is configured' },
      'key-env': {
        type: 'value',
        value: 'name',
        description: 'The variable with the keys that clients must present, separated by commas',
      },
      'operator-key-env': {
        type: 'value',
        value: 'name',
        description:
          'The variable with the keys for metrics and everybody’s traces, apart from clients’ keys',
      },
      insecure: { type: 'flag', description: 'Listen beyond this machine without asking for a key' },
      'no-inspector': { type: 'flag', description: 'Serve no page at / that shows the traces' },
      store: {
        type: 'value',
        value: 'store',
        description:
          'Where responses are kept: memory, none, the path of a file, or redis://… or postgres://…',
      },
      strict: { type: 'flag', description: 'Refuse requests of which anything would be lost' },
      log: {
        type: 'value',
        value: 'format',
        choices: ['pretty', 'json'],
        description: 'The form of the log',
      },
      quiet: { type: 'flag', short: 'q', description: 'Print only the address, and log only failures' },
      json: { type: 'flag', description: 'Print {"url", "pid", …} in one line when ready, and log JSON' },
      wires: wiresOption,
    },
    examples: [
      ['toolwire serve', 'with toolwire.config.json, keys in the environment, or the demo model'],
      ['toolwire serve --upstream chat=http://127.0.0.1:11434/v1', 'a local model server'],
      ['toolwire serve --model qwen3:8b', 'for clients that bring model names of their own'],
      ['toolwire serve --config gateway.json --port 8080', 'as configured, on another port'],
      ['toolwire serve --workers auto', 'on all cores of the machine'],
    ],
    load: () => import('./serve/serve.ts'),
  },
  ...agentCommands,
  ...observingCommands,
  ...upkeepCommands,
}
