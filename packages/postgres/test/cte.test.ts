import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { cte, once } from '../src/connection/statement.ts';

const textOf = (query: ReturnType<typeof sql>) => once(query).text;

it('a statement gets the tables that it uses, each once and after those that it uses itself', () => {
  const hit = cte('hit_of_day', sql`select * from hit where day = ${'2026-11-20'}`);
  const visit = cte('visit_of_day', sql`select visitor from ${hit}`, { materialized: true });
  const both = cte('both', sql`select * from ${visit} union all select visitor from ${hit}`, { columns: sql`visitor` });

  const { text, values } = once(sql`select count(*) from ${both} join ${visit} using (visitor) where ${1} = 1`);

  expect(text).toBe(
    'with "hit_of_day" as (select * from hit where day = $1), ' +
      '"visit_of_day" as materialized (select visitor from "hit_of_day"), ' +
      '"both" (visitor) as (select * from "visit_of_day" union all select visitor from "hit_of_day") ' +
      'select count(*) from "both" join "visit_of_day" using (visitor) where $2 = 1',
  );
  expect(values).toEqual(['2026-11-20', 1]);
});

it('a statement without such tables is left as it is', () => {
  expect(textOf(sql`select ${sql.ref('a')} from hit`)).toBe('select "a" from hit');
});

it('different tables of one name are told apart', () => {
  const [one, other] = [cte('same', sql`select 1`), cte('same', sql`select 2`)];
  const both = cte('both', sql`select * from ${one}, ${other}`);

  expect(textOf(sql`select * from ${both}, ${other}, ${one}`)).toBe(
    'with "same" as (select 1), "same_2" as (select 2), "both" as (select * from "same", "same_2") ' +
      'select * from "both", "same_2", "same"',
  );
});
