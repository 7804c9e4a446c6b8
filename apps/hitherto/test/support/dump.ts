import { rowsOf } from '@hitherto/testing/databases';

/** Every row of every table as text: what a leaked dump has. */
export async function dump(url: string): Promise<string> {
  const tables = await rowsOf<{ name: string }>(
    url,
    `select format('%I', tablename) as name from pg_tables where schemaname = 'public' order by tablename`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    for (const { row } of await rowsOf<{ row: string }>(url, `select each::text as row from ${name} each`)) {
      texts.push(`${name} ${row}`);
    }
  }
  return texts.join('\n');
}
