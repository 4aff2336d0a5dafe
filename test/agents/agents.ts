/** The agents that install from npm, and what only a test needs to know of them. */
import type { AgentTools } from './scripted-server.ts'

export interface TestedAgent {
  /** The word behind `toolwire`. */
  readonly name: string
  /** A script of its package that puts its binary in place; no other script of any package is run. */
  readonly setup?: string
  /** Its arguments for one task without a terminal and without questions. */
  task(words: string): readonly string[]
  /** What keeps it from asking others than the gateway. */
  readonly env?: Readonly<Record<string, string>>
  readonly tools: AgentTools
  /** Small and quick enough for the ordinary checks. */
  readonly isOrdinary?: true
}

const byPath = (names: readonly [read: string, write: string], path: string): AgentTools => ({
  read: file => ({ name: names[0], arguments: { [path]: file } }),
  write: (file, content) => ({ name: names[1], arguments: { [path]: file, content } }),
})

export const testedAgents: readonly TestedAgent[] = [
  {
    name: 'codex',
    task: words => ['exec', '--skip-git-repo-check', '--sandbox', 'danger-full-access', words],
    tools: {
      read: file => ({ name: 'exec_command', arguments: { cmd: `cat '${file}'` } }),
      write: (file, text) => ({
        name: 'exec_command',
        arguments: { cmd: `echo ${text.trim()} > '${file}'` },
      }),
    },
    isOrdinary: true,
  },
  {
    name: 'claude',
    setup: 'install.cjs',
    task: words => ['-p', words, '--allowedTools', 'Read,Write'],
    env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
    tools: byPath(['Read', 'Write'], 'file_path'),
    isOrdinary: true,
  },
  {
    name: 'opencode',
    setup: 'postinstall.mjs',
    task: words => ['run', words],
    env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
    tools: byPath(['read', 'write'], 'filePath'),
  },
  {
    name: 'qwen',
    task: words => ['-p', words, '--yolo'],
    tools: byPath(['read_file', 'write_file'], 'file_path'),
  },
  {
    name: 'continue',
    task: words => ['-p', words, '--auto'],
    env: { CONTINUE_TELEMETRY_ENABLED: '0' },
    tools: byPath(['Read', 'Write'], 'filepath'),
  },
]
