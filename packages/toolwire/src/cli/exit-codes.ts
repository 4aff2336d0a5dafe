/** The exit codes of the command. The help prints this table, so that the two cannot differ. */
export const exitCodes = {
  ok: 0,
  findings: 1,
  usage: 2,
  config: 3,
  upstream: 4,
  bug: 70,
  interrupted: 130,
} as const

/** `fails`: when the command exits with 1; a command without it never does. */
export function exitCodeMeanings(fails: string | undefined): (readonly [code: number, meaning: string])[] {
  return [
    [exitCodes.ok, 'all is well'],
    ...(fails === undefined ? [] : [[exitCodes.findings, fails] as const]),
    [exitCodes.usage, 'the command was misused, or its input could not be read'],
    [exitCodes.config, 'the configuration is wrong, or a gateway cannot be started with it'],
    [exitCodes.upstream, 'a gateway, an upstream or an MCP server cannot be reached, or refuses'],
    [exitCodes.bug, 'a bug in toolwire; DEBUG=1 shows where'],
    [exitCodes.interrupted, 'interrupted with Ctrl-C'],
  ]
}
