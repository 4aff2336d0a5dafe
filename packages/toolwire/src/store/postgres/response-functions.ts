/** Functions for responses, and for reading items. `$s` stands for the schema. Each is one statement, and so one transaction. */
import { nulls } from './tables.ts'

export const responseFunctions: string = `
CREATE FUNCTION $s.save_response(p_now bigint, p_trusted bigint, p_max_records bigint, p_max_bytes bigint, p_token text,
  p_owner text, p_id text, p_created bigint, p_expires bigint, p_previous text, p_conversation text,
  p_status text, p_finished int, p_joins int, p_body text, p_sum text, p_bytes bigint, p_new_bytes bigint, p_inputs int,
  p_ids text[], p_texts text[], p_sums text[])
RETURNS SETOF $s.line LANGUAGE plpgsql AS $$
DECLARE
  v_old $s.records;
  v_conversation $s.records;
  v_count int := coalesce(array_length(p_ids, 1), 0);
  v_joined_to bigint;
  v_joined_after bigint;
  v_twice text;
  v_is_joining boolean := false;
  v_number bigint;
BEGIN
  PERFORM $s.lock_owner(p_owner);
  IF EXISTS (SELECT FROM $s.graves WHERE owner = p_owner AND id = p_id) THEN
    RETURN QUERY SELECT * FROM $s.said('response_deleted'); RETURN;
  END IF;
  SELECT * INTO v_old FROM $s.records WHERE owner = p_owner AND kind = 'response' AND id = p_id;
  IF v_old.expires > p_now AND (v_old.taken IS NOT NULL OR v_old.writer <> p_token) THEN
    RETURN QUERY SELECT * FROM $s.said('lease_lost'); RETURN;
  END IF;
  IF p_conversation IS NOT NULL THEN
    SELECT * INTO v_conversation FROM $s.records
      WHERE owner = p_owner AND kind = 'conversation' AND id = p_conversation AND expires > p_now;
    IF NOT FOUND THEN RETURN QUERY SELECT * FROM $s.said('conversation_not_found'); RETURN; END IF;
    IF v_old.expires > p_now AND v_old.joined_to = v_conversation.number THEN
      v_joined_to := v_old.joined_to;
      v_joined_after := v_old.joined_after;
    ELSE
      v_twice := $s.duplicate(v_conversation.number, p_owner, p_ids,
        CASE WHEN p_joins = 1 THEN v_count WHEN p_finished = 1 THEN 0 ELSE p_inputs END);
      IF v_twice IS NOT NULL THEN RETURN QUERY SELECT * FROM $s.said('duplicate_item', v_twice); RETURN; END IF;
      IF p_joins = 1 THEN
        IF p_bytes + v_conversation.bytes + p_new_bytes > p_max_bytes THEN
          RETURN QUERY SELECT * FROM $s.said('too_large', (p_bytes + v_conversation.bytes + p_new_bytes)::text); RETURN;
        END IF;
        v_is_joining := true;
        v_joined_to := v_conversation.number;
        v_joined_after := nextval('$s.places');
      END IF;
    END IF;
  END IF;
  IF p_bytes > p_max_bytes THEN RETURN QUERY SELECT * FROM $s.said('too_large', p_bytes::text); RETURN; END IF;
  IF v_old.expires > p_now THEN
    v_number := v_old.number;
    DELETE FROM $s.items WHERE record = v_number;
    UPDATE $s.records SET created = p_created, expires = p_expires, written = nextval('$s.writes'), bytes = p_bytes,
      items = v_count, status = p_status, previous = p_previous, conversation = p_conversation, joined_to = v_joined_to,
      joined_after = v_joined_after, writer = CASE WHEN p_finished = 1 THEN NULL ELSE p_token END, sum = p_sum, body = p_body
      WHERE number = v_number;
  ELSE
    IF v_old.number IS NOT NULL THEN DELETE FROM $s.records WHERE number = v_old.number; END IF;
    INSERT INTO $s.records (owner, kind, id, created, expires, written, bytes, items, status, previous, conversation,
      joined_to, joined_after, writer, sum, body)
    VALUES (p_owner, 'response', p_id, p_created, p_expires, nextval('$s.writes'), p_bytes, v_count, p_status, p_previous,
      p_conversation, v_joined_to, v_joined_after, CASE WHEN p_finished = 1 THEN NULL ELSE p_token END, p_sum, p_body)
    RETURNING number INTO v_number;
  END IF;
  IF p_finished = 1 THEN DELETE FROM $s.stops WHERE token = p_token AND owner = p_owner AND id = p_id; END IF;
  PERFORM $s.add_items(v_number, p_owner, 'input', p_ids[1:p_inputs], p_texts[1:p_inputs], p_sums[1:p_inputs]);
  PERFORM $s.add_items(v_number, p_owner, 'output', p_ids[p_inputs + 1:], p_texts[p_inputs + 1:], p_sums[p_inputs + 1:]);
  IF v_is_joining THEN
    UPDATE $s.records SET bytes = bytes + p_new_bytes, expires = greatest(expires, p_expires), items = items + v_count,
      written = nextval('$s.writes') WHERE number = v_conversation.number;
    PERFORM $s.add_items(v_conversation.number, p_owner, 'conversation', p_ids, p_texts, p_sums);
  END IF;
  PERFORM $s.trim(p_trusted, p_max_records, p_max_bytes, 200);
  RETURN QUERY SELECT * FROM $s.said('ok');
END $$;

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
