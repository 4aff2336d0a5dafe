import { describe, expect, test } from 'vitest'
import { toolwire } from '../memory-io.test-helper.ts'

const withNote = '[{"type":"function","function":{"name":"f"}}]'
const withError = '[{"type":"function","function":{"name":"a b","description":"d"}}]'

describe('--format', () => {
  test('The JSON format holds everything about a finding.', async () => {
    const { stdout, stderr } = await toolwire(['lint', '--format', 'json', 'a.json'], {
      files: { 'a.json': withError },
    })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual({
      files: [
        {
          file: 'a.json',
          wire: 'chat',
          targets: ['chat'],
          findings: [
            {
              code: 'name_characters',
              example: '"name": "a_b"',
              severity: 'error',
              path: [0, 'function', 'name'],
              message: 'The name "a b" may hold only letters, digits, "_" and "-".',
              remedy: expect.stringContaining('"a_b"'),
              targets: ['chat'],
              line: 1,
              column: 40,
              endLine: 1,
              endColumn: 45,
            },
          ],
          repairs: [],
        },
      ],
      summary: { errors: 1, warnings: 0, notes: 0, fixed: 0, unreadable: 0 },
    })
  })

  test('The GitHub format has one escaped command for each finding.', async () => {
    const { stdout } = await toolwire(['lint', '--format', 'github', 'a,b.json'], {
      files: { 'a,b.json': withError },
    })
    expect(stdout).toBe(
      '::error file=a%2Cb.json,line=1,col=40,endLine=1,endColumn=45,title=name_characters::' +
        'The name "a b" may hold only letters, digits, "_" and "-".%0A' +
        'Rename it, for instance to "a_b", here and wherever the name is used.\n',
    )
  })

  test('The SARIF format describes every rule that a result names.', async () => {
    const files = { 'my tools.json': withError, 'b.json': withNote }
    const { stdout } = await toolwire(['lint', '--format', 'sarif', ...Object.keys(files)], { files })
    const log = JSON.parse(stdout)
    expect(log).toMatchObject({ version: '2.1.0', runs: [{ tool: { driver: { name: 'toolwire' } } }] })
    const [{ tool, results }] = log.runs
    expect(results).toMatchObject([
      {
        ruleId: 'name_characters',
        level: 'error',
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'my%20tools.json' },
              region: { startLine: 1, startColumn: 40, endLine: 1, endColumn: 45 },
            },
          },
        ],
      },
      { ruleId: 'description_advised', level: 'note' },
    ])
    for (const { ruleId, ruleIndex, message } of results) {
      expect(tool.driver.rules[ruleIndex].id).toBe(ruleId)
      expect(tool.driver.rules[ruleIndex].shortDescription.text).not.toBe('')
      expect(message.text).not.toBe('')
    }
  })

  test('The JSON format holds the edits of a fix once, even for many findings.', async () => {
    const parameters = '{"type":"object","properties":{"a":{"type":"string"}}}'
    const tool = `{"type":"function","function":{"name":"f","description":"d","strict":true,"parameters":${parameters}}}`
    for (const stdin of [`[${tool}]`, tool]) {
      const { stdout } = await toolwire(['lint', '--format', 'json'], { stdin })
      const title = expect.stringContaining('Rewrite')
      const fixes = JSON.parse(stdout).files[0].findings.map(({ fix }: { fix: unknown }) => fix)
      expect(fixes).toMatchObject([
        { title, edits: [{}] },
        { title, repeated: true },
      ])
    }
  })
})

describe('files that cannot be read', () => {
  const files = { 'bad.json': '[\n1,]', 'latin.json': new Uint8Array([0x5b, 0x22, 0xe9, 0x22, 0x5d]) }
  const argv = ['bad.json', 'latin.json', 'none.json']
  const lint = (format: string): ReturnType<typeof toolwire> =>
    toolwire(['lint', '--format', format, ...argv], { files })

  test.each(['pretty', 'json', 'sarif', 'github'])(
    'Files that cannot be read end the run with 2, and are named on stderr in the format %s.',
    async format => {
      const { code, stderr } = await lint(format)
      expect(code).toBe(2)
      expect(stderr).toContain('error: bad.json:2:3: ')
      expect(stderr).toContain('error: latin.json: not UTF-8 at byte 2.')
      expect(stderr).toContain('error: none.json: no such file')
    },
  )

  test('The JSON format lists files that cannot be read.', async () => {
    const { files: told, summary } = JSON.parse((await lint('json')).stdout)
    const code = 'unreadable_file'
    expect(told).toMatchObject([
      { file: 'bad.json', error: { code, line: 2, column: 3 }, findings: [] },
      { file: 'latin.json', error: { code, message: expect.stringContaining('byte 2') } },
      { file: 'none.json', error: { code, message: 'no such file' } },
    ])
    expect(summary.unreadable).toBe(3)
  })

  test('The SARIF format has a result for each file that cannot be read.', async () => {
    const [{ tool, results }] = JSON.parse((await lint('sarif')).stdout).runs
    const at = (uri: string, region?: object): object => ({
      ruleId: 'unreadable_file',
      level: 'error',
      locations: [{ physicalLocation: { artifactLocation: { uri }, ...(region && { region }) } }],
    })
    expect(results).toMatchObject([
      at('bad.json', { startLine: 2, startColumn: 3 }),
      at('latin.json'),
      at('none.json'),
    ])
    expect(tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(['unreadable_file'])
  })

  test('The GitHub format has a command for each file that cannot be read.', async () => {
    const lines = (await lint('github')).stdout.trimEnd().split('\n')
    expect(lines).toEqual([
      expect.stringMatching(/^::error file=bad\.json,line=2,col=3,title=unreadable_file::/),
      expect.stringMatching(/^::error file=latin\.json,title=unreadable_file::not UTF-8 at byte 2/),
      '::error file=none.json,title=unreadable_file::no such file',
    ])
  })
})
