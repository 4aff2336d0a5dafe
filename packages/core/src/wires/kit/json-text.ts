/** Values as text and back: arguments that one wire holds as text and another as an object, and results. */
import type { JsonObject } from '../../json/object.ts'
import { isObject } from '../../json/object.ts'
import { jsonString, parseJson } from '../../json/text.ts'
import type { Part } from '../../model/conversation.ts'

/** The value as JSON; `undefined` if it is nested deeper than the engine can write. */
export function jsonText(value: unknown): string | undefined {
  if (typeof value === 'string') return jsonString(value)
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** A string as it is, and any other value as its JSON. */
export function textOfValue(value: unknown): string | undefined {
  return typeof value === 'string' ? value : jsonText(value)
}

/** The input of a call as text. An absent input is the empty text. */
export function inputText(value: unknown): string | undefined {
  return value === undefined || value === null ? '' : textOfValue(value)
}

/** The object that a text holds, if it holds one. */
export function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text)
  return isObject(value) ? value : undefined
}

/** The content of a result as text, for wires that take nothing else. */
export function textOfContent(content: readonly Part[]): string {
  return content
    .flatMap(part => {
      if (part.kind === 'text') return [part.text]
      return part.kind === 'image' || part.kind === 'file' ? [`(${part.kind} that cannot be shown here)`] : []
    })
    .join('\n')
}
