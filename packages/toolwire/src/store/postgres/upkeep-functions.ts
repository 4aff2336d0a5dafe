/** Functions for claims, secrets, usage, leases and upkeep. `$s` stands for the schema. */
import { nulls } from './tables.ts'

export const upkeepFunctions: string = `
CREATE FUNCTION $s.claim_ids(p_owner text, p_holder text, p_expires bigint, p_ids text[], p_sums text[])
RETURNS SETOF $s.line LANGUAGE plpgsql AS $$
DECLARE
  v_id text;
  v_sum text;
BEGIN
  -- In one order, so that two who claim the same ids do not wait for each other.
  FOR v_id, v_sum IN SELECT DISTINCT ON (id) id, sum FROM unnest(p_ids, p_sums) AS u (id, sum) ORDER BY id LOOP
    INSERT INTO $s.claims VALUES (p_holder, v_id, p_owner, p_expires, v_sum)
      ON CONFLICT (holder, id) DO UPDATE SET owner = EXCLUDED.owner, expires = EXCLUDED.expires, sum = EXCLUDED.sum;
  END LOOP;
END $$;

CREATE FUNCTION $s.swap_claim(p_now bigint, p_holder text, p_id text, p_expected text, p_owner text, p_expires bigint, p_sum text)
RETURNS SETOF $s.line LANGUAGE plpgsql AS $$
DECLARE v_owner text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('$s ' || p_holder || ' ' || p_id, 2));
  SELECT owner INTO v_owner FROM $s.claims WHERE holder = p_holder AND id = p_id AND expires > p_now FOR UPDATE;
  IF v_owner IS DISTINCT FROM p_expected THEN RETURN; END IF;
  INSERT INTO $s.claims VALUES (p_holder, p_id, p_owner, p_expires, p_sum)
    ON CONFLICT (holder, id) DO UPDATE SET owner = EXCLUDED.owner, expires = EXCLUDED.expires, sum = EXCLUDED.sum;
  RETURN QUERY SELECT * FROM $s.said('ok');
END $$;

CREATE FUNCTION $s.owners_of(p_now bigint, p_holder text, p_ids text[]) RETURNS SETOF $s.line LANGUAGE sql STABLE AS $$
  SELECT id, owner, expires::text, sum, ${nulls(6)} FROM $s.claims
  WHERE holder = p_holder AND id = ANY (p_ids) AND expires > p_now;
$$;

CREATE FUNCTION $s.secret(p_name text, p_candidate text, p_sum text) RETURNS SETOF $s.line LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO $s.secrets VALUES (p_name, p_candidate, p_sum) ON CONFLICT DO NOTHING;
  RETURN QUERY SELECT value, sum, ${nulls(8)} FROM $s.secrets WHERE name = p_name;
END $$;

CREATE FUNCTION $s.add_usage(p_hours text[], p_keys text[], p_sums text[]) RETURNS SETOF $s.line LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  FOR n IN SELECT i FROM generate_subscripts(p_keys, 1) i ORDER BY p_hours[i], p_keys[i] LOOP
    INSERT INTO $s.usage AS u VALUES (p_hours[n]::bigint, p_keys[n], p_sums[7 * n - 6]::bigint, p_sums[7 * n - 5]::bigint,
      p_sums[7 * n - 4]::bigint, p_sums[7 * n - 3]::bigint, p_sums[7 * n - 2]::bigint, p_sums[7 * n - 1]::bigint,
      p_sums[7 * n]::bigint)
    ON CONFLICT (hour, key) DO UPDATE SET requests = u.requests + EXCLUDED.requests,
      failures = u.failures + EXCLUDED.failures, input = u.input + EXCLUDED.input, output = u.output + EXCLUDED.output,
      cache_read = u.cache_read + EXCLUDED.cache_read, cost = u.cost + EXCLUDED.cost,
      unpriced = u.unpriced + EXCLUDED.unpriced;
  END LOOP;
END $$;

CREATE FUNCTION $s.read_usage(p_since bigint) RETURNS SETOF $s.line LANGUAGE sql STABLE AS $$
  SELECT hour::text, key, requests::text, failures::text, input::text, output::text, cache_read::text, cost::text,
    unpriced::text, null FROM $s.usage WHERE hour >= p_since ORDER BY hour;
$$;

CREATE FUNCTION $s.trim_usage(p_before bigint) RETURNS SETOF $s.line LANGUAGE sql AS $$
  DELETE FROM $s.usage WHERE hour < p_before;
  SELECT 'ok', ${nulls(9)};
$$;

CREATE FUNCTION $s.sweep(p_trusted bigint, p_max_records bigint, p_max_bytes bigint, p_max_claims bigint, p_limit int)
RETURNS SETOF $s.line LANGUAGE plpgsql AS $$
DECLARE
  v_removed int := $s.trim(p_trusted, p_max_records, p_max_bytes, p_limit);
  v_claims int;
BEGIN
  DELETE FROM $s.claims WHERE (holder, id) IN
    (SELECT holder, id FROM $s.claims WHERE expires <= p_trusted ORDER BY expires LIMIT p_limit FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS v_claims = ROW_COUNT;
  IF v_claims = 0 THEN
    DELETE FROM $s.claims WHERE (holder, id) IN (SELECT holder, id FROM $s.claims ORDER BY expires
      LIMIT least(p_limit, greatest(0, (SELECT count(*) FROM $s.claims) - p_max_claims)) FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS v_claims = ROW_COUNT;
  END IF;
  DELETE FROM $s.graves WHERE at < now() - interval '1 day';
  DELETE FROM $s.stops WHERE at < now() - interval '1 day';
  DELETE FROM $s.leases WHERE until < now() - interval '1 day';
  RETURN QUERY SELECT * FROM $s.said(v_removed::text, v_claims::text);
END $$;

CREATE FUNCTION $s.moment() RETURNS SETOF $s.line LANGUAGE sql STABLE AS $$
  SELECT at::text, doubt::text, ${nulls(8)} FROM $s.moment;
$$;

CREATE FUNCTION $s.write_moment(p_at bigint, p_doubt bigint) RETURNS SETOF $s.line LANGUAGE sql AS $$
  INSERT INTO $s.moment VALUES (1, p_at, p_doubt) ON CONFLICT (one) DO UPDATE SET at = p_at, doubt = p_doubt;
  SELECT 'ok', ${nulls(9)};
$$;

CREATE FUNCTION $s.open_lease(p_name text, p_milliseconds bigint) RETURNS SETOF $s.line LANGUAGE sql AS $$
  INSERT INTO $s.leases VALUES (nextval('$s.fences') || '-' || p_name,
    clock_timestamp() + p_milliseconds * interval '1 millisecond') RETURNING token, ${nulls(9)};
$$;

CREATE FUNCTION $s.renew_lease(p_token text, p_milliseconds bigint) RETURNS SETOF $s.line LANGUAGE plpgsql AS $$
DECLARE v_is_kept boolean := $s.is_alive(p_token);
BEGIN
  INSERT INTO $s.leases VALUES (p_token, clock_timestamp() + p_milliseconds * interval '1 millisecond')
    ON CONFLICT (token) DO UPDATE SET until = EXCLUDED.until;
  RETURN QUERY SELECT * FROM $s.said(CASE WHEN v_is_kept THEN 'kept' ELSE 'lapsed' END);
END $$;

CREATE FUNCTION $s.end_lease(p_token text) RETURNS SETOF $s.line LANGUAGE sql AS $$
  DELETE FROM $s.leases WHERE token = p_token;
  SELECT 'ok', ${nulls(9)};
$$;
`
