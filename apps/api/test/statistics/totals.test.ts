import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import { addHits, anExample } from './histories.ts';

// api.md, "Statistics": GET …/statistics.

let api: Api;
let id: string;
beforeAll(async () => {
  api = await startApi();
  id = await anExample(api);
});
afterAll(() => api.app.close());

const show = (query = '', website = id) => api.send('GET', `/api/v1/websites/${website}/statistics${query}`);

describe('GET …/statistics', () => {
  test('has the numbers of today and the 27 days before, with the period', async () => {
    const response = await show();

    expect(response.status).toBe(200);
    expect(response.text).toBe(
      '{"data":{"visitors":2,"visits":3,"pageviews":7,"events":1,"bounce_rate":0.3333,"visit_duration":61.5,"views_per_visit":2.33,"engaged_seconds":null,"scroll_depth":null,"measured":0,"engagement_rate":null},"meta":{"from":"2026-10-24","to":"2026-11-20","time_zone":"UTC","without_days":[],"imported":[]}}',
    );
  });

  test('rates are null if there are no visits; the bounce rate also if no visit has a pageview', async () => {
    const empty = await api.createWebsite();
    const events = await api.createWebsite();
    await addHits(api, events.id, [{ name: 'Signup' }]);

    const nothing = await show('', empty.id);
    const eventsAlone = await show('', events.id);

    expect(nothing.json()).toMatchObject({
      data: { visitors: 0, visits: 0, bounce_rate: null, visit_duration: null, views_per_visit: null },
    });
    expect(eventsAlone.json()).toMatchObject({
      data: { visits: 1, bounce_rate: null, visit_duration: 0, views_per_visit: 0 },
    });
  });

  test('a period includes both days and may lie in the future', async () => {
    const day = await show('?from=2026-11-20&to=2026-11-20');
    const ahead = await show('?from=2026-11-21&to=2027-01-31');

    expect(day.json()).toMatchObject({ data: { visits: 3 }, meta: { from: '2026-11-20', to: '2026-11-20' } });
    expect(ahead.json()).toMatchObject({ data: { visits: 0 }, meta: { to: '2027-01-31' } });
  });

  test('compare=previous adds as many days just before', async () => {
    const response = await show('?from=2026-11-21&to=2026-11-22&compare=previous');

    expect(response.json()).toMatchObject({
      data: { visits: 0 },
      comparison: { from: '2026-11-19', to: '2026-11-20', data: { visits: 3, bounce_rate: 0.3333 } },
    });
  });

  test('a period that is not over is compared until the same time of day', async () => {
    const website = await api.createWebsite({ time_zone: 'Asia/Kolkata' });
    const at = (time: string) => ({ time: new Date(time), day: time.slice(0, 10) });
    await addHits(api, website.id, [
      { visitor: 1n, ...at('2026-11-20T11:00:00Z') },
      { visitor: 1n, ...at('2026-11-19T11:59:00Z') },
      { visitor: 1n, ...at('2026-11-19T12:00:00Z') },
      { visitor: 2n, ...at('2026-11-19T12:01:00Z') },
      { visitor: 3n, ...at('2026-11-18T23:00:00Z') },
      { visitor: 4n, ...at('2025-11-20T12:01:00Z') },
    ]);

    const previous = await show('?from=2026-11-20&to=2026-11-30&compare=previous', website.id);
    const year = await show('?from=2026-11-20&to=2026-11-20&compare=year', website.id);
    const over = await show('?from=2026-11-19&to=2026-11-19&compare=previous', website.id);

    expect(previous.json()).toMatchObject({
      data: { visitors: 1 },
      comparison: { from: '2026-11-09', to: '2026-11-09', until: '2026-11-09T17:30:00+05:30', data: { visitors: 0 } },
    });
    expect(year.json()).toMatchObject({
      comparison: { from: '2025-11-20', to: '2025-11-20', until: '2025-11-20T17:30:00+05:30', data: { visitors: 0 } },
    });
    expect(over.json()).toMatchObject({
      comparison: { from: '2026-11-18', to: '2026-11-18', until: null, data: { visitors: 1 } },
    });
    expect((await show('?from=2026-11-20&to=2026-11-20&compare=previous', website.id)).json()).toMatchObject({
      comparison: {
        ...{ from: '2026-11-19', to: '2026-11-19', until: '2026-11-19T17:30:00+05:30' },
        data: { visitors: 1, pageviews: 1, bounce_rate: 1 },
      },
    });
  });

  test('compare=year adds the same days a year earlier; 29 February becomes the 28th', async () => {
    const response = await show('?from=2028-02-29&to=2028-03-01&compare=year');

    expect(response.json()).toMatchObject({ comparison: { from: '2027-02-28', to: '2027-03-01' } });
  });

  test.each([
    ['page=/b', 2],
    ['page=', 0],
    ['event=Signup', 1],
    ['event=', 2],
    ['source=Google', 1],
    ['source=', 2],
    ['entry_page=/a&exit_page=/a', 2],
    ['page=/b&page=/x', 2],
    ['page=/a&channel=Search&country=DE&browser=Firefox&os=Linux', 1],
    ['channel=search', 0],
  ])('the filter %s chooses %i visits', async (filter, visits) => {
    expect((await show(`?${filter}`)).json()).toMatchObject({ data: { visits } });
  });

  test('all numbers are of the chosen visits, whole', async () => {
    expect((await show('?event=Signup')).json()).toMatchObject({
      data: { visitors: 1, visits: 1, pageviews: 3, events: 1, bounce_rate: 0, visit_duration: 184.5 },
    });
  });

  test.each([
    ['from=2026-11-01', ['to required']],
    ['to=2026-11-01', ['from required']],
    ['from=2026-11-02&to=2026-11-01', ['to not_allowed']],
    ['from=2026-02-30&to=', ['from not_allowed', 'to not_allowed']],
    ['from=2021-11-15&to=2026-11-20', ['from not_allowed']],
    ['from=2026-11-01&from=2026-11-01&to=2026-11-01', ['from repeated']],
    ['compare=', ['compare not_allowed']],
    ['compare=week&x=1', ['x unknown', 'compare not_allowed']],
    ['match=all&match=any', ['match repeated']],
    ['page=%00', ['page not_allowed']],
    [
      'channel=a&country=b&browser=c&os=d&device=e&page=f&entry_page=g&exit_page=h&language=i&referrer=j&source=k',
      ['source too_many'],
    ],
    ['interval=day', ['interval unknown']],
    ['utm_source=%zz', undefined],
  ])('%s is rejected', async (query, faults) => {
    const response = await show(`?${query}`);

    expect(response.status).toBe(faults === undefined ? 400 : 422);
    if (faults !== undefined) expect(response.faults().toSorted()).toEqual(faults.toSorted());
  });

  test('a key of scope read is enough; the letter case of the id does not matter', async () => {
    const response = await api.send('GET', `/api/v1/websites/${id.toUpperCase()}/statistics`, { key: api.readKey });

    expect(response.status).toBe(200);
  });
});

describe('every read', () => {
  const PATHS = ['', '/series', '/by/page', '/by/property?event=a&property=b', '/goals', '/current', '/dropped'];

  test.each(PATHS)(
    "is the same 404 for another account's website as for an unknown one: …/statistics%s",
    async (path) => {
      const other = await api.send('GET', `/api/v1/websites/${id}/statistics${path}`, { key: api.otherKey });
      const none = await api.send('GET', `/api/v1/websites/nonsense/statistics${path}`);

      const { request_id: _, ...told } = other.problem();
      const { request_id: __, ...toldOfNone } = none.problem();
      expect(other.status).toBe(404);
      expect(told).toEqual(toldOfNone);
    },
  );

  test.each(PATHS)('needs a key: …/statistics%s', async (path) => {
    expect((await api.send('GET', `/api/v1/websites/${id}/statistics${path}`, { key: null })).status).toBe(401);
  });

  test.each(PATHS)('reports errors before it looks up the website: …/statistics%s', async (path) => {
    const query = `${path.includes('?') ? '&' : '?'}nonsense=1`;

    const response = await api.send('GET', `/api/v1/websites/nonsense/statistics${path}${query}`);

    expect(response.faults()).toEqual(['nonsense unknown']);
  });
});
