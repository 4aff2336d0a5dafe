/** Colours for one output: by `NO_COLOR` and `FORCE_COLOR` first, then by whether the output is a terminal. */
import type { Severity } from '@toolwire/core'
import pico from 'picocolors'
import type { Io, Output } from './io.ts'

export type Colors = ReturnType<typeof pico.createColors>

export function colorsFor(output: Output, env: Io['env']): Colors {
  return pico.createColors(wantsColor(output, env))
}

function wantsColor(output: Output, { NO_COLOR, FORCE_COLOR, TERM }: Io['env']): boolean {
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return output.isTTY && TERM !== 'dumb'
}

export function paintSeverity(severity: Severity, text: string, colors: Colors): string {
  if (severity === 'error') return colors.bold(colors.red(text))
  return severity === 'warning' ? colors.yellow(text) : colors.cyan(text)
}

/** `info` is called `note` in output for people. */
export function severityName(severity: Severity): string {
  return severity === 'info' ? 'note' : severity
}
