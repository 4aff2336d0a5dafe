/** A conversation as a text to be summarised: no call in it can be answered, and nothing in it is sealed or missing a pair. */
import { isObject } from '../../json/object.ts'
import type { Part, Role, Turn } from '../../model/conversation.ts'
import type { Report } from '../../model/diagnostic.ts'
import { isInstruction } from './window.ts'

const speakers: { readonly [R in Role]: string } = {
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool',
  system: 'System',
  developer: 'Developer',
}

/** Without instructions, which stay, and without reasoning, which led to what was said and done. */
export function transcriptOf(turns: readonly Turn[], report: Report): string {
  const said: string[] = []
  for (const turn of turns) {
    if (isInstruction(turn)) continue
    const lines = turn.parts.flatMap(part => linesOf(part, report))
    if (lines.length > 0) said.push(`${speakers[turn.role]}:\n${lines.join('\n')}`)
  }
  return said.join('\n\n')
}

function linesOf(part: Part, report: Report): readonly string[] {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return part.text.trim() === '' ? [] : [part.text]
    case 'call':
      return [`[Call ${part.id ?? ''} of ${part.name}: ${part.input}]`]
    case 'result': {
      const content = part.content.flatMap(inner => linesOf(inner, report)).join('\n')
      return [`[Result ${part.callId ?? ''}${part.isError ? ', an error' : ''}: ${content}]`]
    }
    case 'image':
    case 'file':
      report('media_replaced', part.path, 'The summary is made without it; a note stands in its place.')
      return [`[${part.kind}]`]
    case 'reasoning':
      return []
    default: {
      const read = isObject(part.value) ? part.read?.(part.value, part.path) : undefined
      if (read !== undefined) return read.flatMap(inner => linesOf(inner, report))
      if (part.kind === 'hosted' || part.readElsewhere !== true)
        report('part_dropped', part.path, 'The summary is made without this, which has no text.')
      return []
    }
  }
}
