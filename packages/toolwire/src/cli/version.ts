import { readFileSync } from 'node:fs'

/** From the package itself, which lies at the same distance from the sources and from the build. */
export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const found =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : ''
  return String(found)
}
