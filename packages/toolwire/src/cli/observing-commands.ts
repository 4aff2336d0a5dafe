/** The commands that ask a running gateway what went through it. */
import { type CommandTable, filterOptions, reachOptions } from './command-spec.ts'

export const observingCommands: CommandTable = {
  trace: {
    summary: 'See what was said through a running gateway',
    usage: [
      'toolwire trace [--follow] [--model <name>] [--status <status>] [--losses] [--text <text>]',
      'toolwire trace <id>|last [--full] [--headers] [--raw] [--curl|--har|--json]',
      'toolwire trace <id>|last --view <view> [--round <n>]',
    ],
    about:
      'Without an id: the recent exchanges, the newest last. With an id, or its beginning, or "last": the conversation\n' +
      'with its calls and results, what is known of the exchange, and what was lost on the way. Keys are masked.\n' +
      'Into a pipe, --view writes what was on the wire and nothing else: of several rounds, the last.',
    options: {
      ...reachOptions,
      limit: { type: 'value', short: 'n', value: 'n', description: 'How many exchanges to list (20)' },
      follow: {
        type: 'flag',
        short: 'f',
        description: 'Tell of each exchange when it is over, until Ctrl-C',
      },
      ...filterOptions,
      full: { type: 'flag', description: 'Show all turns and lines at their whole length' },
      headers: { type: 'flag', description: 'Show the headers of both sides too' },
      raw: { type: 'flag', description: 'Show what was on the wire on both sides, instead of what was said' },
      view: {
        type: 'value',
        value: 'view',
        choices: ['client-request', 'upstream-request', 'upstream-answer', 'client-answer'],
        description: 'Show only this',
      },
      round: {
        type: 'value',
        value: 'n',
        description: 'Of the view, which time that the upstream was asked, from 1',
      },
      curl: { type: 'flag', description: 'Write the request as a curl command; with --view, of that side' },
      har: { type: 'flag', description: 'Write an HTTP Archive (HAR 1.2), for the tools of browsers' },
      json: { type: 'flag', description: 'Write JSON; with --follow, one line for each exchange' },
    },
    examples: [
      ['toolwire trace last', 'what was said just now'],
      ['toolwire trace', 'the recent exchanges'],
      ['toolwire trace --status failed --model "qwen*"', 'those that failed with some models'],
      ['toolwire trace req_ab12cd34 --curl', 'the request, to be sent again'],
      [
        'toolwire trace req_ab12cd34 --view client-request | toolwire diff',
        'what a client asked, on every wire',
      ],
      ['toolwire trace --follow --json', 'for scripts, as it happens'],
    ],
    load: () => import('./trace/trace.ts'),
  },
  usage: {
    summary: 'See what was used through a gateway, and what it cost',
    usage: ['toolwire usage [--by model|client|key] [--since <time>]'],
    about:
      'Requests, tokens and cost, added up by the hour, also of agents that "toolwire codex" and its like ran. They outlive the\n' +
      'gateway where its store is a file or on a server, which is also read when no gateway runs. The cost is blank where no\n' +
      'price is known; the configuration takes your own under "prices".',
    options: {
      ...reachOptions,
      by: {
        type: 'value',
        short: 'b',
        value: 'what',
        choices: ['model', 'client', 'key'],
        description: 'One row for each (model)',
      },
      since: {
        type: 'value',
        short: 's',
        value: 'time',
        description: 'From when: 24h, 7d, today, 2026-11-01; all by default',
      },
      prices: { type: 'flag', description: 'Show the prices that are known, with their sources, instead' },
      json: { type: 'flag', description: 'Write JSON' },
    },
    examples: [
      ['toolwire usage', 'by model, from the beginning'],
      ['toolwire usage --by client --since 7d', 'which programs, in the last week'],
      ['toolwire usage --prices', 'what the cost is computed from'],
    ],
    load: () => import('./usage/usage.ts'),
  },
}
