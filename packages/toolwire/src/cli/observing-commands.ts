/** The commands that ask a running gateway what went through it. */
import { type CommandSpec, filterOptions, reachOptions } from './command-spec.ts'

export const observingCommands: { readonly [name: string]: CommandSpec } = {
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
}
