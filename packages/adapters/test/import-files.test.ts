import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, open, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGunzip, gzipSync } from 'node:zlib';
import type { ImportFileOptions, ImportRow, SumRow } from '@hitherto/domain';
import { zipOf } from '@hitherto/testing/zip';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createImportFiles } from '../src/import-files/index.ts';
import { unpacked } from '../src/import-files/unpacked.ts';
import { openFiles } from './open-files.ts';

// docs/history.md: how the files of each format are read.

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hitherto-files-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let files = 0;
async function read(content: string | Buffer, options: Partial<ImportFileOptions> = {}) {
  files += 1;
  const path = join(folder, `file-${files}`);
  await writeFile(path, content);
  const source = await createImportFiles().open(path, { format: 'auto', url: 'https://example.com/blog', ...options });
  if (!('rows' in source)) throw new Error('The file has no rows of hits.');
  const rows: ImportRow[] = [];
  for await (const piece of source.rows()) rows.push(...piece);
  return { format: source.format, rows, share: source.share() };
}

const UMAMI = `\u{feff}website_id,session_id,visit_id,event_id,hostname,browser,os,device,screen,language,country,region,city,url_path,url_query,referrer_path,referrer_query,referrer_domain,page_title,event_type,event_name,created_at
w,s1,v1,e1,www.example.com,edge-chromium,Windows 10,laptop,1920x1080,de-DE,DE,DE-BE,Berlin,/é,utm_source=nl,/search,q=a,google.com,"A ""title"",
of two lines",1,,2025-03-01 23:30:00
w,s1,v1,e2,www.example.com,ios,iOS,mobile,,en,US,,,/b,,,,,,2,Signup,2025-03-01 23:31:00
w,s1,v1,e3,www.example.com,ios,iOS,mobile,,en,US,,,/b,,,,,,5,,2025-03-01 23:32:00
`;

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
          sender: 'server',
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
          sender: 'server',
        },
        stated: { country: 'US', language: 'en', browser: 'Safari', os: 'iOS', device: 'mobile' },
      },
      { place: 'line 5', skipped: { reason: 'not_counted', detail: 'The event_type 5 is not counted.' } },
    ]);
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
    const header = 'event_id,data_key,string_value,number_value,date_value,data_type';
    const data = [
      'e2,plan,pro,,,1',
      'e2,cart.total,12.5,12.5000,,2',
      'e1,of,a pageview,,,1',
      'e2,is_new,true,,,3',
      'e2,__proto__,x,,,1',
    ];
    const tagged = UMAMI.replaceAll(/\n(w|website_id),/g, (_, first) => `\n${first === 'w' ? 'é' : 'tag'},${first},`)
      .replace('website_id', 'tag,website_id')
      .replace('é,w,s1,v1,e1', ',w,s1,v1,e1');

    const { rows } = await read(
      zipOf(
        { name: 'website_event.csv', content: tagged },
        { name: 'event_data.csv', content: [header, ...data].join('\r\n') },
      ),
    );

    expect(rows.map(({ hit }) => hit?.props)).toStrictEqual([
      undefined,
      { plan: 'pro', 'cart.total': 12.5, is_new: true, ['__proto__']: 'x', tag: 'é' },
      undefined,
    ]);
  });

  it('has times of another zone where it is named', async () => {
    const { rows } = await read(UMAMI, { zone: 'Europe/Berlin' });

    expect(rows[0]?.hit?.time).toStrictEqual(new Date('2025-03-01T22:30:00Z'));
  });
});

