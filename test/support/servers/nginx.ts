/** A real nginx with a file of `deploy/`, for gateways on this machine. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { answers, freePort, installed } from './installed.ts'

export interface Nginx {
  readonly url: string
  stop(): Promise<void>
}

/** `addresses`: what the names in the file stand for. `undefined` where it is not installed. */
export async function startNginx(
  file: string,
  addresses: Readonly<Record<string, string>>,
): Promise<Nginx | undefined> {
  const program = installed('nginx', 'nginx-light')
  if (program === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-nginx-'))
  const port = await freePort()
  let text = readFileSync(file, 'utf8').replace('listen 80;', `listen 127.0.0.1:${port};`)
  for (const [name, address] of Object.entries(addresses)) text = text.replaceAll(name, address)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const paths = temporary.map(name => `${name}_temp_path ${folder}/${name};`).join(' ')
  const config = join(folder, 'nginx.conf')
  writeFileSync(
    config,
    `daemon off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${paths}\n${text}}`,
  )
  const child = spawn(program, ['-p', folder, '-e', 'stderr', '-c', config], { detached: true })
  let printed = ''
  child.stderr.on('data', chunk => {
    printed += String(chunk)
  })
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`nginx ended: ${printed}`)
    await pause(20)
  }
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      // With its workers.
      process.kill(-(child.pid ?? 0), 'SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
