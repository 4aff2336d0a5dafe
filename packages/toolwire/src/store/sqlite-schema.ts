/** The tables, and how a file of an earlier version is brought up to date. */
import type { SqliteDatabase } from './sqlite-database.ts'
import { StoreError } from './store-error.ts'

/** "tool" in ASCII, in the header of the file, tells our files from other databases. */
const APPLICATION_ID = 0x74_6f_6f_6c

/**
 * Step n brings a file from version n to n + 1. Steps that were released are never changed.
 * `AUTOINCREMENT`, so that a number or place is never given twice: contexts are cut by place.
 * Ordinary rowid tables, for values are big. Totals are kept by triggers, so that no write can forget them.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE totals (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    writes INTEGER NOT NULL,
    records INTEGER NOT NULL,
    bytes INTEGER NOT NULL
  ) STRICT;
  INSERT INTO totals VALUES (1, 0, 0, 0);

  CREATE TABLE records (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('response', 'conversation')),
    id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    written INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    status TEXT,
    previous_id TEXT,
    conversation_id TEXT,
    joined_to INTEGER,
    joined_after INTEGER,
    writer TEXT,
    body TEXT NOT NULL,
    UNIQUE (owner, kind, id)
  ) STRICT;
  CREATE INDEX records_written ON records (written);
  CREATE INDEX records_expires_at ON records (expires_at);
  CREATE INDEX records_writer ON records (writer) WHERE writer IS NOT NULL;

  CREATE TABLE items (
    place INTEGER PRIMARY KEY AUTOINCREMENT,
    record INTEGER NOT NULL REFERENCES records (number) ON DELETE CASCADE,
    owner TEXT NOT NULL,
    id TEXT NOT NULL,
    part TEXT NOT NULL CHECK (part IN ('input', 'output', 'conversation')),
    json TEXT NOT NULL
  ) STRICT;
  CREATE INDEX items_record ON items (record, place);
  CREATE INDEX items_id ON items (owner, id, record);

  CREATE TRIGGER records_inserted AFTER INSERT ON records BEGIN
    UPDATE totals SET records = records + 1, bytes = bytes + NEW.bytes;
  END;
  CREATE TRIGGER records_deleted AFTER DELETE ON records BEGIN
    UPDATE totals SET records = records - 1, bytes = bytes - OLD.bytes;
  END;
  CREATE TRIGGER records_weighed AFTER UPDATE OF bytes ON records BEGIN
    UPDATE totals SET bytes = bytes + NEW.bytes - OLD.bytes;
  END;
  `,
]

/** Looks without touching: refuses other databases, and files of a later version. */
export function assertUsable(db: SqliteDatabase, path: string): void {
  const { application_id: id } = db.one<{ application_id: number }>('PRAGMA application_id') ?? {
    application_id: 0,
  }
  const tables = db.one<{ count: number }>('SELECT count(*) AS count FROM sqlite_schema')?.count ?? 0
  if (tables === 0) return
  if (id !== APPLICATION_ID) {
    throw new StoreError(
      'not_a_store',
      `${path} is a database of another program. Choose another path for the store.`,
    )
  }
  const version = versionOf(db)
  if (version > MIGRATIONS.length) {
    throw new StoreError(
      'newer_version',
      `The store at ${path} has version ${version}; this program knows versions up to ${MIGRATIONS.length}. ` +
        'Update toolwire, or choose another path.',
    )
  }
}

/** To be called in a transaction, for another process may be doing the same. */
export function migrate(db: SqliteDatabase, path: string, now: number): void {
  assertUsable(db, path)
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
  db.exec(
    'CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL) STRICT',
  )
  const version = versionOf(db)
  for (const [step, sql] of MIGRATIONS.entries()) {
    if (step < version) continue
    db.exec(sql)
    db.run('INSERT INTO migrations (version, applied_at) VALUES (?, ?)', step + 1, now)
  }
}

const versionOf = (db: SqliteDatabase): number =>
  db.one<{ version: number | null }>('SELECT max(version) AS version FROM migrations')?.version ?? 0
