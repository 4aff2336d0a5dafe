/**
 * The function that saves a response, in its present form. A step that changes it is the same text: it takes the place of
 * whichever form a schema has.
 */
export const saveResponse: string = `
CREATE OR REPLACE FUNCTION $s.save_response(p_now bigint, p_trusted bigint, p_max_records bigint, p_max_bytes bigint, p_token text,
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
  -- Others make room with records of any owner; what is found here stays until the end.
  SELECT * INTO v_old FROM $s.records WHERE owner = p_owner AND kind = 'response' AND id = p_id FOR UPDATE;
  IF v_old.expires > p_now AND (v_old.taken IS NOT NULL OR v_old.writer <> p_token) THEN
    RETURN QUERY SELECT * FROM $s.said('lease_lost'); RETURN;
  END IF;
  -- An end is final. Only an unfinished response has a writer.
  IF v_old.expires > p_now AND v_old.writer IS NULL AND v_old.status <> p_status THEN
    RETURN QUERY SELECT * FROM $s.said('lease_lost'); RETURN;
  END IF;
  IF p_conversation IS NOT NULL THEN
    SELECT * INTO v_conversation FROM $s.records
      WHERE owner = p_owner AND kind = 'conversation' AND id = p_conversation AND expires > p_now FOR UPDATE;
    -- One that began in it ends even if it is gone: as if it had been deleted just after the end.
    IF v_conversation.number IS NULL THEN
      IF v_old.expires > p_now AND v_old.conversation = p_conversation THEN
        v_joined_to := NULL;
      ELSE
        RETURN QUERY SELECT * FROM $s.said('conversation_not_found'); RETURN;
      END IF;
    ELSIF v_old.expires > p_now AND v_old.joined_to = v_conversation.number THEN
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
`
