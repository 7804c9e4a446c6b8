import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { importFolder } from './support.ts';

// docs/imports.md: how the files of Matomo are read.

const { read } = importFolder();

describe('Matomo', () => {
  const VISIT = {
    idVisit: '7',
    visitorId: 'aa',
    referrerType: 'campaign',
    referrerName: 'summer',
    referrerUrl: 'https://news.example/"{[',
    countryCode: 'de',
    languageCode: 'de-at',
    browserName: 'Chrome Mobile',
    operatingSystemName: 'GNU/Linux',
    deviceType: 'Smartphone',
    actionDetails: [
      { type: 'action', url: 'https://example.com/a', timestamp: 1_750_000_000 },
      { type: 'outlink', url: 'https://other.example/b', timestamp: 1_750_000_001 },
      {
        type: 'event',
        url: 'https://example.com/a',
        eventCategory: 'Forms',
        eventAction: 'Signup',
        eventName: 'footer',
        eventValue: 2.5,
        timestamp: 1_750_000_002,
      },
      { type: 'goal', url: 'https://example.com/a', timestamp: 1_750_000_003 },
    ],
  };

  it('has pages, links and events of visits, with the source on the first', async () => {
    const { format, rows } = await read(JSON.stringify([VISIT, { ...VISIT, actionDetails: [] }], null, 2));

    expect(format).toBe('matomo');
    expect(rows.map(({ place, hit }) => [place, hit?.url, hit?.referrer, hit?.name, hit?.props])).toStrictEqual([
      [
        'visit 1, action 1',
        'https://example.com/a?utm_campaign=summer',
        'https://news.example/"{[',
        undefined,
        undefined,
      ],
      ['visit 1, action 2', 'https://example.com/a', undefined, 'Outbound link', { url: 'other.example/b' }],
      [
        'visit 1, action 3',
        'https://example.com/a',
        undefined,
        'Signup',
        { category: 'Forms', name: 'footer', value: 2.5 },
      ],
      ['visit 1, action 4', undefined, undefined, undefined, undefined],
    ]);
    expect(rows[0]?.stated).toStrictEqual({
      country: 'DE',
      language: 'de',
      browser: 'Chrome',
      os: 'Linux',
      device: 'mobile',
    });
    expect(rows[3]?.skipped?.reason).toBe('not_counted');
  });

  it.each(['outlink', 'download'])('has host and path of the target of links: %s', async (type) => {
    const action = { type, url: 'https://Shop.example:8443/a?token=1#x', timestamp: 1_750_000_000 };
    const { rows } = await read(JSON.stringify([{ ...VISIT, actionDetails: [action] }]));

    expect(rows[0]?.hit?.props).toStrictEqual({ url: 'shop.example/a' });
  });

  it('has the campaign of a visit whatever its characters', async () => {
    const { rows } = await read(JSON.stringify([{ ...VISIT, referrerName: 'é\ud83d' }]));

    expect(rows[0]?.hit?.url).toBe('https://example.com/a?utm_campaign=%C3%A9%EF%BF%BD');
    expect(rows).toHaveLength(4);
  });

  it('has searches as they are collected', async () => {
    const search = { type: 'search', url: 'https://example.com/s', siteSearchKeyword: 'é', siteSearchCount: '3' };
    const { rows } = await read(
      JSON.stringify([{ ...VISIT, actionDetails: [{ ...search, timestamp: 1_750_000_000 }] }]),
    );

    expect(rows[0]?.hit).toMatchObject({ name: 'Search', props: { keyword: 'é', count: 3 } });
  });

  it('has links before the first page of a visit, which belong to the address of the website', async () => {
    const download = { type: 'download', url: 'https://example.com/a.pdf', timestamp: 1_750_000_000 };
    const { rows } = await read(JSON.stringify([{ ...VISIT, actionDetails: [download, ...VISIT.actionDetails] }]));

    expect(rows.slice(0, 2).map(({ hit }) => [hit?.url, hit?.referrer, hit?.name])).toStrictEqual([
      ['https://example.com/?utm_campaign=summer', 'https://news.example/"{[', 'Download'],
      ['https://example.com/a', undefined, undefined],
    ]);
  });

  it('has no other address for a pageview that lacks its own', async () => {
    const { rows } = await read(
      JSON.stringify([{ ...VISIT, referrerType: 'direct', actionDetails: [{ type: 'action', timestamp: 1 }] }]),
    );

    expect(rows[0]?.hit?.url).toBe('');
  });

  describe('as CSV', () => {
    /** A visit as Matomo writes it: its actions in numbered columns, all of UTF-16. */
    const csvOf = (...visits: readonly Record<string, string>[]) => {
      const columns = [...new Set(visits.flatMap((visit) => Object.keys(visit)))];
      const cell = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
      const lines = visits.map((visit) => columns.map((column) => cell(visit[column] ?? '')).join(','));
      return Buffer.from(`\u{feff}${[columns.join(','), ...lines].join('\n')}`, 'utf16le');
    };
    const flat = ({ actionDetails, ...visit }: typeof VISIT) => {
      const actions = actionDetails.flatMap((action, index) =>
        Object.entries(action).map(([field, value]) => [`actionDetails_${index}_${field}`, String(value)]),
      );
      return { ...visit, visitIp: '192.0.2.7', ...Object.fromEntries(actions) };
    };

    it('has the same rows as JSON, also of visits with fewer actions', async () => {
      const short = { ...VISIT, actionDetails: VISIT.actionDetails.slice(0, 1) };
      const json = await read(JSON.stringify([VISIT, short]));
      const { format, rows } = await read(csvOf(flat(VISIT), flat(short)));

      expect(format).toBe('matomo');
      expect(rows.map(({ place, ...row }) => row)).toStrictEqual(json.rows.map(({ place, ...row }) => row));
      expect([rows[2]?.place, rows[4]?.place]).toStrictEqual(['line 2, action 3', 'line 3, action 1']);
    });

    it('has the same rows in UTF-16 of the other byte order', async () => {
      const little = await read(csvOf(flat(VISIT)));
      const big = await read(csvOf(flat(VISIT)).swap16());

      expect(big).toStrictEqual(little);
    });

    it('has values without the apostrophe that keeps them from being formulas', async () => {
      const { rows } = await read(csvOf({ ...flat(VISIT), actionDetails_2_eventAction: "'=1+1" }));

      expect(rows[2]?.hit?.name).toBe('=1+1');
    });

    it('has actions in the order of their numbers, however large these are and wherever their columns stand', async () => {
      const [first, second] = VISIT.actionDetails.map(({ type, url, timestamp }) => [type, url, String(timestamp)]);
      const columnsOf = (action: number, [type, url, timestamp]: readonly (string | undefined)[] = []) => ({
        [`actionDetails_${action}_type`]: type ?? '',
        [`actionDetails_${action}_url`]: url ?? '',
        [`actionDetails_${action}_timestamp`]: timestamp ?? '',
      });
      const start = performance.now();

      const { rows } = await read(
        csvOf({ idVisit: '1', visitIp: '192.0.2.7', ...columnsOf(300_000_000, second), ...columnsOf(3, first) }),
      );

      expect(rows.map(({ place, hit }) => [place, hit?.url, hit?.name])).toStrictEqual([
        ['line 2, action 1', 'https://example.com/a', undefined],
        ['line 2, action 2', 'https://example.com/a', 'Outbound link'],
      ]);
      expect(performance.now() - start).toBeLessThan(5_000);
    });

    it('needs the columns of actions', async () => {
      await expect(read(csvOf({ idVisit: '1', visitIp: '192.0.2.7' }))).rejects.toThrow('actionDetails_0_type');
    });
  });

  it('is read in pieces of any size, and noticed where its end is missing', async () => {
    const visits = Array.from({ length: 2_000 }, (_, index) => ({ ...VISIT, visitorId: `é${index}` }));
    const text = JSON.stringify(visits);

    expect((await read(gzipSync(text))).rows).toHaveLength(8_000);
    await expect(read(text.slice(0, -10))).rejects.toThrow('incomplete: it ends within visit 2000');
  });

  it.each([
    [
      'ends behind a visit',
      (text: string) => text.slice(0, -1),
      'The file is incomplete: the end of the array is missing',
    ],
    ['ends behind a comma', (text: string) => `${text.slice(0, -1)},\n`, 'missing after visit 2.'],
    ['is two responses', (text: string) => `${text}\n${text}`, 'The file goes on after the array of visits.'],
  ])('is rejected where the file %s', async (_, damaged, words) => {
    const text = JSON.stringify([VISIT, VISIT]);

    expect((await read(`${text} \r\n`)).rows).toHaveLength(8);
    await expect(read(damaged(text))).rejects.toThrow(words);
  });
});
