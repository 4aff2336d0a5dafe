/** A request of `node:http` as the gateway takes it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { bodyTooLarge, clientGone } from '../errors.ts'
import { Abort } from './abort.ts'
import { ChunkList } from './bytes.ts'
import type { GatewayRequest } from './contract.ts'

export function requestOf(incoming: IncomingMessage, outgoing: ServerResponse): GatewayRequest {
  const gone = new Abort()
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) gone.abort()
  })
  const { url = '/' } = incoming
  const { target, authority } = url.startsWith('/') ? { target: url, authority: undefined } : splitTarget(url)
  return {
    method: incoming.method ?? 'GET',
    target,
    headers: headersOf(incoming, authority),
    signal: gone,
    ownsBody: true,
    body: (limit, reserve) => readBody(incoming, limit, reserve),
    chunks: hasBody(incoming) ? () => incoming : undefined,
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Proxies are sent the whole address, and any server must take it. */
function splitTarget(url: string): { readonly target: string; readonly authority?: string } {
  const [start = '', authority] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? []
  if (authority === undefined) return { target: url }
  const rest = url.slice(start.length)
  return { target: rest.startsWith('/') ? rest : `/${rest}`, authority }
}

/** Node joins repeated headers, but of several hosts it takes the first. Others may take another, so all are shown. */
function headersOf(incoming: IncomingMessage, authority: string | undefined): GatewayRequest['headers'] {
  const { rawHeaders } = incoming
  // Arrays are made only of `set-cookie`, which no client sends.
  const headers = incoming.headers as Record<string, string | undefined>
  const hosts: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[at + 1] ?? '')
  }
  if (authority !== undefined && authority.toLowerCase() !== hosts[0]?.toLowerCase()) hosts.push(authority)
  const host = hosts.length === 0 ? undefined : hosts.join(', ')
  return host === headers.host ? headers : { ...headers, host }
}

function readBody(
  incoming: IncomingMessage,
  limit: number,
  reserve: (bytes: number) => void,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks = new ChunkList()
    let length = 0
    let reserved = 0
    const refuse = (error: unknown): void => {
      incoming.off('data', onData)
      // The rest is read and discarded, so that the client gets to read the answer.
      incoming.resume()
      reject(error)
    }
    const grow = (total: number): boolean => {
      try {
        if (total > limit) throw bodyTooLarge(limit)
        if (total > reserved) reserve(total - reserved)
        reserved = Math.max(reserved, total)
        return true
      } catch (error) {
        refuse(error)
        return false
      }
    }
    const onData = (chunk: Buffer): void => {
      length += chunk.length
      if (grow(length)) chunks.add(chunk)
    }
    // The parser has checked that it is a number.
    if (!grow(Number(incoming.headers['content-length'] ?? 0))) return
    incoming.on('data', onData)
    incoming.on('end', () => resolve(chunks.join()))
    incoming.on('error', () => reject(clientGone()))
  })
}
