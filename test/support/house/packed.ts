/**
 * The packages as a user gets them: built, packed, and installed in empty projects, the application alone in one and both
 * in another, once per worker. Tests of the source cannot show what packing leaves out or what a bundler includes.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './source.ts'

interface Project {
  readonly directory: string
  run(command: string, args: readonly string[], input?: string): string
}

interface Installed extends Project {
  /** The packed files, by package name. */
  readonly tarballs: { readonly core: string; readonly toolwire: string }
  /** With the application and nothing else. */
  readonly alone: Project
}

let installed: Installed | undefined

export function installPacked(): Installed {
  installed ??= install()
  return installed
}

function install(): Installed {
  const packs = mkdtempSync(join(tmpdir(), 'toolwire-packs-'))
  execFileSync('npm', ['run', 'build', '--silent'], { cwd: root })
  execFileSync('npm', ['pack', '--silent', '--workspaces', '--pack-destination', packs], { cwd: root })
  const find = (start: string): string =>
    join(packs, readdirSync(packs).find(name => name.startsWith(start)) ?? '')
  const tarballs = { core: find('toolwire-core-'), toolwire: find('toolwire-0') }
  const alone = projectWith(tarballs.toolwire)
  return { ...projectWith(tarballs.core, tarballs.toolwire), tarballs, alone }
}

function projectWith(...tarballs: readonly string[]): Project {
  const directory = mkdtempSync(join(tmpdir(), 'toolwire-packed-'))
  const run = (command: string, args: readonly string[], input?: string): string =>
    execFileSync(command, args, { cwd: directory, encoding: 'utf8', input, stdio: ['pipe', 'pipe', 'pipe'] })
  writeFileSync(join(directory, 'package.json'), '{ "name": "scratch", "private": true, "type": "module" }\n')
  // Scripts stay off: an install that needs one would be broken for users of newer npm.
  const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--silent']
  run('npm', ['install', ...flags, ...tarballs])
  return { directory, run }
}
