/** The commands that look after a gateway: its configuration, its machine, its store. */
import { type CommandTable, configOption, wiresOption } from './command-spec.ts'

export const upkeepCommands: CommandTable = {
  init: {
    summary: 'Write a configuration for the servers and keys that are found',
    usage: ['toolwire init [file]', 'toolwire init --print'],
    about:
      'Looks for model servers on this machine and keys in the environment, and writes toolwire.config.jsonc with\n' +
      'comments and a schema for editors. On a terminal it asks which model is to be the usual one.',
    options: {
      model: {
        type: 'value',
        short: 'm',
        value: 'name',
        description: 'The model for names that no upstream lists; the first that is found by default',
      },
      yes: { type: 'flag', short: 'y', description: 'Ask nothing' },
      print: { type: 'flag', description: 'Write it to stdout instead of a file' },
      force: { type: 'flag', description: 'Replace a file that is there' },
      json: { type: 'flag', description: 'Ask nothing, and write {"file", "servers", "hosts", "model"}' },
    },
    examples: [
      ['toolwire init', 'in the folder where the gateway is to run'],
      ['toolwire init --print', 'to look at it first'],
    ],
    load: () => import('./init/init.ts'),
  },
  config: {
    summary: 'See, check and describe the configuration of the gateway',
    usage: [
      'toolwire config print [--config <file>]',
      'toolwire config check [--config <file>]',
      'toolwire config schema',
    ],
    about:
      'print   every setting, what it is and where it comes from; keys are masked\n' +
      'check   says whether a gateway could be started with it\n' +
      'schema  the JSON Schema of the file, for editors',
    options: {
      config: configOption,
      json: { type: 'flag', description: 'Write JSON; of check {"ok", "problems"} when it is wrong' },
      wires: wiresOption,
    },
    examples: [
      ['toolwire config print', 'all settings'],
      ['toolwire config check --config gateway.json', 'before it is used'],
      ['toolwire config schema > toolwire.schema.json', 'for an editor'],
    ],
    load: () => import('./config.ts'),
  },
  doctor: {
    summary: 'Check all that a gateway needs: configuration, keys, upstreams, store, port',
    usage: ['toolwire doctor [--config <file>]'],
    about: 'Looks at each by really using it, and says what to do about what is wrong. No key is ever shown.',
    fails: 'something is wrong',
    options: {
      config: configOption,
      json: { type: 'flag', description: 'Write {"ok", "checks"}' },
      wires: wiresOption,
    },
    examples: [
      ['toolwire doctor', 'what "toolwire serve" would find'],
      ['toolwire doctor --json', 'for scripts'],
    ],
    load: () => import('./doctor/doctor.ts'),
  },
  store: {
    summary: 'Back up, verify or shrink the store of the gateway',
    usage: [
      'toolwire store backup [--store <path>] <file>',
      'toolwire store verify [--store <path>]',
      'toolwire store vacuum [--store <path>]',
    ],
    about:
      'backup  copies the store to a new file as it is at this moment, and verifies the copy\n' +
      'verify  reads all of it: whether the file is sound, and each record what was written\n' +
      'vacuum  rewrites the file without gaps; for this it needs as much space again\n' +
      'The gateway may be running. The store is the one of the configuration, unless --store names another.',
    fails: 'something in the store is damaged',
    options: {
      config: configOption,
      store: { type: 'value', value: 'path', description: 'The file of the store' },
      json: { type: 'flag', description: 'Write {"ok", …}' },
      wires: wiresOption,
    },
    examples: [
      ['toolwire store backup /backups/responses.sqlite', 'while the gateway runs'],
      ['toolwire store verify --json', 'for scripts'],
      ['toolwire store vacuum --store ./responses.sqlite', 'of one file'],
    ],
    load: () => import('./store/store.ts'),
  },
  completions: {
    summary: 'Write what a shell needs to complete commands at the tab key',
    usage: ['toolwire completions bash|zsh|fish'],
    about:
      'Made from the same table as this help. Without a shell, that of SHELL. The script itself says where it goes.',
    options: {},
    examples: [
      ['source <(toolwire completions bash)', 'for this bash; in ~/.bashrc, for every one'],
      ['toolwire completions fish > ~/.config/fish/completions/toolwire.fish', 'for fish'],
    ],
    load: () => import('./completions/completions.ts'),
  },
}
