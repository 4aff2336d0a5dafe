/** Where in a program its import failed. Node says so of some errors in their stack; of a mere slip only to a terminal. */
import { spawn } from 'node:child_process'

/** `:line` or `:line:column`, to be put behind the name of the file; empty where it is not known. */
export async function placeOfFailure(error: unknown, url: string, text: string): Promise<string> {
  if (!(error instanceof Error)) return ''
  const stack = error.stack ?? ''
  const at = stack.indexOf(`${url}:`)
  if (at >= 0) return /^(?::\d+){1,2}/.exec(stack.slice(at + url.length))?.[0] ?? ''
  return error instanceof SyntaxError ? placeInReport(await checkSyntax(text)) : ''
}

/** What Node prints of it; nothing when it finds no mistake. */
function checkSyntax(text: string): Promise<string> {
  return new Promise(resolve => {
    const child = spawn(process.execPath, ['--check', '--input-type=module', '-'], {
      stdio: ['pipe', 'ignore', 'pipe'],
      timeout: 5_000,
    })
    let report = ''
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      report += chunk
    })
    child.on('error', () => resolve(''))
    child.on('close', () => resolve(report))
    // It may end before it has read all.
    child.stdin.on('error', () => {})
    child.stdin.end(text)
  })
}

/** The number of the line, the line itself, and carets below the place. */
function placeInReport(report: string): string {
  const [, line, carets] = /^\[stdin\]:(\d+)\r?\n.*\r?\n( *)\^/.exec(report) ?? []
  return line === undefined ? '' : `:${line}:${(carets ?? '').length + 1}`
}
