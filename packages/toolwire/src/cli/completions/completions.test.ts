import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { commands } from '../command-table.ts'
import { toolwire } from '../memory-io.test-helper.ts'

const scriptFor = async (shell: string): Promise<string> => (await toolwire(['completions', shell])).stdout

describe('completions', () => {
  test.each(['bash', 'zsh', 'fish'])('The script of %s names every command and option.', async shell => {
    const script = await scriptFor(shell)
    for (const [name, { options }] of Object.entries(commands)) {
      expect(script).toContain(name)
      for (const option of Object.keys(options)) expect(script).toContain(option)
    }
  })

  test.each<[line: string, offered: string[]]>([
    ['toolwire tr', ['trace']],
    ['toolwire convert re', ['request', 'response']],
    ['toolwire convert tools --from ', ['chat', 'responses', 'messages', 'mcp']],
    ['toolwire convert tools --to ', ['chat', 'responses', 'messages']],
    ['toolwire lint --target ', ['chat', 'responses', 'messages']],
    ['toolwire env co', ['codex', 'continue']],
    ['toolwire convert tools -f ch', ['chat']],
    ['toolwire trace l', ['last']],
    ['toolwire usage --b', ['--by']],
    ['toolwire help usa', ['usage']],
    ['toolwire completions ', ['bash', 'zsh', 'fish']],
  ])('bash offers for %j what fits.', async (line, offered) => {
    const words = line.split(' ')
    const probe = `${await scriptFor('bash')}
COMP_WORDS=(${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_toolwire; printf '%s\\n' "\${COMPREPLY[@]}"`
    const given = execFileSync('bash', ['-c', probe], { encoding: 'utf8' }).trim().split('\n')
    expect(given).toEqual(offered)
  })

  test('Without a name, the script is that of the user’s shell.', async () => {
    const { stdout } = await toolwire(['completions'], { env: { SHELL: '/usr/bin/fish' } })
    expect(stdout).toContain('for fish')
    const { code, stderr } = await toolwire(['completions'], { env: { SHELL: '/bin/ksh' } })
    expect([code, stderr]).toEqual([2, expect.stringContaining('Name the shell')])
  })

  test('An unknown shell is refused with a suggestion.', async () => {
    const { code, stderr } = await toolwire(['completions', 'zhs'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean "zsh"?')])
  })
})
