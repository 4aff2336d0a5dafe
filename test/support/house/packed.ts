/**
 * The two packages as a user gets them: built, packed, and installed in an empty project, once per worker. Tests of the
 * source cannot show what packing leaves out or what a bundler includes.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './source.ts'

export interface Installed {
  readonly directory: string
  /** The packed files, by package name. */
  readonly tarballs: { readonly core: string; readonly toolwire: string }
  run(command: string, args: readonly string[], input?: string): string
}

let installed: Installed | undefined

export function installPacked(): Installed {
  installed ??= install()
  return installed
}

function install(): Installed {
  const directory = mkdtempSync(join(tmpdir(), 'toolwire-packed-'))
  const packs = join(directory, 'packs')
  mkdirSync(packs)
  const run = (command: string, args: readonly string[], input?: string): string =>
    execFileSync(command, args, { cwd: directory, encoding: 'utf8', input, stdio: ['pipe', 'pipe', 'pipe'] })
  execFileSync('npm', ['run', 'build', '--silent'], { cwd: root })
  execFileSync('npm', ['pack', '--silent', '--workspaces', '--pack-destination', packs], { cwd: root })
  const find = (start: string): string =>
    join(packs, readdirSync(packs).find(name => name.startsWith(start)) ?? '')
  const tarballs = { core: find('toolwire-core-'), toolwire: find('toolwire-0') }
  writeFileSync(join(directory, 'package.json'), '{ "name": "scratch", "private": true, "type": "module" }\n')
  // Scripts stay off: an install that needs one would be broken for users of newer npm.
  const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--silent']
  run('npm', ['install', ...flags, tarballs.core, tarballs.toolwire])
  return { directory, tarballs, run }
}
