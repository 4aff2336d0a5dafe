/** What the command says beside the log of exchanges, as lines of the same JSON log. */
import { stripVTControlCharacters } from 'node:util'
import type { Io } from '../../terminal/io.ts'
import type { Environment } from './environment.ts'

const levels: { readonly [word: string]: string } = { warning: 'warn', error: 'error' }

/** The log writes whole lines of JSON, which pass; everything else is a sentence for people. */
export function asLogLines(io: Io, { date }: Pick<Environment, 'date'>): Io {
  const { stderr } = io
  const logLine = (line: string): string => {
    if (line === '') return line
    const [, word = '', message = ''] =
      /^(?:(warning|error): )?(.*)$/.exec(stripVTControlCharacters(line)) ?? []
    return JSON.stringify({ time: new Date(date()).toISOString(), level: levels[word] ?? 'info', message })
  }
  return {
    ...io,
    stderr: {
      isTTY: stderr.isTTY,
      write: text => stderr.write(text.startsWith('{') ? text : text.split('\n').map(logLine).join('\n')),
    },
  }
}
