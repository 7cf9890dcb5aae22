import type { Session } from "../database/session.ts";

interface Rebuild {
  readonly drop: string;
  readonly create: string;
}

/**
 * Drops a table's indexes and keys, and returns the server's statements for creating them again: building an index over existing rows sorts them,
 * which is faster than inserting each row. The transaction must have locked the table exclusively.
 */
export async function dropIndexes(session: Session, table: string): Promise<readonly string[]> {
  const indexes = await session.query<Rebuild>(
    `SELECT
       CASE WHEN k.oid IS NULL THEN format('DROP INDEX public.%I', i.relname)
         ELSE format('ALTER TABLE public.%I DROP CONSTRAINT %I', t.relname, k.conname) END AS drop,
       CASE WHEN k.oid IS NULL THEN pg_get_indexdef(i.oid)
         ELSE format('ALTER TABLE public.%I ADD CONSTRAINT %I %s', t.relname, k.conname, pg_get_constraintdef(k.oid)) END AS create
     FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
     LEFT JOIN pg_constraint k ON k.conindid = i.oid AND k.contype IN ('p', 'u', 'x')
     WHERE x.indrelid = $1::text::regclass
     ORDER BY x.indisprimary DESC, i.relname`,
    [`public.${table}`],
  );
  for (const { drop } of indexes) await session.query(drop);
  return indexes.map(({ create }) => create);
}
