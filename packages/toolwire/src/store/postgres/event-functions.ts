/** Functions for the events of streamed background responses: one row for each append. `$s` stands for the schema. */
import { nulls } from './tables.ts'

const appendEvents = (
  create: string,
  writer: string,
): string => `${create} FUNCTION $s.append_events(p_token text, p_owner text, p_id text, p_first bigint, p_count bigint, p_last int, p_text text,
  p_most bigint, p_seconds bigint, p_name text)
RETURNS SETOF $s.line LANGUAGE plpgsql AS $$
DECLARE
  v $s.records;
  v_log $s.logs;
  v_freed bigint;
BEGIN
  SELECT * INTO v FROM $s.records WHERE owner = p_owner AND kind = 'response' AND id = p_id FOR SHARE;
  SELECT * INTO v_log FROM $s.logs WHERE record = v.number FOR UPDATE;
  IF v.number IS NULL OR v.taken IS NOT NULL OR ${writer} IS DISTINCT FROM p_token THEN
    RETURN QUERY SELECT * FROM $s.said('lease_lost'); RETURN;
  END IF;
  -- An append whose answer was lost is sent again.
  IF v_log.next > p_first THEN RETURN QUERY SELECT * FROM $s.said('ok'); RETURN; END IF;
  INSERT INTO $s.logs AS l VALUES (v.number, p_token, p_first + p_count, p_last, octet_length(p_text))
    ON CONFLICT (record) DO UPDATE SET next = EXCLUDED.next, is_last = EXCLUDED.is_last, bytes = l.bytes + EXCLUDED.bytes
    RETURNING * INTO v_log;
  IF p_count > 0 THEN INSERT INTO $s.events (record, first, text) VALUES (v.number, p_first, p_text); END IF;
  WHILE v_log.bytes > p_most LOOP
    DELETE FROM $s.events e WHERE e.record = v.number AND e.first < p_first
      AND e.first = (SELECT min(first) FROM $s.events WHERE record = v.number) RETURNING octet_length(text) INTO v_freed;
    EXIT WHEN v_freed IS NULL;
    UPDATE $s.logs SET bytes = bytes - v_freed WHERE record = v.number RETURNING * INTO v_log;
  END LOOP;
  PERFORM pg_notify('toolwire_wake', p_name);
  RETURN QUERY SELECT * FROM $s.said('ok');
END $$;`

export const eventFunctions: string = `
CREATE TABLE $s.logs (record bigint PRIMARY KEY REFERENCES $s.records (number) ON DELETE CASCADE,
  token text NOT NULL, next bigint NOT NULL, is_last int NOT NULL, bytes bigint NOT NULL);
CREATE TABLE $s.events (record bigint NOT NULL REFERENCES $s.records (number) ON DELETE CASCADE, first bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT now(), text text NOT NULL, PRIMARY KEY (record, first));
CREATE INDEX events_at ON $s.events (at);

${appendEvents('CREATE', 'coalesce(v_log.token, v.writer)')}

CREATE FUNCTION $s.read_events(p_now bigint, p_owner text, p_id text, p_from bigint, p_limit bigint)
RETURNS SETOF $s.line LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_log $s.logs;
  v_start bigint;
  v_bytes bigint := 0;
  v $s.events;
BEGIN
  SELECT l.* INTO v_log FROM $s.logs l JOIN $s.records r ON r.number = l.record
    WHERE r.owner = p_owner AND r.kind = 'response' AND r.id = p_id AND r.expires > p_now;
  IF NOT FOUND THEN RETURN; END IF;
  RETURN QUERY SELECT * FROM $s.said(v_log.next::text, v_log.is_last::text);
  v_start := (SELECT max(first) FROM $s.events WHERE record = v_log.record AND first <= p_from);
  FOR v IN SELECT * FROM $s.events WHERE record = v_log.record AND first >= v_start ORDER BY first LIMIT 200 LOOP
    EXIT WHEN v_bytes >= p_limit;
    v_bytes := v_bytes + octet_length(v.text);
    RETURN QUERY SELECT v.first::text, v.text, ${nulls(8)};
  END LOOP;
END $$;

CREATE FUNCTION $s.trim_events(p_seconds bigint) RETURNS SETOF $s.line LANGUAGE sql AS $$
  DELETE FROM $s.events WHERE at < now() - p_seconds * interval '1 second';
  SELECT 'ok', ${nulls(9)};
$$;
`

/** A response may end before its first events are written; nobody is noted as its writer then. */
export const eventsOfEnded: string = appendEvents(
  'CREATE OR REPLACE',
  'coalesce(v_log.token, v.writer, p_token)',
)

/** A response and its events in one step. */
export const savedWithEvents: string = `
CREATE FUNCTION $s.save_with_events(p_now bigint, p_trusted bigint, p_max_records bigint, p_max_bytes bigint, p_token text,
  p_owner text, p_id text, p_created bigint, p_expires bigint, p_previous text, p_conversation text,
  p_status text, p_finished int, p_joins int, p_body text, p_sum text, p_bytes bigint, p_new_bytes bigint, p_inputs int,
  p_ids text[], p_texts text[], p_sums text[],
  p_first bigint, p_count bigint, p_last int, p_text text, p_most bigint, p_seconds bigint, p_name text)
RETURNS SETOF $s.line LANGUAGE plpgsql AS $$
DECLARE v $s.line;
BEGIN
  v := (SELECT l FROM $s.save_response(p_now, p_trusted, p_max_records, p_max_bytes, p_token, p_owner, p_id, p_created, p_expires,
    p_previous, p_conversation, p_status, p_finished, p_joins, p_body, p_sum, p_bytes, p_new_bytes, p_inputs,
    p_ids, p_texts, p_sums) l);
  IF v.a = 'ok' THEN
    PERFORM $s.append_events(p_token, p_owner, p_id, p_first, p_count, p_last, p_text, p_most, p_seconds, p_name);
  END IF;
  RETURN NEXT v;
END $$;
`
