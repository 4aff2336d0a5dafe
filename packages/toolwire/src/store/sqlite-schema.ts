/** The tables, and the migration of files of earlier versions. */
import type { SqliteDatabase } from './sqlite-database.ts'
import { StoreError } from './store-error.ts'

/** "tool" in ASCII. It is in the header of the file, and distinguishes it from other databases. */
const applicationId = 0x74_6f_6f_6c

/**
 * Step n migrates a file from version n to n + 1. Released steps are never changed.
 * `AUTOINCREMENT` ensures that numbers and places are never reused: contexts are cut by place.
 * The tables have row ids, because values are large. Triggers maintain the totals, so that no write can forget them.
 */
const migrations: readonly string[] = [
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
  `
  CREATE TABLE claims (
    holder TEXT NOT NULL,
    id TEXT NOT NULL,
    owner TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (holder, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX claims_expires_at ON claims (expires_at);
  `,
  // Checksums are in a table of their own: behind a long body they would be slow to reach. What was written before has
  // none, and is not checked. A response that was deleted is remembered, so that a late save does not bring it back.
  `
  ALTER TABLE items ADD COLUMN sum INTEGER;
  ALTER TABLE claims ADD COLUMN sum INTEGER;
  CREATE TABLE seals (
    record INTEGER PRIMARY KEY REFERENCES records (number) ON DELETE CASCADE,
    head INTEGER NOT NULL,
    body INTEGER NOT NULL,
    items INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE stops (
    record INTEGER PRIMARY KEY REFERENCES records (number) ON DELETE CASCADE
  ) STRICT;
  CREATE TABLE graves (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL,
    id TEXT NOT NULL,
    writer TEXT,
    at INTEGER NOT NULL,
    UNIQUE (owner, id)
  ) STRICT;
  CREATE INDEX graves_at ON graves (at);
  CREATE INDEX graves_writer ON graves (writer) WHERE writer IS NOT NULL;
  CREATE TABLE moment (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    at INTEGER NOT NULL,
    doubt_ms INTEGER NOT NULL
  ) STRICT;
  `,
  `
  CREATE TABLE owner_totals (
    owner TEXT PRIMARY KEY,
    records INTEGER NOT NULL,
    bytes INTEGER NOT NULL
  ) STRICT;
  INSERT INTO owner_totals SELECT owner, count(*), sum(bytes) FROM records GROUP BY owner;
  CREATE INDEX owner_totals_records ON owner_totals (records DESC, owner);
  CREATE INDEX owner_totals_bytes ON owner_totals (bytes DESC, owner);
  CREATE INDEX records_owner_written ON records (owner, written);

  CREATE TRIGGER owner_records_inserted AFTER INSERT ON records BEGIN
    INSERT INTO owner_totals VALUES (NEW.owner, 1, NEW.bytes)
      ON CONFLICT (owner) DO UPDATE SET records = records + 1, bytes = bytes + NEW.bytes;
  END;
  CREATE TRIGGER owner_records_deleted AFTER DELETE ON records BEGIN
    UPDATE owner_totals SET records = records - 1, bytes = bytes - OLD.bytes WHERE owner = OLD.owner;
    DELETE FROM owner_totals WHERE owner = OLD.owner AND records <= 0;
  END;
  CREATE TRIGGER owner_records_weighed AFTER UPDATE OF bytes ON records BEGIN
    UPDATE owner_totals SET bytes = bytes + NEW.bytes - OLD.bytes WHERE owner = NEW.owner;
  END;
  `,
  `
  CREATE TABLE secrets (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    sum INTEGER NOT NULL
  ) STRICT;
  `,
  `
  CREATE TABLE usage (
    hour INTEGER NOT NULL,
    model TEXT NOT NULL,
    upstream TEXT NOT NULL,
    client TEXT NOT NULL,
    owner TEXT NOT NULL,
    requests INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    input INTEGER NOT NULL,
    output INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    cost INTEGER NOT NULL,
    unpriced INTEGER NOT NULL,
    PRIMARY KEY (hour, model, upstream, client, owner)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE traces (
    number INTEGER PRIMARY KEY,
    owner TEXT NOT NULL,
    id TEXT NOT NULL,
    answer_id TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    summary TEXT NOT NULL,
    trace TEXT NOT NULL
  ) STRICT;
  CREATE INDEX traces_id ON traces (id);
  CREATE INDEX traces_answer ON traces (answer_id);
  CREATE INDEX traces_owner ON traces (owner, number);
  CREATE INDEX traces_bytes ON traces (number, bytes);
  `,
  `
  CREATE TABLE counts (
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    value INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (owner, name)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX counts_expires_at ON counts (expires_at);
  `,
  // The events of streamed background responses, one row for each append, for other processes on the file.
  `
  CREATE TABLE logs (
    record INTEGER PRIMARY KEY REFERENCES records (number) ON DELETE CASCADE,
    writer TEXT NOT NULL,
    next INTEGER NOT NULL,
    is_last INTEGER NOT NULL,
    bytes INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE events (
    record INTEGER NOT NULL REFERENCES records (number) ON DELETE CASCADE,
    first INTEGER NOT NULL,
    at INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (record, first)
  ) STRICT;
  CREATE INDEX events_at ON events (at);
  `,
]

/** Refuses other databases and files of a later version, without changing them. */
export function assertUsable(db: SqliteDatabase, path: string): void {
  const { application_id: id } = db.one<{ application_id: number }>('PRAGMA application_id') ?? {
    application_id: 0,
  }
  const tables = db.one<{ count: number }>('SELECT count(*) AS count FROM sqlite_schema')?.count ?? 0
  if (tables === 0) return
  if (id !== applicationId) {
    throw new StoreError(
      'not_a_store',
      `${path} is a database of another program. Choose another path for the store.`,
    )
  }
  const version = versionOf(db)
  if (version > migrations.length) {
    throw new StoreError(
      'newer_version',
      `The store at ${path} has version ${version}; this program knows versions up to ${migrations.length}. ` +
        'Update toolwire, or choose another path.',
    )
  }
}

/** Must be called in a transaction, because another process may be doing the same. */
export function migrate(db: SqliteDatabase, path: string, now: number): void {
  assertUsable(db, path)
  // On a full disk, opening must not write.
  if (isCurrent(db)) return
  db.exec(`PRAGMA application_id = ${applicationId}`)
  db.exec(
    'CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL) STRICT',
  )
  const version = versionOf(db)
  for (const [step, sql] of migrations.entries()) {
    if (step < version) continue
    db.exec(sql)
    db.run('INSERT INTO migrations (version, applied_at) VALUES (?, ?)', step + 1, now)
  }
}

/** Whether the file has all tables of this version. */
export function isCurrent(db: SqliteDatabase): boolean {
  const table = db.one("SELECT 1 FROM sqlite_schema WHERE name = 'migrations'")
  return table !== undefined && versionOf(db) === migrations.length
}

const versionOf = (db: SqliteDatabase): number =>
  db.one<{ version: number | null }>('SELECT max(version) AS version FROM migrations')?.version ?? 0
