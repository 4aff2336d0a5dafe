/** Every client of `test/clients`, for each wire an upstream may speak, whole and streamed. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { agentsClients } from '../../clients/agents.ts'
import { aiSdkClients } from '../../clients/ai-sdk.ts'
import { anthropicClients } from '../../clients/anthropic.ts'
import type { Client } from '../../clients/client.ts'
import { langchainClients } from '../../clients/langchain.ts'
import { openaiClients } from '../../clients/openai.ts'

export interface Case extends Client {
  readonly to: Wire
  readonly stream: boolean
  readonly how: string
}

const wires: readonly Wire[] = ['chat', 'responses', 'messages']

/** With upstreams on other wires, and with upstreams on the client's own. */
export const elsewhere = (client: { readonly wire: Wire }): Wire[] =>
  wires.filter(wire => wire !== client.wire)
export const onItsOwn = (client: { readonly wire: Wire }): Wire[] => [client.wire]

export const ways: readonly { readonly stream: boolean; readonly how: string }[] = [
  { stream: false, how: 'whole' },
  { stream: true, how: 'streamed' },
]

export function casesOf(upstreams: (client: Client) => Wire[]): Case[] {
  const clients = [
    ...openaiClients,
    ...aiSdkClients,
    ...anthropicClients,
    ...agentsClients,
    ...langchainClients,
  ]
  return clients.flatMap(client =>
    upstreams(client).flatMap(to => ways.map(way => ({ ...client, to, ...way }))),
  )
}
