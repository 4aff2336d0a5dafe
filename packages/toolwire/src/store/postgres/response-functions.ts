/** Functions for responses but `save_response`, and for reading items. `$s` stands for the schema. Each is one statement, and so one transaction. */
import { nulls } from './tables.ts'

export const responseFunctions: string = `
CREATE FUNCTION $s.get_response(p_now bigint, p_owner text, p_id text) RETURNS SETOF $s.line LANGUAGE plpgsql STABLE AS $$
DECLARE v $s.records;
BEGIN
  SELECT * INTO v FROM $s.records WHERE owner = p_owner AND kind = 'response' AND id = p_id AND expires > p_now;
  IF NOT FOUND THEN RETURN; END IF;
  RETURN QUERY SELECT v.expires::text, v.created::text, v.previous, v.conversation, v.status, v.body, v.sum, v.items::text,
    v.writer, CASE WHEN $s.is_alive(v.writer) THEN '1' ELSE '0' END;
  RETURN QUERY SELECT part, id, json, sum, ${nulls(6)}
    FROM $s.items WHERE record = v.number ORDER BY place;
END $$;

CREATE FUNCTION $s.fail_response(p_owner text, p_id text, p_writer text, p_body text, p_sum text, p_bytes bigint, p_closing int)
RETURNS SETOF $s.line LANGUAGE plpgsql AS $$
BEGIN
  PERFORM $s.lock_owner(p_owner);
  UPDATE $s.records SET status = 'failed', body = p_body, sum = p_sum, bytes = bytes + p_bytes, taken = writer, writer = NULL
    WHERE owner = p_owner AND kind = 'response' AND id = p_id AND writer = p_writer
      AND (p_closing = 1 OR NOT $s.is_alive(p_writer));
  IF NOT FOUND THEN RETURN; END IF;
  INSERT INTO $s.stops VALUES (p_writer, p_owner, p_id) ON CONFLICT DO NOTHING;
  RETURN QUERY SELECT * FROM $s.said('ok');
END $$;

CREATE FUNCTION $s.unfinished(p_token text) RETURNS SETOF $s.line LANGUAGE sql STABLE AS $$
  SELECT owner, id, ${nulls(8)} FROM $s.records
  WHERE writer IS NOT NULL AND CASE WHEN p_token IS NULL THEN NOT $s.is_alive(writer) ELSE writer = p_token END;
$$;

CREATE FUNCTION $s.delete_record(p_now bigint, p_kind text, p_owner text, p_id text) RETURNS SETOF $s.line LANGUAGE plpgsql AS $$
DECLARE v $s.records;
BEGIN
  PERFORM $s.lock_owner(p_owner);
  DELETE FROM $s.records WHERE owner = p_owner AND kind = p_kind AND id = p_id AND expires > p_now RETURNING * INTO v;
  IF v.number IS NULL THEN RETURN; END IF;
  IF p_kind = 'response' THEN INSERT INTO $s.graves VALUES (p_owner, p_id) ON CONFLICT DO NOTHING; END IF;
  IF v.writer IS NOT NULL THEN INSERT INTO $s.stops VALUES (v.writer, p_owner, p_id) ON CONFLICT DO NOTHING; END IF;
  RETURN QUERY SELECT * FROM $s.said('ok');
END $$;

CREATE FUNCTION $s.request_cancel(p_now bigint, p_owner text, p_id text) RETURNS SETOF $s.line LANGUAGE plpgsql AS $$
BEGIN
  PERFORM $s.lock_owner(p_owner);
  INSERT INTO $s.stops (token, owner, id) SELECT writer, owner, id FROM $s.records
    WHERE owner = p_owner AND kind = 'response' AND id = p_id AND expires > p_now AND writer IS NOT NULL
    ON CONFLICT (token, owner, id) DO UPDATE SET at = now();
  IF FOUND THEN RETURN QUERY SELECT * FROM $s.said('ok'); END IF;
END $$;

CREATE FUNCTION $s.to_stop(p_now bigint, p_token text) RETURNS SETOF $s.line LANGUAGE sql STABLE AS $$
  SELECT s.owner, s.id, ${nulls(8)} FROM $s.stops s WHERE s.token = p_token AND (
    EXISTS (SELECT FROM $s.graves g WHERE g.owner = s.owner AND g.id = s.id)
    OR EXISTS (SELECT FROM $s.records r WHERE r.owner = s.owner AND r.kind = 'response' AND r.id = s.id AND r.expires > p_now
      AND (r.writer = p_token OR r.taken = p_token)));
$$;

CREATE FUNCTION $s.chain(p_now bigint, p_owner text, p_id text) RETURNS SETOF $s.records LANGUAGE plpgsql STABLE AS $$
DECLARE
  v $s.records;
  v_seen bigint[] := '{}';
  v_next text := p_id;
BEGIN
  WHILE v_next IS NOT NULL LOOP
    SELECT number, owner, kind, id, created, expires, written, bytes, items, status, previous, conversation, joined_to,
      joined_after, writer, taken, sum, '' INTO v FROM $s.records
      WHERE owner = p_owner AND kind = 'response' AND id = v_next AND expires > p_now;
    -- A row without an owner says that the chain is broken.
    IF NOT FOUND OR v.number = ANY (v_seen) THEN v := NULL; RETURN NEXT v; RETURN; END IF;
    v_seen := v_seen || v.number;
    RETURN NEXT v;
    v_next := v.previous;
  END LOOP;
END $$;

CREATE FUNCTION $s.context(p_now bigint, p_owner text, p_id text) RETURNS SETOF $s.line LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_chain $s.records[] := ARRAY(SELECT c FROM $s.chain(p_now, p_owner, p_id) c);
  v_first $s.records := v_chain[array_length(v_chain, 1)];
  v $s.records;
BEGIN
  IF v_first.number IS NULL THEN RETURN; END IF;
  IF v_first.conversation IS NOT NULL THEN
    SELECT * INTO v FROM $s.records
      WHERE owner = p_owner AND kind = 'conversation' AND id = v_first.conversation AND expires > p_now;
    IF v.number IS DISTINCT FROM v_first.joined_to OR v.number IS NULL THEN RETURN; END IF;
    RETURN QUERY SELECT 'record', v.id,
      (v.items - (SELECT count(*) FROM $s.items WHERE record = v.number AND place > v_first.joined_after))::text,
      ${nulls(7)};
    RETURN QUERY SELECT part, id, json, sum, ${nulls(6)} FROM $s.items
      WHERE record = v.number AND place <= v_first.joined_after ORDER BY place;
  END IF;
  FOR n IN REVERSE array_length(v_chain, 1) .. 1 LOOP
    v := v_chain[n];
    RETURN QUERY SELECT 'record', v.id, v.items::text, ${nulls(7)};
    RETURN QUERY SELECT part, id, json, sum, ${nulls(6)} FROM $s.items
      WHERE record = v.number ORDER BY place;
  END LOOP;
END $$;

-- The item of each id that was written last, in a record that has not expired.
CREATE FUNCTION $s.newest(p_now bigint, p_owner text, p_ids text[]) RETURNS SETOF $s.items LANGUAGE sql STABLE AS $$
  SELECT found.* FROM unnest(p_ids) WITH ORDINALITY AS wanted (id, n) CROSS JOIN LATERAL (
    SELECT i.* FROM $s.items i JOIN $s.records r ON r.number = i.record
    WHERE i.owner = p_owner AND i.id = wanted.id AND r.expires > p_now ORDER BY i.place DESC LIMIT 1) found
  ORDER BY n;
$$;

CREATE FUNCTION $s.get_items(p_now bigint, p_owner text, p_ids text[]) RETURNS SETOF $s.line LANGUAGE sql STABLE AS $$
  SELECT 'item', id, json, sum, ${nulls(6)} FROM $s.newest(p_now, p_owner, p_ids);
$$;

CREATE FUNCTION $s.weigh_response(p_now bigint, p_owner text, p_id text) RETURNS SETOF $s.line LANGUAGE sql STABLE AS $$
  SELECT bytes::text, ${nulls(9)} FROM $s.records
  WHERE owner = p_owner AND kind = 'response' AND id = p_id AND expires > p_now;
$$;

CREATE FUNCTION $s.weigh_context(p_now bigint, p_owner text, p_id text) RETURNS SETOF $s.line LANGUAGE sql STABLE AS $$
  WITH chain AS (SELECT * FROM $s.chain(p_now, p_owner, p_id))
  SELECT (sum(bytes) + coalesce((SELECT sum(r.bytes) FROM $s.records r JOIN chain c ON r.id = c.conversation
    WHERE r.owner = p_owner AND r.kind = 'conversation' AND r.expires > p_now AND c.previous IS NULL), 0))::text, ${nulls(9)}
  FROM chain HAVING bool_and(number IS NOT NULL);
$$;

CREATE FUNCTION $s.weigh_items(p_now bigint, p_owner text, p_ids text[]) RETURNS SETOF $s.line LANGUAGE sql STABLE AS $$
  SELECT wanted.id, found.bytes::text, ${nulls(8)} FROM unnest(p_ids) AS wanted (id) CROSS JOIN LATERAL (
    SELECT octet_length(i.json) AS bytes FROM $s.items i JOIN $s.records r ON r.number = i.record
    WHERE i.owner = p_owner AND i.id = wanted.id AND r.expires > p_now ORDER BY i.place DESC LIMIT 1) found;
$$;
`
