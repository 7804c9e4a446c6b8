import { zipOf } from '@hitherto/testing/zip';
import { describe, expect, it } from 'vitest';
import { importFolder, UMAMI } from './support.ts';

// docs/imports.md: how the files of Umami are read.

const { read } = importFolder();

/** The file in a ZIP, with tags of events and rows of their data. */
function taggedWith(data: readonly string[]) {
  const header = 'event_id,data_key,string_value,number_value,date_value,data_type';
  const tagged = UMAMI.replaceAll(/\n(w|website_id),/g, (_, first) => `\n${first === 'w' ? 'é' : 'tag'},${first},`)
    .replace('website_id', 'tag,website_id')
    .replace('é,w,s1,v1,e1', ',w,s1,v1,e1');
  return zipOf(
    { name: 'website_event.csv', content: tagged },
    { name: 'event_data.csv', content: [header, ...data].join('\r\n') },
  );
}

describe('Umami', () => {
  it('has pageviews and events, with what the file states of the visitor', async () => {
    const { format, rows, share } = await read(UMAMI);

    expect([format, share]).toStrictEqual(['umami', 1]);
    expect(rows).toStrictEqual([
      {
        place: 'line 3',
        hit: {
          url: 'https://www.example.com/é?utm_source=nl',
          referrer: 'https://google.com/search?q=a',
          visitor: 's1',
          time: new Date('2025-03-01T23:30:00Z'),
        },
        stated: { country: 'DE', language: 'de', browser: 'Edge', os: 'Windows', device: 'desktop' },
      },
      {
        place: 'line 4',
        hit: {
          url: 'https://www.example.com/b',
          name: 'Signup',
          visitor: 's1',
          time: new Date('2025-03-01T23:31:00Z'),
        },
        stated: { country: 'US', language: 'en', browser: 'Safari', os: 'iOS', device: 'mobile' },
      },
      { place: 'line 5', skipped: { reason: 'not_counted', detail: 'The event_type 5 is not counted.' } },
    ]);
  });

  it('has the query of a path with a fragment', async () => {
    const { rows } = await read(UMAMI.replace('/é,utm_source=nl', '/docs#install,utm_source=nl&id=5'));

    expect(rows[0]).toMatchObject({ hit: { url: 'https://www.example.com/docs?utm_source=nl&id=5#install' } });
  });

  it('comes in a ZIP, next to other files', async () => {
    const zip = zipOf(
      { name: 'export/event_data.csv', content: 'website_id,event_id,data_key\n' },
      { name: 'export/website_event.csv', content: UMAMI },
    );

    const { format, rows, share } = await read(zip);

    expect([format, rows.length, share]).toStrictEqual(['umami', 3, 1]);
    expect(rows.at(-1)?.place).toBe('website_event.csv, line 5');
  });

  it('has the data of events, of another file of the ZIP, and their tags', async () => {
    const data = [
      'e2,plan,pro,,,1',
      'e2,cart.total,12.5,12.5000,,2',
      'e1,of,a pageview,,,1',
      'e2,is_new,true,,,3',
      'e2,__proto__,x,,,1',
    ];
    const { rows } = await read(taggedWith(data));

    expect(rows.map(({ hit }) => hit?.props)).toStrictEqual([
      undefined,
      { plan: 'pro', 'cart.total': 12.5, is_new: true, ['__proto__']: 'x', tag: 'é' },
      undefined,
    ]);
  });

  it('has the tag of an event with more data than is stored', async () => {
    const data = Array.from({ length: 12 }, (_, index) => `e2,field${index},${index},,,1`);

    const { rows } = await read(taggedWith(data));

    expect(Object.entries(rows[1]?.hit?.props ?? {})).toHaveLength(10);
    expect(rows[1]).toMatchObject({ hit: { props: { tag: 'é' } } });
  });

  it('has times of another zone where it is named', async () => {
    const { rows } = await read(UMAMI, { zone: 'Europe/Berlin' });

    expect(rows[0]?.hit?.time).toStrictEqual(new Date('2025-03-01T22:30:00Z'));
  });

  it.each([
    ['+00', '2025-03-01T23:30:00Z'],
    ['.5+00', '2025-03-01T23:30:00.5Z'],
    ['+01', '2025-03-01T22:30:00Z'],
    ['-0930', '2025-03-02T09:00:00Z'],
    ['+05:30', '2025-03-01T18:00:00Z'],
    [' UTC', '2025-03-01T23:30:00Z'],
  ])('has times with the offset that PostgreSQL writes: %s', async (offset, expected) => {
    const { rows } = await read(UMAMI.replace('23:30:00', `23:30:00${offset}`), { zone: 'Europe/Berlin' });

    expect(rows[0]?.hit?.time).toStrictEqual(new Date(expected));
  });

  it.each(['NULL', '"NULL"', String.raw`\N`])('has no value where a database writes %s', async (missing) => {
    const { rows: expected } = await read(UMAMI);
    const { rows } = await read(UMAMI.replaceAll(/,(?=,)/g, `,${missing}`));

    expect(rows).toStrictEqual(expected);
  });

  it('has no property values where a database writes NULL', async () => {
    const { rows } = await read(taggedWith(['e2,seats,NULL,12.5000,NULL,2', 'e2,since,NULL,NULL,2025-01-01,4']));

    expect(rows[1]?.hit?.props).toStrictEqual({ seats: 12.5, since: '2025-01-01', tag: 'é' });
  });
});
