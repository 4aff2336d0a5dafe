/**
 * The tables. `$s` stands for the schema. Writes of one owner follow one another (`lock_owner`), so that checks and writes
 * of a function see one state; those of different owners do not wait. Totals have sixteen rows for the same reason.
 */

/** The columns that a row leaves out. */
export const nulls = (count: number): string => Array(count).fill('null').join(', ')

export const tables: string = `
CREATE TABLE $s.records (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  owner text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('response', 'conversation')),
  id text NOT NULL,
  created bigint NOT NULL,
  expires bigint NOT NULL,
  written bigint NOT NULL,
  bytes bigint NOT NULL,
  items bigint NOT NULL,
  status text,
  previous text,
  conversation text,
  joined_to bigint,
  joined_after bigint,
  writer text,
  taken text,
  sum text NOT NULL,
  body text NOT NULL,
  UNIQUE (owner, kind, id)
);
CREATE INDEX records_written ON $s.records (written);
CREATE INDEX records_owner_written ON $s.records (owner, written);
CREATE INDEX records_expires ON $s.records (expires);
CREATE INDEX records_writer ON $s.records (writer) WHERE writer IS NOT NULL;

CREATE TABLE $s.items (
  place bigint PRIMARY KEY,
  record bigint NOT NULL REFERENCES $s.records (number) ON DELETE CASCADE,
  owner text NOT NULL,
  id text NOT NULL,
  part text NOT NULL,
  sum text NOT NULL,
  json text NOT NULL
);
CREATE INDEX items_record ON $s.items (record, place);
CREATE INDEX items_id ON $s.items (owner, id, place);
CREATE SEQUENCE $s.places;
CREATE SEQUENCE $s.writes;
CREATE SEQUENCE $s.fences;

CREATE TABLE $s.totals (shard int PRIMARY KEY, records bigint NOT NULL, bytes bigint NOT NULL);
INSERT INTO $s.totals SELECT shard, 0, 0 FROM generate_series(0, 15) AS shard;
CREATE TABLE $s.owner_totals (owner text PRIMARY KEY, records bigint NOT NULL, bytes bigint NOT NULL);
CREATE INDEX owner_totals_records ON $s.owner_totals (records DESC);
CREATE INDEX owner_totals_bytes ON $s.owner_totals (bytes DESC);

CREATE TABLE $s.graves (owner text, id text, at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (owner, id));
CREATE INDEX graves_at ON $s.graves (at);
CREATE TABLE $s.stops (token text, owner text, id text, at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (token, owner, id));
CREATE TABLE $s.leases (token text PRIMARY KEY, until timestamptz NOT NULL);
CREATE TABLE $s.claims (holder text, id text, owner text NOT NULL, expires bigint NOT NULL, sum text NOT NULL,
  PRIMARY KEY (holder, id));
CREATE INDEX claims_expires ON $s.claims (expires);
CREATE TABLE $s.secrets (name text PRIMARY KEY, value text NOT NULL, sum text NOT NULL);
CREATE TABLE $s.usage (hour bigint, key text, requests bigint NOT NULL, failures bigint NOT NULL, input bigint NOT NULL,
  output bigint NOT NULL, cache_read bigint NOT NULL, cost bigint NOT NULL, unpriced bigint NOT NULL,
  PRIMARY KEY (hour, key));
CREATE TABLE $s.moment (one int PRIMARY KEY CHECK (one = 1), at bigint NOT NULL, doubt bigint NOT NULL);
CREATE TYPE $s.line AS (a text, b text, c text, d text, e text, f text, g text, h text, i text, j text);

CREATE FUNCTION $s.said(p_a text, p_b text DEFAULT NULL) RETURNS $s.line LANGUAGE sql IMMUTABLE AS $$
  SELECT p_a, p_b, ${nulls(8)};
$$;

CREATE FUNCTION $s.weigh_records() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_owner text := CASE TG_OP WHEN 'DELETE' THEN OLD.owner ELSE NEW.owner END;
  v_records int := CASE TG_OP WHEN 'INSERT' THEN 1 WHEN 'DELETE' THEN -1 ELSE 0 END;
  v_bytes bigint := CASE TG_OP WHEN 'INSERT' THEN NEW.bytes WHEN 'DELETE' THEN -OLD.bytes ELSE NEW.bytes - OLD.bytes END;
BEGIN
  IF v_records = 0 AND v_bytes = 0 THEN RETURN NULL; END IF;
  INSERT INTO $s.owner_totals AS t VALUES (v_owner, v_records, v_bytes)
    ON CONFLICT (owner) DO UPDATE SET records = t.records + v_records, bytes = t.bytes + v_bytes;
  IF v_records < 0 THEN DELETE FROM $s.owner_totals WHERE owner = v_owner AND records <= 0; END IF;
  UPDATE $s.totals SET records = records + v_records, bytes = bytes + v_bytes
    WHERE shard = hashtext(v_owner) & 15;
  RETURN NULL;
END $$;
CREATE TRIGGER records_weighed AFTER INSERT OR DELETE OR UPDATE OF bytes ON $s.records
  FOR EACH ROW EXECUTE FUNCTION $s.weigh_records();

CREATE FUNCTION $s.lock_owner(p_owner text) RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock(hashtextextended('$s ' || p_owner, 0));
$$;

CREATE FUNCTION $s.is_alive(p_token text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM $s.leases WHERE token = p_token AND until > clock_timestamp());
$$;

-- The first of so many ids that occurs twice, or that the record has.
CREATE FUNCTION $s.duplicate(p_record bigint, p_owner text, p_ids text[], p_count int) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT id FROM (SELECT id, n, row_number() OVER (PARTITION BY id ORDER BY n) AS nth
    FROM unnest(p_ids[1:p_count]) WITH ORDINALITY AS u (id, n)) wanted
  WHERE nth > 1 OR EXISTS (SELECT FROM $s.items i WHERE i.owner = p_owner AND i.id = wanted.id AND i.record = p_record)
  ORDER BY n LIMIT 1;
$$;

-- Places follow the order of the lists.
CREATE FUNCTION $s.add_items(p_record bigint, p_owner text, p_part text, p_ids text[], p_texts text[], p_sums text[])
RETURNS void LANGUAGE sql AS $$
  INSERT INTO $s.items SELECT nextval('$s.places'), p_record, p_owner, id, p_part, sum, text
  FROM (SELECT * FROM unnest(p_ids, p_sums, p_texts) WITH ORDINALITY AS u (id, sum, text, n) ORDER BY n) ordered;
$$;

CREATE FUNCTION $s.expire(p_trusted bigint, p_limit int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v_removed int;
BEGIN
  -- What another transaction writes or removes is left to it.
  DELETE FROM $s.records WHERE number IN
    (SELECT number FROM $s.records WHERE expires <= p_trusted ORDER BY expires LIMIT p_limit FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS v_removed = ROW_COUNT;
  RETURN v_removed;
END $$;

-- Beyond the limits, the record written longest ago of the owner who has most; never the record written last.
CREATE FUNCTION $s.trim(p_trusted bigint, p_max_records bigint, p_max_bytes bigint, p_limit int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  v_removed int := $s.expire(p_trusted, p_limit);
  v_records bigint;
  v_bytes bigint;
  v_owner text;
  v_number bigint;
BEGIN
  WHILE v_removed < p_limit LOOP
    SELECT sum(records), sum(bytes) INTO v_records, v_bytes FROM $s.totals;
    EXIT WHEN v_records <= p_max_records AND v_bytes <= p_max_bytes;
    -- One at a time: whoever waits here would find the room made.
    EXIT WHEN NOT pg_try_advisory_xact_lock(hashtextextended('$s', 1));
    SELECT owner INTO v_owner FROM $s.owner_totals
      ORDER BY CASE WHEN v_records > p_max_records THEN records ELSE bytes END DESC, owner LIMIT 1;
    SELECT number INTO v_number FROM $s.records
      WHERE owner = v_owner AND written < (SELECT max(written) FROM $s.records)
      ORDER BY written LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
      SELECT number INTO v_number FROM $s.records WHERE written < (SELECT max(written) FROM $s.records)
        ORDER BY written LIMIT 1 FOR UPDATE SKIP LOCKED;
    END IF;
    EXIT WHEN NOT FOUND;
    DELETE FROM $s.records WHERE number = v_number;
    v_removed := v_removed + 1;
  END LOOP;
  RETURN v_removed;
END $$;
`
