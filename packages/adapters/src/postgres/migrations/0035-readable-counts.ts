import { type Kysely, sql } from 'kysely';

/**
 * Replaces NULs and lone surrogates in what imports say about their files: PostgreSQL stores them in `json`, but cannot read from
 * such a value. In what the program has written, only they have these escapes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['counts', 'problem']) {
    const text = sql`${sql.ref(column)}::text`;
    // A backslash before it is itself escaped if there is an even number of them.
    const escapes = sql.lit(String.raw`(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f]..)`);
    await sql`
      update import set ${sql.ref(column)} = regexp_replace(${text}, ${escapes}, ${sql.lit(String.raw`\1\\ufffd`)}, 'g')::json
      where ${text} ~ ${escapes}`.execute(db);
  }
}
