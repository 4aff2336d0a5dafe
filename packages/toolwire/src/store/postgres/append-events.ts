/**
 * The function that appends events, in its present form: a step that changes it is the same text. Each event ends with an
 * empty line. An append whose answer was lost is sent again, with what came after it, so that what is there is left out.
 */
export const appendEvents: string = `
CREATE OR REPLACE FUNCTION $s.append_events(p_token text, p_owner text, p_id text, p_first bigint, p_count bigint, p_last int,
  p_text text, p_most bigint, p_seconds bigint, p_name text)
RETURNS SETOF $s.line LANGUAGE plpgsql AS $$
DECLARE
  v $s.records;
  v_log $s.logs;
  v_freed bigint;
  v_first bigint;
  v_text text := p_text;
BEGIN
  SELECT * INTO v FROM $s.records WHERE owner = p_owner AND kind = 'response' AND id = p_id FOR SHARE;
  SELECT * INTO v_log FROM $s.logs WHERE record = v.number FOR UPDATE;
  IF v.number IS NULL OR v.taken IS NOT NULL OR coalesce(v_log.token, v.writer, p_token) <> p_token THEN
    RETURN QUERY SELECT * FROM $s.said('lease_lost'); RETURN;
  END IF;
  v_first := greatest(p_first, v_log.next);
  IF v_log.is_last = 1 OR v_first > p_first + p_count OR (v_first > p_first AND v_first = p_first + p_count AND p_last = 0) THEN
    RETURN QUERY SELECT * FROM $s.said('ok'); RETURN;
  END IF;
  IF v_first > p_first THEN
    v_text := array_to_string((string_to_array(p_text, E'\\n\\n'))[v_first - p_first + 1:], E'\\n\\n');
  END IF;
  INSERT INTO $s.logs AS l VALUES (v.number, p_token, p_first + p_count, p_last, octet_length(v_text))
    ON CONFLICT (record) DO UPDATE SET next = EXCLUDED.next, is_last = EXCLUDED.is_last, bytes = l.bytes + EXCLUDED.bytes
    RETURNING * INTO v_log;
  IF v_text <> '' THEN INSERT INTO $s.events (record, first, text) VALUES (v.number, v_first, v_text); END IF;
  WHILE v_log.bytes > p_most LOOP
    DELETE FROM $s.events e WHERE e.record = v.number AND e.first < v_first
      AND e.first = (SELECT min(first) FROM $s.events WHERE record = v.number) RETURNING octet_length(text) INTO v_freed;
    EXIT WHEN v_freed IS NULL;
    UPDATE $s.logs SET bytes = bytes - v_freed WHERE record = v.number RETURNING * INTO v_log;
  END LOOP;
  PERFORM pg_notify('toolwire_wake', p_name);
  RETURN QUERY SELECT * FROM $s.said('ok');
END $$;
`
