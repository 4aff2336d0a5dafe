import { readdirSync, readFileSync } from 'node:fs'

const pages = new URL('../pages/', import.meta.url)
const titleOf = path =>
  readFileSync(new URL(path, pages), 'utf8')
    .match(/^# (.*)$/m)?.[1]
    .replaceAll('`', '') ?? path
const page = path => ({ text: titleOf(path), link: `/${path.replace(/(index)?\.md$/, '')}` })
const folder = name =>
  readdirSync(new URL(name, pages))
    .filter(file => file.endsWith('.md') && file !== 'index.md')
    .sort()
    .map(file => page(`${name}/${file}`))
const guides = [
  'cli',
  'configuration',
  'inspector',
  'troubleshooting',
  'deploy',
  'scale',
  'tenants',
  'limits',
  'store',
  'reliability',
  'tokens',
  'wires',
]

export default {
  title: 'Toolwire',
  description: 'Define tools once, and let any agent call any model with them.',
  srcDir: 'pages',
  cleanUrls: true,
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Clients', link: '/docs/clients/' },
      { text: 'Upstreams', link: '/docs/upstreams/' },
      { text: 'Reference', link: '/api/' },
    ],
    sidebar: [
      { text: 'Toolwire', items: [{ text: 'Start', link: '/' }] },
      { text: 'Clients', link: '/docs/clients/', collapsed: false, items: folder('docs/clients') },
      { text: 'Upstreams', link: '/docs/upstreams/', collapsed: true, items: folder('docs/upstreams') },
      { text: 'Running it', collapsed: false, items: guides.map(name => page(`docs/${name}.md`)) },
      {
        text: 'What becomes of it',
        items: ['mapping', 'diagnostics', 'glossary'].map(name => page(`docs/${name}.md`)),
      },
      {
        text: 'How it is built',
        collapsed: true,
        items: [
          page('ARCHITECTURE.md'),
          page('CONTRIBUTING.md'),
          page('SECURITY.md'),
          page('CHANGELOG.md'),
          ...folder('docs/decisions'),
        ],
      },
      { text: 'Reference of the library', link: '/api/', items: [] },
    ],
  },
}
