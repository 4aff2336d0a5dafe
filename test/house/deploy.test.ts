/** The files of `deploy/` fit one another, the command and its settings. No engine is needed to see that. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { commands } from '../../packages/toolwire/src/cli/command-table.ts'
import { root } from '../support/house/source.ts'

interface Service {
  readonly build?: { readonly dockerfile: string; readonly args?: { readonly PACKAGES?: string } }
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly depends_on?: readonly string[]
  readonly ports?: readonly string[]
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const compose = (path: string): Compose => parse(read(path), { merge: true }) as Compose
const files = ['deploy/compose.yaml', 'deploy/compose.scale.yaml']

test.each(files)('%s names only services, volumes and files that there are.', path => {
  const { services, volumes } = compose(path)
  for (const { depends_on = [], volumes: mounts = [], build } of Object.values(services)) {
    for (const name of depends_on) expect(services).toHaveProperty(name)
    for (const mount of mounts) {
      const [source = ''] = mount.split(':')
      if (source.startsWith('.')) expect(read(join(dirname(path), source))).not.toBe('')
      else expect(volumes).toHaveProperty(source)
    }
    if (build !== undefined) expect(read(build.dockerfile)).toContain('ENTRYPOINT')
  }
})

test.each(files)('%s starts the command with flags that it has, and asks for keys.', path => {
  const served = Object.values(compose(path).services).filter(({ build }) => build !== undefined)
  expect(served.length).toBeGreaterThan(0)
  const known = Object.keys(commands.serve?.options ?? {})
  for (const { command = [], environment = {} } of served) {
    const [name, ...flags] = command
    expect(name).toBe('serve')
    for (const flag of flags) expect(known).toContain(flag.replace(/^--([^=]+)=.*$/, '$1'))
    const [keys = ''] = flags.flatMap(flag => /^--key-env=(.*)$/.exec(flag)?.[1] ?? [])
    expect(environment[keys]).toMatch(/^\$\{\w+:\?/)
  }
})

test('The gateways of deploy/compose.scale.yaml share a store whose client they have, and nginx knows them all.', () => {
  const { services } = compose('deploy/compose.scale.yaml')
  const gateways = Object.entries(services).filter(([, { build }]) => build !== undefined)
  const nginx = read('deploy/nginx.scale.conf')
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> }
  expect(gateways).toHaveLength(2)
  for (const [name, { build, command, environment = {} }] of gateways) {
    expect(command).toContain('--store=redis')
    expect(services).toHaveProperty(new URL(environment.REDIS_URL ?? '').hostname)
    // The version that the tests of the store run with.
    expect(build?.args?.PACKAGES).toBe(`@redis/client@${devDependencies['@redis/client']}`)
    expect(nginx).toContain(`server ${name}:4141`)
  }
  expect(read('deploy/compose.scale.yaml')).toContain(`"pg@${devDependencies.pg}"`)
  expect(services.redis?.command).toContain('noeviction')
  expect(services.nginx?.ports?.[0]).toMatch(/^127\.0\.0\.1:/)
})

test.each(['deploy/nginx.conf', 'deploy/nginx.scale.conf'])(
  '%s lets streams through as they come, WebSockets open, and no request be sent twice.',
  path => {
    const text = read(path)
    for (const line of [
      'proxy_buffering off;',
      'proxy_request_buffering off;',
      'proxy_http_version 1.1;',
      'proxy_set_header Upgrade $http_upgrade;',
      'proxy_read_timeout 15m;',
      'client_max_body_size 64m;',
      'gzip off;',
    ]) {
      expect(text).toContain(line)
    }
    expect(text).toMatch(/proxy_set_header Connection \$(?:http_connection|connection_header);/)
    expect(text.split('{').length).toBe(text.split('}').length)
    expect(text).not.toMatch(/proxy_next_upstream [^;]*non_idempotent/)
  },
)

test.each(files)('%s gives the model server the window that its guide names.', path => {
  const [, window] = /OLLAMA_CONTEXT_LENGTH=(\d+)/.exec(read('docs/upstreams/ollama.md')) ?? []
  expect(compose(path).services.ollama?.environment?.OLLAMA_CONTEXT_LENGTH).toBe(window)
})

interface Manifest {
  readonly kind: string
  readonly spec: {
    readonly replicas?: number
    readonly selector?: unknown
    readonly template?: {
      readonly metadata: { readonly labels: unknown }
      readonly spec: {
        readonly terminationGracePeriodSeconds: number
        readonly containers: readonly {
          readonly args: readonly string[]
          readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
          readonly readinessProbe: { readonly httpGet: { readonly path: string; readonly port: string } }
          readonly livenessProbe: { readonly httpGet: { readonly path: string; readonly port: string } }
        }[]
      }
    }
  }
}

test('The manifest for Kubernetes starts the command with flags that it has, and asks the port that answers for its health.', () => {
  const parts = parseAllDocuments(read('deploy/kubernetes.yaml')).map(document => document.toJS() as Manifest)
  expect(parts.map(({ kind }) => kind)).toEqual(['Deployment', 'Service', 'PodDisruptionBudget'])
  const [deployment, service, budget] = parts
  const template = deployment?.spec.template
  const [container] = template?.spec.containers ?? []
  const known = Object.keys(commands.serve?.options ?? {})
  const [name, ...flags] = container?.args ?? []
  expect(name).toBe('serve')
  for (const flag of flags) expect(known).toContain(flag.replace(/^--([^=]+)=.*$/, '$1'))
  const health = container?.ports.find(port => port.name === 'health')?.containerPort
  expect(flags).toContain(`--health-port=${health}`)
  expect(container?.readinessProbe.httpGet).toEqual({ path: '/ready', port: 'health' })
  expect(container?.livenessProbe.httpGet).toEqual({ path: '/live', port: 'health' })
  expect(service?.spec.selector).toEqual(template?.metadata.labels)
  expect(budget?.spec.selector).toEqual({ matchLabels: template?.metadata.labels })
  // Longer than exchanges under way are given by default, and the pause before.
  expect(template?.spec.terminationGracePeriodSeconds).toBeGreaterThan(15)
})

test('deploy/nginx.scale.conf lets the names of conversations through that Codex sends.', () => {
  expect(read('deploy/nginx.scale.conf')).toContain('underscores_in_headers on;')
})