describe('GoatCounter', () => {
  const HEADER =
    '2Path,Title,Event,UserAgent,Browser,System,Session,Bot,Referrer,Referrer scheme,Screen size,Location,FirstVisit,Date';

  it('has paths of the website, groups of referrers and campaigns', async () => {
    const { format, rows } = await read(
      [
        HEADER,
        '/a,A,false,,Firefox 115,Mac OS 10.15,abc,0,Google,g,1440x900,KR-11,true,2026-07-09T01:00:00Z',
        '/a,A,false,,Chrome,Android 14,abd,0,example.org/x,h,,US,true,2026-07-09T03:00:00+02:00',
        '/a?b=1,A,false,,Chrome,Linux,abe,0,summer sale,c,,,true,2026-07-09T01:00:00Z',
        '/a,A,false,,Chrome,Linux,abe,0,https://blog.example/post,c,,,true,2026-07-09T01:00:00Z',
        'signup,,true,,Chrome,Linux,abe,0,,,,,true,2026-07-09T01:01:00Z',
        '/a,A,false,Googlebot/2.1,,,abf,7,,,,,true,2026-07-09T01:00:00Z',
      ].join('\r\n'),
    );

    expect(format).toBe('goatcounter');
    expect(rows.map(({ hit }) => [hit?.url, hit?.referrer, hit?.name, hit?.automated])).toStrictEqual([
      ['https://example.com/a', 'https://www.google.com', undefined, false],
      ['https://example.com/a', 'https://example.org/x', undefined, false],
      ['https://example.com/a?b=1&utm_source=summer%20sale', undefined, undefined, false],
      ['https://example.com/a', 'https://blog.example/post', undefined, false],
      ['https://example.com/', undefined, 'signup', false],
      ['https://example.com/a', undefined, undefined, true],
    ]);
    expect(rows[0]?.stated).toStrictEqual({ country: 'KR', browser: 'Firefox', os: 'macOS', device: 'desktop' });
    expect(rows[1]?.stated).toStrictEqual({ country: 'US', browser: 'Chrome', os: 'Android', device: 'mobile' });
    expect(rows[1]?.hit?.time).toStrictEqual(new Date('2026-07-09T01:00:00Z'));
  });
});

describe('GoatCounter without sessions', () => {
  it('has a visitor for each hit', async () => {
    const lines = ['0-0', '0-0', '', '1a-0', '1a-0'].map((session, n) => `/${n},${session},2026-07-09T01:00:00Z`);
    const { rows } = await read(['2Path,Session,Date', ...lines].join('\n'));

    const visitors = rows.map(({ hit }) => hit?.visitor);
    expect(new Set(visitors).size).toBe(4);
    expect(visitors.slice(3)).toStrictEqual(['1a-0', '1a-0']);
  });
});

