import type { SumRow } from '@hitherto/domain/imports';
import { zipOf } from '@hitherto/testing/zip';
import { describe, expect, it } from 'vitest';
import { importFolder, openImport } from './support.ts';

const { write, read } = importFolder();

describe('names that every object has', () => {
  const NAMES = ['constructor', 'toString', '__proto__', 'hasOwnProperty'];

  it('are not devices', async () => {
    const lines = NAMES.map((name) => `2026-07-09T01:00:00.000Z,pageview,${name},/,s1`);
    const { rows } = await read(['added_iso,datapoint,device_type,path,session_id', ...lines].join('\n'));

    expect(rows.map(({ stated }) => stated?.device)).toStrictEqual(NAMES.map(() => 'other'));
  });

  it('are not groups of referrers', async () => {
    const lines = NAMES.map((name) => `/a,s1,${name},g,2026-07-09T01:00:00Z`);
    const { rows } = await read(['2Path,Session,Referrer,Referrer scheme,Date', ...lines].join('\n'));

    expect(rows.map(({ hit }) => hit?.referrer)).toStrictEqual(NAMES.map(() => undefined));
  });

  it('are events of Plausible like others, and no tables of it', async () => {
    const events = NAMES.map((name) => `2023-01-02,${name},,,1,1`);
    const zip = zipOf(
      { name: 'imported_visitors.csv', content: 'date,visitors,pageviews,bounces,visits,visit_duration\n' },
      ...NAMES.map((name) => ({ name: `imported_${name}.csv`, content: 'date,visitors\n2023-01-02,1\n' })),
      {
        name: 'imported_custom_events.csv',
        content: ['date,name,link_url,path,visitors,events', ...events].join('\n'),
      },
    );
    const source = await openImport(await write(zip));
    if (!('sumRows' in source)) throw new Error('The file has no sums.');
    const rows: SumRow[] = [];
    for await (const piece of source.sumRows()) rows.push(...piece);

    expect(rows.map(({ skipped, sums }) => skipped?.reason ?? sums[0]?.value)).toStrictEqual([
      ...NAMES,
      // The names of tables have no upper case.
      'not_counted',
      'not_counted',
    ]);
  });
});
