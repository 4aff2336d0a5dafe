/** Brings a schema of Postgres to the version of this program. */
import { StoreError } from '../store-error.ts'
import { appendEvents } from './append-events.ts'
import type { PostgresClient } from './client.ts'
import { conversationFunctions } from './conversation-functions.ts'
import { countFunctions } from './count-functions.ts'
import { eventFunctions, eventsOfEnded, savedWithEvents } from './event-functions.ts'
import { lockedConversations } from './locked-conversations.ts'
import { responseFunctions } from './response-functions.ts'
import { saveResponse } from './save-response.ts'
import { tables } from './tables.ts'
import { upkeepFunctions } from './upkeep-functions.ts'

/**
 * Step n migrates a schema from version n to n + 1. Released steps are never changed, and no step changes a function in a
 * way that a gateway of the version before would notice: during an upgrade both run.
 */
const migrations: readonly string[] = [
  [tables, saveResponse, responseFunctions, conversationFunctions, upkeepFunctions].join('\n'),
  eventFunctions,
  countFunctions,
  eventsOfEnded,
  savedWithEvents,
  saveResponse,
  saveResponse,
  appendEvents,
  [saveResponse, lockedConversations].join('\n'),
]

export async function migrate(client: PostgresClient, schema: string, address: string): Promise<void> {
  const sql = (text: string): string => text.replaceAll('$s', `"${schema}"`)
  let isDone = false
  try {
    // Several gateways may start at the same time.
    await client.query('BEGIN')
    await client.query('SET LOCAL statement_timeout = 0')
    await client.query(sql("SELECT pg_advisory_xact_lock(hashtextextended('$s', 0))"))
    const [known] = await rowsOf(client, sql("SELECT to_regclass('$s.migrations')::text"))
    if (known?.[0] == null) {
      await client.query(sql('CREATE SCHEMA IF NOT EXISTS $s'))
      await client.query(
        sql(
          'CREATE TABLE $s.migrations (version int PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now())',
        ),
      )
    }
    const [row] = await rowsOf(client, sql('SELECT coalesce(max(version), 0)::text FROM $s.migrations'))
    const version = Number(row?.[0] ?? 0)
    if (version > migrations.length) throw newerVersion(address, schema, version)
    for (const [step, text] of migrations.entries()) {
      if (step < version) continue
      await client.query(sql(text))
      await client.query(sql(`INSERT INTO $s.migrations (version) VALUES (${step + 1})`))
    }
    await client.query('COMMIT')
    isDone = true
  } finally {
    // The connection of a transaction that failed is not used again.
    client.release(!isDone)
  }
}

async function rowsOf(
  client: PostgresClient,
  text: string,
): Promise<readonly (readonly (string | null)[])[]> {
  return (await client.query({ text, values: [], rowMode: 'array' })).rows
}

function newerVersion(address: string, schema: string, version: number): StoreError {
  return new StoreError(
    'newer_version',
    `The store at ${address} (schema ${schema}) has version ${version}; this program knows versions up to ` +
      `${migrations.length}. Update toolwire, or choose another schema.`,
  )
}
