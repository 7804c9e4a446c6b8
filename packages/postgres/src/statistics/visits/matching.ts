import { storableString } from '@hitherto/domain/base';
import { foldAscii, partsOfPattern } from '@hitherto/domain/visits';
import { type RawBuilder, sql } from 'kysely';

// Every filter takes time in proportion to the values that it is compared with (api.md, "Filters"). `LIKE` compares
// a literal character by character again at each place of a value, which takes seconds for hundreds of long values;
// `position` compares whole strings of bytes.

type Sql = RawBuilder<unknown>;

/** The length of a literal from which the repetition matters. `LIKE` is faster for shorter ones. */
const LONG = 64;

/** The condition that a value contains any of the strings, without regard to the case of A to Z. */
export function containsAny(value: Sql, strings: readonly string[]): Sql {
  const folded = strings.map((string) => foldAscii(storableString(string)));
  // In the collation "C", `lower` folds A to Z alone.
  const lower = sql`lower(${value} collate "C")`;
  const patterns = folded.filter((string) => string.length < LONG).map((string) => `%${escaped(string)}%`);
  const long = folded.filter((string) => string.length >= LONG);
  return anyOf([
    ...(patterns.length > 0 ? [sql`${lower} like any(${patterns}::text[])`] : []),
    ...long.map((string) => sql`position(${bytes(string)}::bytea in ${bytesOf(lower)}) > 0`),
  ]);
}

/** The condition that a value matches any of the patterns (`compilePattern` in the domain). */
export function matchesAny(value: Sql, patterns: readonly string[]): Sql {
  const all = patterns.map((pattern) => partsOfPattern(storableString(pattern)));
  // The first part has one place alone.
  const isLong = ([_, ...parts]: readonly string[]) => parts.some(({ length }) => length >= LONG);
  const short = all.filter((parts) => !isLong(parts)).map((parts) => parts.map(escaped).join('%'));
  return anyOf([
    ...(short.length > 0 ? [sql`${value} like any(${short}::text[])`] : []),
    ...all.filter(isLong).map((parts) => matchesParts(value, parts)),
  ]);
}

/** The condition that a value consists of these parts, with anything between them. */
function matchesParts(value: Sql, [first = '', ...others]: readonly string[]): Sql {
  const last = others.at(-1) ?? '';
  const inner = others.slice(0, -1);
  const longest = others.reduce((a, b) => (b.length > a.length ? b : a));
  const start = Buffer.byteLength(first) + 1;
  // The leftmost place of each part leaves the most room for the next ones. Most values lack the longest part.
  return sql`(
    ${value} like ${`${escaped(first)}%`} and position(${bytes(longest)}::bytea in ${bytesOf(value)}) > 0 and exists (
      with recursive found (parts, rest) as (
        select 0, substring(${bytesOf(value)} from ${start}::integer)
        union all
        select parts + 1, substring(rest from position(part in rest) + length(part))
        from found, lateral (select (${inner.map(bytes)}::bytea[])[parts + 1] as part) next
        where parts < ${inner.length}::integer and position(part in rest) > 0
      )
      select from found where parts = ${inner.length}::integer and substring(
        rest from greatest(length(rest) - ${Buffer.byteLength(last)}::integer, 0) + 1
      ) = ${bytes(last)}::bytea
    )
  )`;
}

function bytesOf(text: Sql): Sql {
  return sql`convert_to(${text}, 'UTF8')`;
}

/** As PostgreSQL reads a bytea. */
function bytes(text: string): string {
  return `\\x${Buffer.from(text).toString('hex')}`;
}

function escaped(literal: string): string {
  return literal.replaceAll(/[\\%_]/g, '\\$&');
}

/** The condition that any of them holds. */
export function anyOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`false` : sql`(${sql.join(conditions, sql` or `)})`;
}
