/** What the command's exit code tells. Printed by the help, so that the two cannot differ. */
export const exitCodes = { ok: 0, findings: 1, usage: 2, interrupted: 130 } as const

export const exitCodeMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [exitCodes.ok, 'all is well'],
  [exitCodes.findings, 'something was found or lost'],
  [exitCodes.usage, 'the command was misused, or its input could not be read'],
  [exitCodes.interrupted, 'interrupted with Ctrl-C'],
]
