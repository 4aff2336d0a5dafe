/** One command for each agent, and the one that prints what they are given. */
import { type CommandSpec, configOption, wiresOption } from './command-spec.ts'
import { type Agent, agents } from './launch/agents.ts'

const options: CommandSpec['options'] = {
  model: {
    type: 'value',
    short: 'm',
    value: 'name',
    description: 'The model that answers, whatever the agent names',
  },
  upstream: {
    type: 'values',
    short: 'u',
    value: 'wire=url',
    description: 'Where models are, instead of looking; may end in ,key=ENV ,models=a|b* ,name=x',
  },
  config: configOption,
  demo: { type: 'flag', description: 'The demo model, whatever else is configured' },
  strict: { type: 'flag', description: 'Refuse requests of which anything would be lost' },
  stay: { type: 'flag', description: 'Keep the inspector open after the agent has ended, until Ctrl-C' },
  'dry-run': { type: 'flag', description: 'Print what would be set and run, and start nothing' },
  json: { type: 'flag', description: 'With --dry-run: write {"command", "args", "env", "unset", "file"}' },
  wires: wiresOption,
}

const windowOption: CommandSpec['options'] = {
  window: {
    type: 'value',
    short: 'w',
    value: 'tokens',
    description: 'How many tokens the model takes, where its server does not tell',
  },
}

const specOf = (agent: Agent): CommandSpec => ({
  summary: `Run ${agent.title} on any model`,
  usage: [`toolwire ${agent.name} [--model <name>] [-- its own arguments]`],
  about:
    `Finds a model: in the configuration, at a model server on this machine, or by keys in the environment. Starts a\n` +
    `gateway for as long as ${agent.title} runs, and tells it so with variables and flags; none of its files is changed.\n` +
    `At the end a few lines on stderr say what it came to. The exit code is the one of ${agent.title}.`,
  options: agent.withWindow === undefined ? options : { ...options, ...windowOption },
  ofAgent: { strangeFlag: `What is meant for ${agent.title} stands behind "--".` },
  examples: [
    [`toolwire ${agent.name} --model qwen3:8b`, `${agent.title} on a model of Ollama`],
    [
      `toolwire ${agent.name} -- ${agent.example.map(word => (word.includes(' ') ? `"${word}"` : word)).join(' ')}`,
      'one task, without a terminal',
    ],
  ],
  load: async () => (await import('./launch/launch.ts')).launcherOf(agent),
})

export const agentCommands: { readonly [name: string]: CommandSpec } = {
  ...Object.fromEntries(agents.map(agent => [agent.name, specOf(agent)])),
  env: {
    summary: 'Print what an agent is to be given for a gateway that runs by itself',
    usage: ['toolwire env <agent> [--model <name>]'],
    subjects: agents.map(({ name }) => name),
    about:
      `The agents are ${agents.map(({ name }) => name).join(', ')}. Lines for a shell: variables to set, and as a\n` +
      'comment the command with its flags. Nothing is started.',
    options: {
      model: { type: 'value', short: 'm', value: 'name', description: 'The model that the agent is to name' },
      port: { type: 'value', short: 'p', value: 'n', description: 'The port of the gateway (4141)' },
      host: { type: 'value', value: 'address', description: 'The address it listens on (127.0.0.1)' },
      config: configOption,
      json: { type: 'flag', description: 'Write {"command", "args", "env", "unset", "file"}' },
      wires: wiresOption,
    },
    examples: [
      ['eval "$(toolwire env claude)"', 'Claude Code in this shell, with "toolwire serve" elsewhere'],
    ],
    load: () => import('./launch/env.ts'),
  },
}
