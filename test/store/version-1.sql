-- A store of version 1, as `toolwire` 0.1.0 wrote it before there were checksums. Released steps are never changed.
PRAGMA application_id = 1953460076;
CREATE TABLE migrations (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL) STRICT;
INSERT INTO migrations VALUES (1, 1700000000000);
CREATE TABLE totals (
  one INTEGER PRIMARY KEY CHECK (one = 1), writes INTEGER NOT NULL, records INTEGER NOT NULL, bytes INTEGER NOT NULL
) STRICT;
INSERT INTO totals VALUES (1, 0, 0, 0);
CREATE TABLE records (
  number INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('response', 'conversation')), id TEXT NOT NULL, created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL, written INTEGER NOT NULL, bytes INTEGER NOT NULL, status TEXT, previous_id TEXT,
  conversation_id TEXT, joined_to INTEGER, joined_after INTEGER, writer TEXT, body TEXT NOT NULL,
  UNIQUE (owner, kind, id)
) STRICT;
CREATE INDEX records_written ON records (written);
CREATE INDEX records_expires_at ON records (expires_at);
CREATE INDEX records_writer ON records (writer) WHERE writer IS NOT NULL;
CREATE TABLE items (
  place INTEGER PRIMARY KEY AUTOINCREMENT, record INTEGER NOT NULL REFERENCES records (number) ON DELETE CASCADE,
  owner TEXT NOT NULL, id TEXT NOT NULL, part TEXT NOT NULL CHECK (part IN ('input', 'output', 'conversation')),
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
INSERT INTO records VALUES
  (1, 'ann', 'conversation', 'c1', 0, 3600000, 1, 20, NULL, NULL, NULL, NULL, NULL, NULL, '{"topic":"x"}'),
  (2, 'ann', 'response', 'r1', 0, 3600000, 2, 20, 'completed', NULL, NULL, NULL, NULL, NULL, '{"id":"r1"}'),
  (3, 'ann', 'response', 'r2', 0, 3600000, 3, 20, 'in_progress', 'r1', NULL, NULL, NULL, 'gone', '{"id":"r2"}');
INSERT INTO items VALUES
  (1, 1, 'ann', 'a', 'conversation', '"a"'),
  (2, 2, 'ann', 'r1-in', 'input', '"in"'),
  (3, 2, 'ann', 'r1-out', 'output', '"out"');
