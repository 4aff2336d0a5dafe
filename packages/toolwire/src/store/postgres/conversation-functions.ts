/** Functions for conversations. `$s` stands for the schema. Each is one statement, and so one transaction. */
import { nulls } from './tables.ts'

export const conversationFunctions: string = `
CREATE FUNCTION $s.find_conversation(p_now bigint, p_owner text, p_id text) RETURNS $s.records LANGUAGE sql STABLE AS $$
  SELECT * FROM $s.records WHERE owner = p_owner AND kind = 'conversation' AND id = p_id AND expires > p_now;
$$;

CREATE FUNCTION $s.create_conversation(p_now bigint, p_trusted bigint, p_max_records bigint, p_max_bytes bigint, p_owner text,
  p_id text, p_created bigint, p_expires bigint, p_metadata text, p_sum text, p_bytes bigint,
  p_ids text[], p_texts text[], p_sums text[])
RETURNS SETOF $s.line LANGUAGE plpgsql AS $$
DECLARE
  v_number bigint;
  v_count int := coalesce(array_length(p_ids, 1), 0);
  v_twice text := $s.duplicate(0, p_owner, p_ids, v_count);
BEGIN
  PERFORM $s.lock_owner(p_owner);
  PERFORM FROM $s.records WHERE owner = p_owner AND kind = 'conversation' AND id = p_id AND expires > p_now;
  IF FOUND THEN RETURN QUERY SELECT * FROM $s.said('already_exists'); RETURN; END IF;
  IF v_twice IS NOT NULL THEN RETURN QUERY SELECT * FROM $s.said('duplicate_item', v_twice); RETURN; END IF;
  IF p_bytes > p_max_bytes THEN RETURN QUERY SELECT * FROM $s.said('too_large', p_bytes::text); RETURN; END IF;
  DELETE FROM $s.records WHERE owner = p_owner AND kind = 'conversation' AND id = p_id;
  INSERT INTO $s.records (owner, kind, id, created, expires, written, bytes, items, sum, body)
    VALUES (p_owner, 'conversation', p_id, p_created, p_expires, nextval('$s.writes'), p_bytes, v_count, p_sum, p_metadata)
    RETURNING number INTO v_number;
  PERFORM $s.add_items(v_number, p_owner, 'conversation', p_ids, p_texts, p_sums);
  PERFORM $s.trim(p_trusted, p_max_records, p_max_bytes, 200);
  RETURN QUERY SELECT * FROM $s.said('ok');
END $$;

CREATE FUNCTION $s.get_conversation(p_now bigint, p_owner text, p_id text) RETURNS SETOF $s.line LANGUAGE sql STABLE AS $$
  SELECT expires::text, created::text, body, sum, ${nulls(6)}
  FROM $s.records WHERE owner = p_owner AND kind = 'conversation' AND id = p_id AND expires > p_now;
$$;

CREATE FUNCTION $s.update_conversation(p_now bigint, p_trusted bigint, p_max_records bigint, p_max_bytes bigint, p_owner text,
  p_id text, p_is_new int, p_metadata text, p_sum text, p_expires bigint)
RETURNS SETOF $s.line LANGUAGE plpgsql AS $$
DECLARE
  v $s.records;
  v_bytes bigint;
BEGIN
  PERFORM $s.lock_owner(p_owner);
  v := $s.find_conversation(p_now, p_owner, p_id);
  IF v.number IS NULL THEN RETURN; END IF;
  v_bytes := v.bytes + CASE WHEN p_is_new = 1 THEN octet_length(p_metadata) - octet_length(v.body) ELSE 0 END;
  IF v_bytes > p_max_bytes THEN RETURN QUERY SELECT * FROM $s.said('too_large', v_bytes::text); RETURN; END IF;
  UPDATE $s.records SET bytes = v_bytes, expires = coalesce(p_expires, expires), written = nextval('$s.writes'),
    body = CASE WHEN p_is_new = 1 THEN p_metadata ELSE body END, sum = CASE WHEN p_is_new = 1 THEN p_sum ELSE sum END
    WHERE number = v.number;
  PERFORM $s.trim(p_trusted, p_max_records, p_max_bytes, 200);
  RETURN QUERY SELECT * FROM $s.said('ok');
END $$;

CREATE FUNCTION $s.append_items(p_now bigint, p_trusted bigint, p_max_records bigint, p_max_bytes bigint, p_owner text, p_id text,
  p_grown bigint, p_ids text[], p_texts text[], p_sums text[])
RETURNS SETOF $s.line LANGUAGE plpgsql AS $$
DECLARE
  v $s.records;
  v_count int := coalesce(array_length(p_ids, 1), 0);
  v_twice text;
BEGIN
  PERFORM $s.lock_owner(p_owner);
  v := $s.find_conversation(p_now, p_owner, p_id);
  IF v.number IS NULL THEN RETURN; END IF;
  v_twice := $s.duplicate(v.number, p_owner, p_ids, v_count);
  IF v_twice IS NOT NULL THEN RETURN QUERY SELECT * FROM $s.said('duplicate_item', v_twice); RETURN; END IF;
  IF v.bytes + p_grown > p_max_bytes THEN
    RETURN QUERY SELECT * FROM $s.said('too_large', (v.bytes + p_grown)::text); RETURN;
  END IF;
  UPDATE $s.records SET bytes = bytes + p_grown, items = items + v_count, written = nextval('$s.writes')
    WHERE number = v.number;
  PERFORM $s.add_items(v.number, p_owner, 'conversation', p_ids, p_texts, p_sums);
  PERFORM $s.trim(p_trusted, p_max_records, p_max_bytes, 200);
  RETURN QUERY SELECT * FROM $s.said('ok');
END $$;

CREATE FUNCTION $s.place_in(p_record bigint, p_owner text, p_id text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT place FROM $s.items WHERE owner = p_owner AND id = p_id AND record = p_record LIMIT 1;
$$;

CREATE FUNCTION $s.list_items(p_now bigint, p_owner text, p_id text, p_after text, p_limit bigint, p_order text)
RETURNS SETOF $s.line LANGUAGE plpgsql STABLE AS $$
DECLARE
  v $s.records := $s.find_conversation(p_now, p_owner, p_id);
  v_after bigint := $s.place_in(v.number, p_owner, p_after);
BEGIN
  IF v.number IS NULL THEN RETURN; END IF;
  IF p_after IS NOT NULL AND v_after IS NULL THEN RETURN QUERY SELECT * FROM $s.said('unknown_cursor'); RETURN; END IF;
  RETURN QUERY SELECT 'page', v.items::text, (SELECT count(*) FROM $s.items WHERE record = v.number)::text,
    ${nulls(7)};
  IF p_order = 'asc' THEN
    RETURN QUERY SELECT part, id, json, sum, ${nulls(6)} FROM $s.items
      WHERE record = v.number AND place > coalesce(v_after, 0) ORDER BY place LIMIT p_limit;
  ELSE
    RETURN QUERY SELECT part, id, json, sum, ${nulls(6)} FROM $s.items
      WHERE record = v.number AND place < coalesce(v_after, 9223372036854775807) ORDER BY place DESC LIMIT p_limit;
  END IF;
END $$;

CREATE FUNCTION $s.weigh_page(p_now bigint, p_owner text, p_id text, p_after text, p_limit bigint, p_order text)
RETURNS SETOF $s.line LANGUAGE plpgsql STABLE AS $$
DECLARE
  v $s.records := $s.find_conversation(p_now, p_owner, p_id);
  v_after bigint := $s.place_in(v.number, p_owner, p_after);
  v_bytes bigint;
BEGIN
  IF p_order = 'asc' THEN
    SELECT sum(size) INTO v_bytes FROM (SELECT octet_length(json) AS size FROM $s.items
      WHERE record = v.number AND place > coalesce(v_after, 0) ORDER BY place LIMIT p_limit) page;
  ELSE
    SELECT sum(size) INTO v_bytes FROM (SELECT octet_length(json) AS size FROM $s.items
      WHERE record = v.number AND place < coalesce(v_after, 9223372036854775807) ORDER BY place DESC LIMIT p_limit) page;
  END IF;
  RETURN QUERY SELECT * FROM $s.said(coalesce(v_bytes, 0)::text);
END $$;

CREATE FUNCTION $s.get_item(p_now bigint, p_owner text, p_conversation text, p_id text)
RETURNS SETOF $s.line LANGUAGE sql STABLE AS $$
  SELECT 'item', i.id, i.json, i.sum, ${nulls(6)} FROM $s.items i JOIN $s.records r ON r.number = i.record
  WHERE i.owner = p_owner AND i.id = p_id AND r.kind = 'conversation' AND r.id = p_conversation AND r.expires > p_now;
$$;

CREATE FUNCTION $s.delete_item(p_now bigint, p_owner text, p_conversation text, p_id text)
RETURNS SETOF $s.line LANGUAGE plpgsql AS $$
DECLARE
  v $s.records;
  v_bytes bigint;
BEGIN
  PERFORM $s.lock_owner(p_owner);
  v := $s.find_conversation(p_now, p_owner, p_conversation);
  DELETE FROM $s.items WHERE owner = p_owner AND id = p_id AND record = v.number
    RETURNING octet_length(id) + octet_length(json) INTO v_bytes;
  IF v_bytes IS NULL THEN RETURN; END IF;
  UPDATE $s.records SET bytes = bytes - v_bytes, items = items - 1, written = nextval('$s.writes') WHERE number = v.number;
  RETURN QUERY SELECT * FROM $s.said('ok');
END $$;
`
