/** The documents as readers see them: their blocks of code, and what they link to. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './source.ts'

export interface Block {
  /** Where it stands, from the root of the repository. */
  readonly file: string
  readonly code: string
}

/** README.md and all of `docs`, from the root of the repository. */
export const documents: readonly string[] = [
  'README.md',
  ...readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md'))
    .map(name => join('docs', name))
    .sort(),
]

export function blocksOf(file: string, language: string): Block[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(match => ({
    file,
    code: match[1] ?? '',
  }))
}

/** Each line of its shell blocks, without what explains it. */
export function shellLinesOf(file: string): string[] {
  return blocksOf(file, 'sh')
    .flatMap(({ code }) => code.trim().split('\n'))
    .map(line => line.replace(/\s+#.*$/, ''))
}

/** Links to files that do not exist. */
export function deadLinksOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/\]\((?!https?:)([^)#\s]+)[^)]*\)/g)]
    .map(match => match[1] ?? '')
    .filter(link => !existsSync(join(root, dirname(file), link)))
}
