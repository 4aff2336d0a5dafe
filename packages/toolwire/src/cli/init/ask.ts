/** Questions on a terminal, each with an answer that the return key gives. */
import type { Io } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'

export interface Questions {
  /** One of the options: by number or name, the first when nothing is said. */
  choose(question: string, options: readonly string[]): Promise<string | undefined>
}

const most = 12

export function asking(io: Io): Questions {
  return {
    async choose(question, options) {
      const shown = options.slice(0, most)
      const rows = shown.map((option, index) => `  ${index + 1}  ${printable(option)}\n`)
      io.stdout.write(`\n${question}\n${rows.join('')}`)
      const prompt = (): void => io.stdout.write('1 > ')
      prompt()
      for await (const line of linesOf(io)) {
        const word = line.trim()
        const found =
          word === '' ? options[0] : (shown[Number(word) - 1] ?? options.find(each => each === word))
        if (found !== undefined) return found
        io.stdout.write(`Write a number from 1 to ${shown.length}, or a name.\n`)
        prompt()
      }
      return options[0]
    },
  }
}

/** Asks for no more than it was asked for: a read under way would hold the terminal, and with it the process. */
async function* linesOf(io: Io): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of io.read('-')) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
