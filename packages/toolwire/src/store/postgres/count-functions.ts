/** Functions for counters. `$s` stands for the schema. */
import { nulls } from './tables.ts'

export const countFunctions: string = `
CREATE TABLE $s.counts (owner text, name text, value bigint NOT NULL, expires bigint NOT NULL, PRIMARY KEY (owner, name));
CREATE INDEX counts_expires ON $s.counts (expires);

CREATE FUNCTION $s.add_counts(p_now bigint, p_owner text, p_names text[], p_bys text[], p_mosts text[], p_expires text[])
RETURNS SETOF $s.line LANGUAGE plpgsql AS $$
DECLARE
  v_is_added boolean;
  n int;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('$s ' || p_owner, 3));
  v_is_added := NOT EXISTS (SELECT FROM unnest(p_names, p_mosts) AS u (name, most)
    LEFT JOIN $s.counts c ON c.owner = p_owner AND c.name = u.name AND c.expires > p_now
    WHERE coalesce(c.value, 0) >= nullif(u.most, '')::bigint);
  IF v_is_added THEN
    FOR n IN 1 .. cardinality(p_names) LOOP
      INSERT INTO $s.counts AS c VALUES (p_owner, p_names[n], greatest(0, p_bys[n]::bigint), p_expires[n]::bigint)
        ON CONFLICT (owner, name) DO UPDATE SET expires = EXCLUDED.expires,
          value = greatest(0, CASE WHEN c.expires > p_now THEN c.value ELSE 0 END + p_bys[n]::bigint);
    END LOOP;
  END IF;
  RETURN QUERY SELECT v_is_added::int::text, coalesce(c.value, 0)::text, ${nulls(8)}
    FROM unnest(p_names) WITH ORDINALITY AS u (name, n)
    LEFT JOIN $s.counts c ON c.owner = p_owner AND c.name = u.name AND c.expires > p_now ORDER BY u.n;
END $$;

CREATE FUNCTION $s.trim_counts(p_trusted bigint, p_limit bigint) RETURNS SETOF $s.line LANGUAGE plpgsql AS $$
DECLARE v_removed int;
BEGIN
  DELETE FROM $s.counts WHERE (owner, name) IN
    (SELECT owner, name FROM $s.counts WHERE expires <= p_trusted ORDER BY expires LIMIT p_limit FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS v_removed = ROW_COUNT;
  RETURN QUERY SELECT * FROM $s.said(v_removed::text);
END $$;
`
