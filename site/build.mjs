/**
 * Builds the static site of the documents: `npm run site`, which writes `site/dist`. The pages are those of the
 * repository, put together in `site/pages`, and the reference of the library is made from the comments in its sources.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const site = fileURLToPath(new URL('.', import.meta.url))
const root = dirname(dirname(join(site, 'x')))
const pages = join(site, 'pages')
const run = (command, args) => execFileSync(command, args, { cwd: site, stdio: 'inherit' })

if (!existsSync(join(site, 'node_modules'))) run('npm', ['ci', '--silent'])
rmSync(pages, { recursive: true, force: true })
cpSync(join(root, 'docs'), join(pages, 'docs'), { recursive: true })
mkdirSync(join(pages, 'public'))
cpSync(join(root, 'llms.txt'), join(pages, 'public/llms.txt'))

const markdown = [
  ...['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...['bench/README.md', 'bench/results/latest.md', 'examples/mv3-extension/README.md'],
  ...readdirSync(join(root, 'docs'), { recursive: true })
    .filter(name => name.endsWith('.md'))
    .map(name => `docs/${name}`),
]
const textOf = path => readFileSync(join(root, path), 'utf8')
const texts = new Map(markdown.map(path => [path, textOf(path)]))
// The repository shows a folder where a page links to one; the site needs a page.
const decisions = markdown.filter(path => path.startsWith('docs/decisions/')).sort()
const titleOf = path => texts.get(path).match(/^# (.*)$/m)?.[1] ?? path
texts.set(
  'docs/decisions/README.md',
  ['# Decisions', '', ...decisions.map(path => `- [${titleOf(path)}](${basename(path)})`), ''].join('\n'),
)
for (const name of readdirSync(join(root, 'deploy')))
  texts.set(`deploy/${name}.md`, `# ${name}\n\n\`\`\`\`\n${textOf(`deploy/${name}`).trimEnd()}\n\`\`\`\`\n`)

for (const [path, text] of texts) {
  rmSync(join(pages, path), { force: true })
  mkdirSync(dirname(join(pages, path)), { recursive: true })
  writeFileSync(join(pages, indexed(path)), withLinks(text, path))
}

/** The first page of a folder. */
function indexed(path) {
  return path.replace(/README\.md$/, 'index.md')
}

/** Links of a page lead to other pages; what the site does not hold is named without one. */
function withLinks(text, from) {
  return text.replaceAll(/(?<!!)\[([^\]]+)\]\(([^)\s]+)\)/g, (whole, label, target) => {
    if (/^(https?:|#)/.test(target)) return whole
    const [path, hash] = target.split('#')
    const to = posix.join(posix.dirname(from), path)
    const ending = ['', '.md', '/README.md'].find(end => texts.has(to + end))
    if (ending === undefined) return label
    return `[${label}](${indexed(path + ending)}${hash === undefined ? '' : `#${hash}`})`
  })
}

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
    entryFileName: 'index',
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
