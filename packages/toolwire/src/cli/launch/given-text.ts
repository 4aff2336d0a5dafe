/** What an agent is given, as lines for a shell or as JSON. */
import type { Agent } from './agents.ts'
import type { Given } from './fill-agent.ts'

/** Lines that can be evaluated; the command itself is a comment. `raw` are values that the shell is to expand. */
export function givenText(
  { command, file }: Agent,
  given: Given,
  raw: ReadonlySet<string> = new Set(),
): string {
  const lines = [
    ...Object.entries(given.env).map(([name, value]) =>
      value === undefined ? `unset ${name}` : `export ${name}=${raw.has(value) ? `"${value}"` : word(value)}`,
    ),
    ...(given.file === undefined
      ? []
      : [
          `# ${file?.name}:`,
          ...given.file
            .trimEnd()
            .split('\n')
            .map(line => `#   ${line}`),
        ]),
    `# ${[command, ...given.args.map(word)].join(' ')}`,
  ]
  return lines.map(line => `${line}\n`).join('')
}

/** The same for programs. */
export function givenJson({ command }: Agent, { args, env, file }: Given): string {
  const unset = Object.keys(env).filter(name => env[name] === undefined)
  return `${JSON.stringify({ command, args, env, unset, file }, null, 2)}\n`
}

/** One word for a POSIX shell. */
function word(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
