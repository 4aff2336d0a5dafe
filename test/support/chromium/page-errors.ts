/** The error that a DevTools event reports about a page or worker, in one line; `undefined` for any other event. */
import type { DevtoolsEvent } from './devtools-pipe.ts'

interface Details {
  readonly text: string
  readonly exception?: { readonly description?: string }
}

interface ConsoleCall {
  readonly type: string
  readonly args: readonly { readonly value?: unknown; readonly description?: string }[]
}

interface Entry {
  readonly level: string
  readonly source: string
  readonly text: string
}

const errorLevels: readonly string[] = ['error', 'warning', 'assert']

export function errorOf({ method, params }: DevtoolsEvent): string | undefined {
  switch (method) {
    case 'Runtime.exceptionThrown': {
      const { text, exception } = params.exceptionDetails as Details
      return `uncaught: ${exception?.description ?? text}`
    }
    case 'Runtime.consoleAPICalled': {
      const { type, args } = params as unknown as ConsoleCall
      if (!errorLevels.includes(type)) return undefined
      return `console.${type}: ${args.map(({ value, description }) => String(value ?? description)).join(' ')}`
    }
    case 'Log.entryAdded': {
      const { level, source, text } = params.entry as Entry
      return errorLevels.includes(level) ? `${source} ${level}: ${text}` : undefined
    }
    case 'Audits.issueAdded':
      return `issue: ${JSON.stringify(params.issue)}`
    default:
      return undefined
  }
}
