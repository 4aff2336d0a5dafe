/** YAML as JSON, with the places of its values. The package is loaded only when there is YAML to read. */
import type { Path } from '@toolwire/core'
import type { Range } from '../../../terminal/code-frame.ts'
import { InputError, UnloadedError } from '../../../terminal/errors.ts'
import { printable } from '../../../terminal/printable.ts'

export interface ReadYaml {
  readonly value: unknown
  rangeOf(path: Path): Range | undefined
}

export async function readYaml(name: string, text: string): Promise<ReadYaml> {
  const yaml = await import('yaml').catch(() => {
    throw new UnloadedError(printable(name), 'YAML needs the package "yaml": npm install yaml.')
  })
  const lines = new yaml.LineCounter()
  // Aliases may name one value very often.
  const document = yaml.parseDocument(text, { lineCounter: lines, logLevel: 'silent' })
  const [error] = document.errors
  if (error !== undefined) {
    const [at] = error.pos
    const { line, col } = lines.linePos(at)
    const [reason = ''] = error.message.split('\n', 1)
    throw new InputError(printable(name), printable(reason), { place: { line, column: col } })
  }
  const rangeOf = (path: Path): Range | undefined => {
    for (let length = path.length; length >= 0; length--) {
      const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
      const range = yaml.isNode(node) ? node.range : undefined
      if (range == null) continue
      const [offset, end] = range
      return { offset, length: end - offset }
    }
    return undefined
  }
  try {
    return { value: document.toJS({ maxAliasCount: 100 }), rangeOf }
  } catch (thrown) {
    throw new InputError(
      printable(name),
      printable(thrown instanceof Error ? thrown.message : String(thrown)),
    )
  }
}
