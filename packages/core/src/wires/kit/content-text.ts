/** The content of a result as text, for wires that take nothing else. */
import type { Part } from '../../model/conversation.ts'

export function textOfContent(content: readonly Part[]): string {
  return content
    .flatMap(part => {
      if (part.kind === 'text') return [part.text]
      return part.kind === 'image' || part.kind === 'file' ? [`(${part.kind} that cannot be shown here)`] : []
    })
    .join('\n')
}
