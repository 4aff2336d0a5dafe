/** One HTML file with exchanges and the page that shows them. */
import type { ExchangeDocument } from './api.ts'

export async function htmlFile(documents: readonly ExchangeDocument[]): Promise<string> {
  const [script, style] = await Promise.all([
    textOf('script[type="module"]:not([src])', '/toolwire/inspector.js'),
    textOf('style', '/toolwire/inspector.css'),
  ])
  // Whatever a model wrote must not end the element that holds it.
  const data = JSON.stringify(documents).replaceAll('<', '\\u003c')
  const code = script.replaceAll('</script', '<\\/script')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${await hashOf(code)}; style-src 'unsafe-inline'; img-src data:">
<title>Toolwire: ${documents.length} exchange${documents.length === 1 ? '' : 's'}</title>
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<script type="application/json" id="toolwire-documents">${data}</script>
<script type="module">${code}</script>
</body>
</html>
`
}

/** Of such a file from itself, which can ask nobody; else from the gateway. */
async function textOf(selector: string, path: string): Promise<string> {
  const own = document.querySelector(selector)?.textContent
  if (own != null) return own
  const answer = await fetch(path)
  if (!answer.ok) throw new Error(`The gateway answered ${answer.status} for ${path}.`)
  return answer.text()
}

/** Only the page's own code runs in the file; browsers compute hashes on secure addresses only. */
async function hashOf(code: string): Promise<string> {
  if (globalThis.crypto?.subtle === undefined) return "'unsafe-inline'"
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(code))
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`
}
