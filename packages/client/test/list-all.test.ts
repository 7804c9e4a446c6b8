import { expect, test } from 'vitest';
import { listAll } from '../src/index.ts';

test('a list is read only as far as needed', async () => {
  const asked: (string | undefined)[] = [];
  const endless = listAll(async ({ cursor }) => {
    asked.push(cursor);
    const n = asked.length;
    return { data: { data: [`${n}a`, `${n}b`], links: { next: `/list?per_page=10&cursor=c%2B${n}` } } };
  });

  const rows: string[] = [];
  for await (const row of endless) {
    rows.push(row);
    if (rows.length === 3) break;
  }

  expect(rows).toEqual(['1a', '1b', '2a']);
  expect(asked).toEqual([undefined, 'c+1']);
});