describe('names that every object has', () => {
  const NAMES = ['constructor', 'toString', '__proto__', 'hasOwnProperty'];

  it('are no devices', async () => {
    const lines = NAMES.map((name) => `2026-07-09T01:00:00.000Z,pageview,${name},/,s1`);
    const { rows } = await read(['added_iso,datapoint,device_type,path,session_id', ...lines].join('\n'));

    expect(rows.map(({ stated }) => stated?.device)).toStrictEqual(NAMES.map(() => 'other'));
  });

  it('are no groups of referrers', async () => {
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
    files += 1;
    const path = join(folder, `file-${files}`);
    await writeFile(path, zip);
    const source = await createImportFiles().open(path, { format: 'auto', url: 'https://example.com' });
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

describe('Simple Analytics', () => {
  it('has pageviews, events, agents and labels of campaigns', async () => {
    const { format, rows } = await read(
      [
        'added_iso,country_code,datapoint,document_referrer,hostname,is_robot,lang_language,path,query,session_id,user_agent,utm_source',
        '2026-07-09T01:00:00.000Z,NL,pageview,https://www.google.com/,example.com,false,nl,/é,,s1,Mozilla/5.0,news',
        '2026-07-09T01:00:01.000Z,NL,Signup,,example.com,true,nl,/b,?a=1,s1,Mozilla/5.0,',
      ].join('\n'),
    );

    expect(format).toBe('simple-analytics');
    expect(rows.map(({ hit }) => [hit?.url, hit?.referrer, hit?.name, hit?.automated])).toStrictEqual([
      ['https://example.com/é?utm_source=news', 'https://www.google.com/', undefined, false],
      ['https://example.com/b?a=1', undefined, 'Signup', true],
    ]);
    expect(rows[0]?.stated).toStrictEqual({ country: 'NL', language: 'nl' });
  });

  it('names browser, system and device where it has no user agents', async () => {
    const { rows } = await read(
      [
        'added_iso,browser_name,country_code,datapoint,device_type,os_name,path,session_id',
        '2025-07-04T18:39:04.100Z,Chrome,UK,visit_homepage,mobile,Android,/,7b03aa29',
        '2025-07-04T18:39:05.100Z,,,pageview,tablet,,/,7b03aa29',
      ].join('\n'),
    );

    expect(rows.map(({ stated }) => stated)).toStrictEqual([
      { country: 'GB', language: null, browser: 'Chrome', os: 'Android', device: 'mobile' },
      { country: null, language: null, browser: null, os: null, device: 'tablet' },
    ]);
  });
});

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

  it('has searches as they are collected', async () => {
    const search = { type: 'search', url: 'https://example.com/s', siteSearchKeyword: 'é', siteSearchCount: '3' };
    const { rows } = await read(
      JSON.stringify([{ ...VISIT, actionDetails: [{ ...search, timestamp: 1_750_000_000 }] }]),
    );

    expect(rows[0]?.hit).toMatchObject({ name: 'Search', props: { keyword: 'é', count: 3 } });
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

describe('a file', () => {
  it.each([
    ['of no known format', 'date,visitors\n2026-01-01,3\n', 'of no known format'],
    ['of another format than named', '{"a":1}', 'The file is not of the format "goatcounter": it begins differently.'],
    [
      'with the header of another format than named',
      UMAMI,
      'The file, line 1: The column "2Path" is missing, so it is not of the format "goatcounter".',
    ],
    ['with a quote that is never closed', `${UMAMI}w,"s1`, 'line 6'],
    ['that is an empty ZIP', zipOf(), 'of no known format'],
    ['that is a damaged ZIP', zipOf({ name: 'website_event.csv', content: UMAMI }).subarray(0, 200), 'cannot be read'],
    [
      'with an entry that leads out of the ZIP',
      zipOf({ name: '../website_event.csv', content: UMAMI }),
      'cannot be read',
    ],
    ['with an entry of an absolute path', zipOf({ name: '/etc/passwd', content: UMAMI }), 'absolute path: /etc/passwd'],
    ['with an entry of a path of Windows', zipOf({ name: 'C:/a.csv', content: UMAMI }), 'absolute path: C:/a.csv'],
    [
      'with an entry that has a backslash',
      zipOf({ name: '..\\a.csv', content: UMAMI }),
      'invalid characters in fileName',
    ],
    ['with an entry that is a link', zipOf({ name: 'a', content: '/etc/passwd', mode: 0o120777 }), 'is a link'],
    [
      'that unpacks to far more than it should',
      zipOf({ name: 'website_event.csv', content: UMAMI, size: 3 * 2 ** 30 }),
      'more than 1 GiB',
    ],
    [
      'that unpacks to more than it says',
      zipOf({ name: 'website_event.csv', content: UMAMI, size: 100 }),
      'cannot be read',
    ],
    [
      'whose content was changed within the ZIP',
      zipOf({ name: 'website_event.csv', content: UMAMI, checksum: 1 }),
      'The entry website_event.csv of the ZIP cannot be read: its checksum does not match.',
    ],
    [
      'of a later version of JSON lines',
      '{"format":"hitherto","version":2}\n',
      'line 1: The version of the format must be 1',
    ],
  ])('%s is rejected in one sentence', async (_, content, words) => {
    const options = words.includes('goatcounter') ? ({ format: 'goatcounter' } as const) : {};

    await expect(read(content, options)).rejects.toMatchObject({
      code: 'invalid_file',
      message: expect.stringContaining(words),
    });
  });
});

describe('a header that lacks a column', () => {
  const foreign = UMAMI.replace('created_at', 'date');
  const inZip = zipOf(
    { name: 'export/event_data.csv', content: 'website_id,event_id,data_key\n' },
    { name: 'export/website_event.csv', content: foreign },
  );
  const COLUMN = 'line 1: The column "created_at" is missing, so it is not of the format "umami".';

  it.each<[string, string | Buffer, ImportFileOptions['format'], string]>([
    ['of the named format', foreign, 'umami', `The file, ${COLUMN}`],
    ['of the named format, in a ZIP', inZip, 'umami', `website_event.csv, ${COLUMN}`],
    ['of a format that it is like', foreign, 'auto', `The file, ${COLUMN}`],
    ['of Fathom', 'datetime,views\n', 'fathom', 'The column "pageviews" is missing'],
    ['of Matomo', 'idVisit,ip\n', 'matomo', 'The column "visitIp" is missing'],
    ['of a format that it is not like', 'datetime,views\n', 'auto', 'The file is of no known format'],
  ])('is rejected with the column: %s', async (_, content, format, message) => {
    await expect(read(content, { format })).rejects.toMatchObject({
      code: 'invalid_file',
      message: expect.stringContaining(message),
    });
  });
});

describe('places in a ZIP', () => {
  it('name the entry', async () => {
    const visits = JSON.stringify([{ actionDetails: [{ type: 'action', url: 'https://example.com/', timestamp: 1 }] }]);
    const matomo = await read(zipOf({ name: 'a/visits.json', content: visits }));
    const csv = await read(
      zipOf({
        name: 'a/visits.csv',
        content: 'idVisit,visitIp,actionDetails_0_type,actionDetails_0_url\n1,,action,https://example.com/\n',
      }),
    );
    const hitherto = await read(zipOf({ name: 'a/hits.jsonl', content: '{"format":"hitherto","version":1}\n{}\n' }));

    expect([matomo, csv, hitherto].map(({ rows }) => rows[0]?.place)).toStrictEqual([
      'visits.json, visit 1, action 1',
      'visits.csv, line 2, action 1',
      'hits.jsonl, line 2',
    ]);
  });

  it.each([
    ['of a header', '{"format":"hitherto","version":2}\n', 'hits.jsonl, line 1: The version'],
    [
      'of a line that is too long',
      `{"format":"hitherto","version":1}\n${'x'.repeat(2 << 20)}`,
      'hits.jsonl, line 2, is longer',
    ],
  ])('name the entry %s', async (_, content, words) => {
    await expect(read(zipOf({ name: 'a/hits.jsonl', content }))).rejects.toThrow(words);
  });
});

describe('an access log', () => {
  const LINE = '198.51.100.7 - - [20/Nov/2026:10:00:00 +0000] "GET /é HTTP/1.1" 200 1';

  async function openLog(content: string | Buffer, format: 'auto' | 'access-log' = 'auto') {
    files += 1;
    const path = join(folder, `file-${files}`);
    await writeFile(path, content);
    const source = await createImportFiles().open(path, { format, url: 'https://example.com' });
    if (!('open' in source)) throw new Error('The file is no log.');
    return source;
  }

  async function linesOf(content: string | Buffer, format?: 'auto' | 'access-log') {
    const log = await (await openLog(content, format)).open();
    const lines = [];
    for (const file of log.files) for await (const some of file.lines(0)) lines.push(...some.map(({ text }) => text));
    const share = log.files.map((file) => file.share());
    await log.close();
    return { lines, share };
  }

  const zipped = (content: string) =>
    zipOf({ name: 'logs/', content: '' }, { name: 'logs/readme', content: 'é' }, { name: 'logs/access.log', content });

  describe.each([
    ['plain', (text: string) => text],
    ['compressed by gzip', (text: string) => gzipSync(text)],
    ['in a ZIP', zipped],
  ])('that is %s', (_, packed) => {
    it.each(['auto', 'access-log'] as const)('has all lines, found as %s', async (format) => {
      const text = `${LINE}\n`.repeat(20_000);

      expect(await linesOf(packed(text), format)).toStrictEqual({ lines: Array(20_000).fill(LINE), share: [1] });
    });

    it('needs no end of its last line, nor of its only one', async () => {
      expect(await linesOf(packed(`${LINE}\r\n${LINE}`))).toMatchObject({ lines: [LINE, LINE] });
      expect(await linesOf(packed(LINE))).toMatchObject({ lines: [LINE] });
    });
  });

  it('goes on behind a last line without an end once that has one', async () => {
    const shorter = await openLog(LINE);
    const longer = await openLog(zipped(`${LINE} more\n${LINE} next\n`));
    const log = await longer.open();
    const lines = [];
    for await (const some of log.files[0]?.lines(Buffer.byteLength(LINE)) ?? []) lines.push(...some);
    await log.close();

    expect(lines.map(({ text }) => text)).toStrictEqual([`${LINE} next`]);
    expect((await openLog(`${LINE}\n${LINE} next\n`)).name).toBe(shorter.name);
  });

  it('is rejected in a ZIP with another one', async () => {
    const zip = zipOf({ name: 'a.log', content: `${LINE}\n` }, { name: 'b.log', content: `${LINE}\n` });

    await expect(openLog(zip)).rejects.toMatchObject({
      code: 'invalid_file',
      message: 'The ZIP has several access logs, such as a.log and b.log. Import each of them.',
    });
  });

  it.skipIf(process.platform !== 'linux')('leaves no file open', async () => {
    const hash = (n: number) => createHash('sha256').update(`${n}`).digest('hex');
    const zip = zipped(Array.from({ length: 20_000 }, (_, n) => `${LINE} ${hash(n)}\n`).join(''));
    const source = await openLog(zip);
    await (await source.open()).close();

    await expect.poll(openFiles).not.toContain(join(folder, `file-${files}`));
  });
});

describe('a ZIP', () => {
  /** A ZIP of at least so many bytes, with entries that each claim 4 GiB. */
  async function zipOfSize(bytes: number, entries: number): Promise<string> {
    const content = 'date,visitors\n';
    const claimed = Array.from({ length: entries }, (_, n) => ({ name: `${n}.csv`, content, size: 2 ** 32 - 2 }));
    const zip = zipOf(...claimed);
    // The directory, whose place is in the last bytes, comes behind a hole.
    const directory = zip.subarray(zip.readUInt32LE(zip.length - 6));
    directory.writeUInt32LE(bytes, directory.length - 6);
    const path = join(folder, 'large.zip');
    const file = await open(path, 'w');
    await file.write(zip.subarray(0, -directory.length));
    await file.write(directory, 0, undefined, bytes);
    await file.close();
    return path;
  }

  const openFile = (path: string) => createImportFiles().open(path, { format: 'auto', url: 'https://example.com' });

  it.each([
    ['over 100 times its size', 2 ** 27, 4, 'unpacks to more than 12 GiB'],
    ['over 20 GiB, whatever its size', 2 ** 29, 6, 'unpacks to more than 20 GiB'],
    ['less than these, so that its entries are read', 2 ** 29, 4, 'The entry 0.csv of the ZIP cannot be read'],
  ])('that would unpack to %s', async (_, bytes, entries, words) => {
    const path = await zipOfSize(bytes, entries);

    await expect(openFile(path)).rejects.toMatchObject({
      code: 'invalid_file',
      message: expect.stringContaining(words),
    });
  });

  describe.skipIf(process.platform !== 'linux')('is closed', () => {
    /** So many events that not all are read at once. */
    const events = `${UMAMI}${Array.from({ length: 30_000 }, () => `w,${randomUUID()},v,e,,,,,,,,,,/a,,,,,,1,,2025-03-01\n`).join('')}`;
    const zipWith = (content: string) =>
      zipOf({ name: 'other.csv', content: `a,b\n${events}` }, { name: 'website_event.csv', content });
    let zips = 0;
    const written = async (zip: Buffer) => {
      zips += 1;
      const path = join(folder, `closed-${zips}.zip`);
      await writeFile(path, zip);
      return path;
    };

    async function readPieces(path: string, pieces = Number.POSITIVE_INFINITY): Promise<void> {
      const source = await openFile(path);
      if (!('rows' in source)) throw new Error('The file has no rows of hits.');
      let count = 0;
      for await (const _ of source.rows()) {
        count += 1;
        if (count === pieces) break;
      }
    }

    /** How many descriptors of a file this process has. */
    async function descriptorsOf(path: string): Promise<number> {
      const descriptors = await readdir('/proc/self/fd');
      const files = await Promise.all(descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
      return files.filter((file) => file === path).length;
    }

    it.each<[string, string, (path: string) => Promise<unknown>]>([
      ['once it has been read', events, readPieces],
      ['where reading ends midway', events, (path) => readPieces(path, 1)],
      ['where nothing is read, because it is imported already', events, openFile],
      [
        'where it is damaged',
        `${events}w,"s1`,
        (path) => expect(readPieces(path)).rejects.toThrow('a quote is never closed'),
      ],
      [
        'where it is of no known format',
        `c,d\n${events}`,
        (path) => expect(openFile(path)).rejects.toThrow('no known format'),
      ],
    ])('%s', async (_, content, use) => {
      const path = await written(zipWith(content));

      await use(path);

      await expect.poll(() => descriptorsOf(path)).toBe(0);
    });
  });
});

describe('a file that gzip has compressed', () => {
  it('is rejected if it unpacks to more than 1 GiB, and to over 100 times its size', async () => {
    const member = gzipSync(Buffer.alloc(2 ** 24));
    const bomb = Buffer.concat(Array.from({ length: 65 }, () => member));

    const stream = unpacked(Readable.from([bomb]), createGunzip(), bomb.length);

    await expect(finished(stream.resume())).rejects.toThrow('unpacks to more than 1 GiB');
  });
});
