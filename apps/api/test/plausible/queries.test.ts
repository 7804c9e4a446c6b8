import { afterAll, describe, expect, test } from 'vitest';
import { asc, DOCUMENTED_FILTERS, desc, is, rows, rowsOf, SITE, startDummySite } from './site.ts';

const { api, id, query } = await startDummySite();
afterAll(() => api.app.close());

const queryRows = async (body: object) => {
  const response = await query(body);
  expect(response.status, JSON.stringify(response.body)).toBe(200);
  return rowsOf(response.body);
};

const GERMAN = is('visit:country', 'DE');
const ESTONIAN = is('visit:country', 'EE');
const MAC = is('visit:os', 'Mac');
const SIGNED_UP = is('event:goal', 'Sign up');

describe('POST /api/v2/query', () => {
  test('returns the documented shape, with the numbers of our own API', async () => {
    const metrics = ['visitors', 'visits', 'pageviews', 'events', 'views_per_visit', 'bounce_rate', 'visit_duration'];
    const { body } = await query({ metrics });
    const { from, to } = { from: body.query.date_range[0].slice(0, 10), to: body.query.date_range[1].slice(0, 10) };
    const own = await api.send('GET', `/api/v1/websites/${id}/statistics?from=${from}&to=${to}`);
    const { data } = JSON.parse(own.text);

    expect(body).toEqual({
      results: [{ dimensions: [], metrics: [4, 4, 3, 5, 0.75, 67, 60] }],
      meta: { metric_warnings: { visitors: { code: 'visitors_per_day', warning: expect.any(String) } } },
      query: {
        site_id: SITE,
        metrics,
        date_range: [expect.stringMatching(/T00:00:00\+00:00$/), expect.stringMatching(/T23:59:59\+00:00$/)],
        filters: [],
        dimensions: [],
        order_by: [['visitors', 'desc']],
        include: {},
        pagination: { limit: 10_000, offset: 0 },
      },
    });
    expect(data).toMatchObject({
      visitors: 4,
      visits: 4,
      pageviews: 3,
      events: 2,
      bounce_rate: 0.6667,
      visit_duration: 60,
    });
  });

  test.each<[string, object, ReturnType<typeof rows>]>([
    ['a relative range without today', { date_range: '7d' }, [[2]]],
    ['today', { date_range: 'day' }, [[2]]],
    ['a dimension with its names', { dimensions: ['visit:country_name'] }, rows(['Germany', 3], ['Estonia', 1])],
    ['codes of countries', { dimensions: ['visit:country'] }, rows(['DE', 3], ['EE', 1])],
    ['sources', { dimensions: ['visit:source'] }, rows(['Direct / None', 3], ['Google', 1])],
    ['channels', { dimensions: ['visit:channel'] }, rows(['Direct', 3], ['Organic Search', 1])],
    ['systems', { dimensions: ['visit:os'] }, rows(['(not set)', 1], ['GNU/Linux', 1], ['Mac', 1], ['Windows', 1])],
    ['devices', { dimensions: ['visit:device'] }, [['Desktop', 4]]],
    [
      'two dimensions',
      { dimensions: ['visit:utm_medium', 'visit:utm_source'] },
      rows(['(not set)', '(not set)', 2], ['(not set)', 'nl', 1], ['email', 'nl', 1]),
    ],
    [
      'goals',
      { dimensions: ['event:goal'], metrics: ['visitors', 'events', 'conversion_rate'] },
      [['Sign up', 2, 2, 50]],
    ],
    [
      'a property of a goal',
      { dimensions: ['event:props:plan'], filters: [SIGNED_UP], metrics: ['visitors', 'events'] },
      rows(['free', 1, 1], ['pro', 1, 1]),
    ],
    [
      'percentages',
      { dimensions: ['visit:country'], metrics: ['visitors', 'percentage'] },
      rows(['DE', 3, 75], ['EE', 1, 25]),
    ],
    ['rates of a goal', { filters: [SIGNED_UP], metrics: ['visitors', 'conversion_rate'] }, [[2, 50]]],
    [
      'rates of a goal with a property, of all visitors',
      { filters: [SIGNED_UP, is('event:props:plan', 'pro')], metrics: ['visitors', 'conversion_rate'] },
      [[1, 25]],
    ],
    [
      'rates of groups',
      {
        filters: [SIGNED_UP],
        dimensions: ['visit:country'],
        metrics: ['visitors', 'conversion_rate', 'group_conversion_rate'],
      },
      rows(['DE', 1, 25, 33.33], ['EE', 1, 25, 100]),
    ],
    [
      'rates of groups with a property, of all visitors of the group',
      {
        filters: [SIGNED_UP, is('event:props:plan', 'free')],
        dimensions: ['visit:country'],
        metrics: ['visitors', 'conversion_rate', 'group_conversion_rate'],
      },
      rows(['DE', 1, 25, 33.33]),
    ],
    [
      'percentages of the visitors that are shown, next to rates of all visitors',
      {
        filters: [SIGNED_UP],
        dimensions: ['visit:country'],
        metrics: ['visitors', 'percentage', 'conversion_rate'],
      },
      rows(['DE', 1, 50, 25], ['EE', 1, 50, 25]),
    ],
    [
      'an order of its own',
      { dimensions: ['visit:country'], order_by: [desc('visit:country')] },
      rows(['EE', 1], ['DE', 3]),
    ],
    ['a page of rows', { dimensions: ['visit:country'], pagination: { limit: 1, offset: 1 } }, [['EE', 1]]],
  ])('returns %s', async (_, body, expected) => {
    expect(await queryRows(body)).toEqual(expected);
  });

  test.each<[string, unknown[], number]>([
    ['is', [is('visit:os', 'GNU/Linux', 'Mac')], 2],
    ['is_not', [['is_not', 'visit:country_name', ['Germany']]], 1],
    ['none', [is('visit:source', 'Direct / None')], 3],
    ['contains, with case', [['contains', 'event:page', ['/blog/a']]], 0],
    ['contains, without case', [['contains', 'event:page', ['/blog/a'], { case_sensitive: false }]], 1],
    ['contains in names', [['contains', 'visit:country_name', ['Esto']]], 1],
    ['contains in values that have no other name', [['contains', 'visit:os', ['Win']]], 1],
    ['contains in both', [['contains', 'visit:os', ['win', 'gnu'], { case_sensitive: false }]], 2],
    ['contains in neither', [['contains_not', 'visit:os', ['Win', 'GNU']]], 2],
    ['contains, but not in the names that only we have', [['contains', 'visit:os', ['macOS']]], 0],
    ['contains_not, without the names that only we have', [['contains_not', 'visit:os', ['macOS', 'Win']]], 3],
    ['wildcards in values that have no other name', [['matches_wildcard', 'visit:channel', ['Dir*']]], 3],
    ['is, with escapes in another spelling', [is('event:page', '/%70ricing')], 1],
    ['wildcards, with escapes in another spelling', [['matches_wildcard', 'event:page', ['/%70ric*']]], 1],
    ['contains_not', [['contains_not', 'event:page', ['/docs', '/pricing']]], 2],
    ['and of the top', [GERMAN, MAC], 1],
    ['or', [['or', [ESTONIAN, MAC]]], 2],
    ['not or', [['not', ['or', [ESTONIAN, MAC]]]], 2],
    ['or of ands', [['or', [['and', [GERMAN, MAC]], ESTONIAN]]], 2],
    ['not and', [['not', ['and', [GERMAN, MAC]]]], 3],
    ['has_done', [['has_done', SIGNED_UP]], 2],
    ['has_not_done', [['has_not_done', is('event:page', '/pricing')]], 3],
    ['goals that contain', [['contains', 'event:goal', ['Sign']]], 2],
    ['goals that contain, with case', [['contains', 'event:goal', ['sign']]], 0],
    ['goals that contain, without case', [['contains', 'event:goal', ['sign'], { case_sensitive: false }]], 2],
    ['properties', [is('event:props:plan', 'pro')], 1],
    ['properties without a value', [is('event:props:plan', '(none)')], 2],
    ['the documented example', DOCUMENTED_FILTERS, 2],
  ])('filters: %s', async (_, filters, visitors) => {
    expect(await queryRows({ filters })).toEqual([[visitors]]);
  });

  test('groups by time, with labels of empty hours, and a second dimension', async () => {
    const days = await queryRows({ dimensions: ['time:day'], metrics: ['visitors', 'events'] });
    const hours = await query({ date_range: 'day', dimensions: ['time:hour'], include: { time_labels: true } });
    const both = await queryRows({
      dimensions: ['time:day', 'visit:country'],
      order_by: [asc('time:day'), desc('visit:country')],
    });

    expect(days.map(([, ...numbers]) => numbers)).toEqual(rows([2, 3], [2, 2]));
    expect(hours.body.results).toMatchObject([{ dimensions: [expect.stringMatching(/ 10:00:00$/)], metrics: [2] }]);
    expect(hours.body.meta.time_labels).toHaveLength(24);
    expect(both.map(([, ...rest]) => rest)).toEqual(rows(['EE', 1], ['DE', 1], ['DE', 2]));
  });

  test('filters by a segment, and says how many rows there are, and that nothing was imported', async () => {
    const json = { name: 'Germans', filters: { country: ['DE'] } };
    await api.send('POST', `/api/v1/websites/${id}/segments`, { json });

    const { body } = await query({
      filters: [is('segment', 'Germans')],
      dimensions: ['visit:os'],
      include: { total_rows: true, imports: true },
      pagination: { limit: 1 },
    });

    expect(body.results).toHaveLength(1);
    expect(body.meta).toMatchObject({ total_rows: 3, imports_included: false });
  });

  test('chooses with several segments the visits of any of them', async () => {
    const segments = [
      { name: 'Linux in Estonia', filters: { country: ['EE'], os: ['Linux'] } },
      { name: 'Mac or Linux', filters: { os: ['macOS', 'Linux'] } },
      { name: 'Windows or events', match: 'any', filters: { os: ['Windows'], event: ['Signup'] } },
    ];
    for (const json of segments) {
      expect((await api.send('POST', `/api/v1/websites/${id}/segments`, { json })).status).toBe(201);
    }
    const visitsOf = (...names: readonly string[]) =>
      queryRows({ filters: [is('segment', ...names)], metrics: ['visits'] });

    expect(await visitsOf('Linux in Estonia')).toEqual([[1]]);
    expect(await visitsOf('Linux in Estonia', 'Mac or Linux')).toEqual([[2]]);
    expect(await visitsOf('Linux in Estonia', 'Windows or events')).toEqual([[3]]);
    expect(await visitsOf(...segments.map(({ name }) => name))).toEqual([[4]]);
  });

  test('says that filters by something of an event count whole visits', async () => {
    const { body } = await query({
      filters: [is('event:page', '/pricing')],
      metrics: ['pageviews', 'events'],
      date_range: 'day',
    });

    expect(body.meta.metric_warnings).toMatchObject({
      pageviews: { code: 'whole_visits' },
      events: { code: 'whole_visits' },
    });
  });

  test.each<[string, object, boolean]>([
    ['a page', { page: ['/pricing'] }, true],
    ['an event', { event: ['Sign up'] }, true],
    ['a property', { 'props[plan]': ['pro'] }, true],
    ['the page of entry', { entry_page: ['/pricing'] }, false],
    ['a country', { country: ['DE'] }, false],
  ])('says whether a segment that filters by %s counts whole visits', async (name, filters, isWhole) => {
    await api.send('POST', `/api/v1/websites/${id}/segments`, { json: { name, filters } });

    const { body } = await query({ filters: [is('segment', name)], metrics: ['pageviews'], date_range: 'day' });

    const warnings = isWhole ? { pageviews: { code: 'whole_visits', warning: expect.any(String) } } : undefined;
    expect([body.results.length, body.meta.metric_warnings]).toEqual([1, warnings]);
  });

  test('has the time on pages and their scroll depth', async () => {
    const { body } = await query({ metrics: ['time_on_page', 'scroll_depth'], dimensions: ['event:page'] });

    expect(body.results[0]).toMatchObject({ metrics: [null, null] });
  });

  test.each<[string, object]>([
    ['event:page', { metrics: ['scroll_depth'] }],
    ['event:page', { metrics: ['time_on_page'], dimensions: ['visit:os'] }],
    ['total_revenue', { metrics: ['total_revenue'] }],
    ['visit:city', { dimensions: ['visit:city'] }],
    ['visit:browser_version', { filters: [is('visit:browser_version', '1')] }],
    ['matches', { filters: [['matches', 'event:page', ['^/a']]] }],
    ['whole days', { date_range: '24h' }],
    ['days', { date_range: ['2026-02-30', '2026-03-01'] }],
    ['ends before', { date_range: ['2026-03-02', '2026-03-01'] }],
    ['date_range', { date_range: ['9999-12-31', '9999-12-31'] }],
    ['9998', { date_range: ['9999-12-31T00:00:00Z', '9999-12-31T00:59:59Z'], dimensions: ['time:hour'] }],
    ['date_range', { date_range: '9999mo' }],
    ['bounce_rate', { dimensions: ['event:page'], metrics: ['bounce_rate'] }],
    ['percentage', { metrics: ['percentage'] }],
    ['conversion_rate', { metrics: ['conversion_rate'] }],
    ['event:props', { dimensions: ['event:props:plan', 'visit:os'] }],
    [
      'one goal only',
      {
        dimensions: ['event:props:plan'],
        filters: [['contains', 'event:goal', ['x']], is('event:goal', 'Sign up', 'Sign up')],
      },
    ],
    ['two dimensions', { dimensions: ['visit:os', 'visit:country', 'visit:source'] }],
    ['goal', { filters: [is('event:goal', 'Nobody')] }],
    ['only modifier', { filters: [['contains', 'event:goal', ['Sign'], { foo: true }]] }],
    ['with "contains"', { filters: [['is', 'event:goal', ['sign up'], { case_sensitive: false }]] }],
    ['in ASCII', { filters: [['contains', 'event:goal', ['Ü'], { case_sensitive: false }]] }],
    ['segment', { filters: [['is', 'segment', [7]]] }],
    ['1 to 100 values', { filters: [is('segment')] }],
    ['1 to 100 values', { filters: [is('event:goal')] }],
    ['metrics', { metrics: [] }],
    ['metrics', { metrics: 'visitors' }],
    ['filters', { filters: [['is']] }],
    ['order_by', { order_by: [asc('events')] }],
    ['pagination', { pagination: { limit: 0 } }],
    ['time_labels', { include: { time_labels: true } }],
    ['unknown field', { foo: 1 }],
    ['nested', { filters: [Array.from({ length: 20 }).reduce((inner) => ['not', inner], is('visit:os', 'x'))] }],
    ['combination', { filters: [['or', Array(12).fill(['and', [is('visit:os', 'x'), is('visit:os', 'y')]])]] }],
  ])('rejects a query without an exact equivalent, and names the cause: %s', async (cause, sent) => {
    const { status, body } = await query(sent);

    expect([status, Object.keys(body)]).toEqual([400, ['error']]);
    expect(body.error).toContain(cause);
  });
});
