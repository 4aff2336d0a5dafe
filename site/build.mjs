/**
 * Builds the static site of the documents: `npm run site`, which writes `site/dist`. The pages are those of the
 * repository, put together in `site/pages`, and the reference of the library is made from the comments in its sources.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const site = fileURLToPath(new URL('.', import.meta.url))
const root = dirname(dirname(join(site, 'x')))
const pages = join(site, 'pages')
const run = (command, args) => execFileSync(command, args, { cwd: site, stdio: 'inherit' })

if (!existsSync(join(site, 'node_modules'))) run('npm', ['ci', '--silent'])
rmSync(pages, { recursive: true, force: true })
mkdirSync(pages)
cpSync(join(root, 'docs'), join(pages, 'docs'), { recursive: true })
for (const name of ['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'])
  cpSync(join(root, name), join(pages, name))
// Links of the README are relative to the root, and so is the first page.
const readme = readFileSync(join(root, 'README.md'), 'utf8')
writeFileSync(join(pages, 'index.md'), readme.replaceAll('](docs/decisions)', '](docs/decisions/README.md)'))
mkdirSync(join(pages, 'public'))
cpSync(join(root, 'llms.txt'), join(pages, 'public/llms.txt'))

// The repository shows a folder where a page links to one; the site needs a page.
const decisions = readdirSync(join(root, 'docs/decisions')).sort()
const titleOf = name =>
  readFileSync(join(root, 'docs/decisions', name), 'utf8').match(/^# (.*)$/m)?.[1] ?? name
writeFileSync(
  join(pages, 'docs/decisions/README.md'),
  ['# Decisions', '', ...decisions.map(name => `- [${titleOf(name)}](${name})`), ''].join('\n'),
)

/** The sources of the published entry points. */
const entriesOf = name => {
  const { exports } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))
  return Object.values(exports).flatMap(({ types }) =>
    types === undefined
      ? []
      : [join(root, 'packages', name, types.replace('dist', 'src').replace(/\.d\.ts$/, '.ts'))],
  )
}
writeFileSync(
  join(site, 'typedoc.json'),
  JSON.stringify({
    entryPoints: [...entriesOf('core'), ...entriesOf('toolwire')],
    tsconfig: join(site, 'tsconfig.json'),
    plugin: ['typedoc-plugin-markdown'],
    out: join(pages, 'api'),
    readme: 'none',
    name: 'Reference',
    githubPages: false,
    disableSources: true,
    hidePageHeader: true,
    skipErrorChecking: true,
    logLevel: 'Warn',
    validation: { notExported: false, invalidLink: true },
  }),
)
run('npx', ['typedoc'])
run('npx', ['vitepress', 'build', '.', '--outDir', 'dist'])
