/** Counts how much JSON is read and written: in a world without threads, all of it is work of the event loop. */

export interface JsonWork {
  /** How many characters since it was last asked. */
  take(): number
  stop(): void
}

let isCounting = true

/** For the work of the tests themselves, in which nothing is waited for. */
export function uncounted<T>(act: () => T): T {
  isCounting = false
  try {
    return act()
  } finally {
    isCounting = true
  }
}

/** JSON that the tests themselves read and write. */
export const ownJson = {
  parse: (text: string): unknown => uncounted(() => JSON.parse(text)),
  stringify: (value: unknown): string => uncounted(() => JSON.stringify(value)),
}

export function countJsonWork(): JsonWork {
  const { parse, stringify } = JSON
  let characters = 0
  JSON.parse = (text, reviver) => {
    if (isCounting) characters += text.length
    return parse(text, reviver)
  }
  JSON.stringify = ((...given: Parameters<typeof stringify>) => {
    const text: string | undefined = stringify(...given)
    if (isCounting) characters += text?.length ?? 0
    return text
  }) as typeof stringify
  return {
    take() {
      const taken = characters
      characters = 0
      return taken
    },
    stop() {
      Object.assign(JSON, { parse, stringify })
    },
  }
}
