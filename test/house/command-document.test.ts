/** docs/cli.md is generated from the table of commands. `npm run docs` writes it. */
import { expect, test } from 'vitest'
import { commands } from '../../packages/toolwire/src/cli/command-table.ts'
import { commandHelp, mainHelp } from '../../packages/toolwire/src/cli/help.ts'
import { builtInWireSet } from '../../packages/toolwire/src/config/wires.ts'
import { colorsFor } from '../../packages/toolwire/src/terminal/colors.ts'
import { root } from '../support/house/source.ts'

const plain = colorsFor({ write: () => {}, isTTY: false }, {})
const page = { colors: plain, width: 100, wires: builtInWireSet }

const block = (text: string): string[] => ['', '```', text.trimEnd(), '```']

const document = [
  '# The command',
  '',
  'What `toolwire --help` and `toolwire help <command>` print. Data goes to stdout, everything else to stderr; `--json` makes data of it.',
  ...block(mainHelp(page)),
  ...Object.entries(commands).flatMap(([name, spec]) => [
    '',
    `## toolwire ${name}`,
    ...block(commandHelp(spec, page)),
  ]),
  '',
].join('\n')

test('The document docs/cli.md matches the table of commands.', async () => {
  await expect(document).toMatchFileSnapshot(`${root}docs/cli.md`)
})

test('Every command that prints data can write JSON.', () => {
  const data = [
    'convert',
    'diff',
    'lint',
    'tokens',
    'explain',
    'trace',
    'usage',
    'serve',
    'config',
    'doctor',
    'store',
  ]
  for (const name of data) expect(commands[name]?.options.json, name).toBeDefined()
})
