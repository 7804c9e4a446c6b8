import { aWebsite } from '@hitherto/testing/fixtures';
import { describe, expect, test } from 'vitest';
import { ID, serveCollector, URL_OF_PAGE } from './support/collector.ts';

const PAGEVIEW = { website: ID, url: URL_OF_PAGE, view: 7 };
const MEASURE = { website: ID, view: 7, seconds: 34, scroll: 80, age: 60_000 };

/** A collector whose website measures its pageviews. */
function serveMeasuring(settings: Parameters<typeof aWebsite>[0] = {}) {
  return serveCollector({ websites: [aWebsite({ url: 'https://ex.com', engagement: true, ...settings })] });
}

describe('POST /hits of a pageview', () => {
  test('asks the page to measure it, where the website does, and stores the view', async () => {
    const { send, hits } = await serveMeasuring();

    const { headers } = await send(PAGEVIEW);

    expect(headers).toMatchObject({ 'hitherto-measure': '1' });
    expect(headers['access-control-expose-headers']).toContain('Hitherto-Measure');
    expect(hits.stored).toMatchObject([{ view: 7 }]);
  });

  test('asks nothing for an event, for a hit that is dropped, and where the website does not measure', async () => {
    const measuring = await serveMeasuring();
    const other = await serveCollector();

    const responses = [
      await measuring.send({ ...PAGEVIEW, name: 'Signup' }),
      await measuring.send({ ...PAGEVIEW, url: 'https://other.example/' }),
      await other.send(PAGEVIEW),
    ];

    for (const { status, headers } of responses)
      expect([status, headers['hitherto-measure']]).toEqual([202, undefined]);
    expect([...measuring.hits.stored, ...other.hits.stored].map(({ view }) => view)).toEqual([undefined, undefined]);
  });
});

describe('POST /hits of a measure', () => {
  test('stores it for the same visitor, on the day of the pageview', async () => {
    const { send, hits } = await serveMeasuring();
    await send(PAGEVIEW);

    const { status, text, headers } = await send({ ...MEASURE, age: 13 * 3_600_000 });

    expect([status, text, headers['hitherto-dropped']]).toEqual([202, '', undefined]);
    const [pageview, stored] = hits.stored;
    expect(stored).toMatchObject({ view: 7, measure: { seconds: 34, scroll: 80 }, day: '2026-11-19' });
    await send(MEASURE);
    expect(hits.stored[2]).toMatchObject({ day: '2026-11-20', visitor: pageview?.visitor });
  });

  test.each([
    ['the website does not measure', { engagement: false }, {}],
    ['the address is excluded', { excludedIps: ['198.51.100.7'] }, {}],
    ['a bot sends it', {}, { 'user-agent': 'a bot' }],
    ['it is a prefetch', {}, { 'sec-purpose': 'prefetch' }],
  ])('drops it as no_pageview where %s', async (_, settings, headers) => {
    const { send, hits } = await serveMeasuring(settings);

    const response = await send(MEASURE, headers);

    expect(response).toMatchObject({ status: 202, headers: { 'hitherto-dropped': 'no_pageview' } });
    expect([hits.stored, hits.dropped]).toEqual([
      [],
      [{ websiteId: ID, day: '2026-11-20', reason: 'no_pageview', hits: 1 }],
    ]);
  });

  test.each([
    ['no view', { view: undefined }, 'view required'],
    ['a view of 0', { view: 0 }, 'view not_allowed'],
    ['a view of more than 32 bits', { view: 2 ** 32 }, 'view not_allowed'],
    ['more than half an hour', { seconds: 1_801 }, 'seconds not_allowed'],
    ['parts of a second', { seconds: 1.5 }, 'seconds not_allowed'],
    ['negative seconds', { seconds: -1 }, 'seconds not_allowed'],
    ['more than the page', { scroll: 101 }, 'scroll not_allowed'],
    ['a string', { scroll: '50' }, 'scroll invalid_type'],
    ['more than a day', { age: 86_400_001 }, 'age not_allowed'],
    ['an unknown field', { url: URL_OF_PAGE }, 'url unknown'],
    ['no website', { website: undefined }, 'website required'],
  ])('rejects %s', async (_, changed, fault) => {
    const { send, hits } = await serveMeasuring();

    const { status, text } = await send({ ...MEASURE, ...changed });

    expect(status).toBe(422);
    const { errors } = JSON.parse(text);
    expect(errors.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`)).toEqual([fault]);
    expect(hits.stored).toEqual([]);
  });

  test('responds 404 for an unknown website, and 503 while the database is away', async () => {
    const { send, hits } = await serveMeasuring();
    hits.isDoubtful = true;

    const doubtful = await send(MEASURE);
    const unknown = await send({ ...MEASURE, website: ID.replace(/1$/, '2') });

    expect([doubtful.status, unknown.status]).toEqual([503, 404]);
  });
});
