import { newId } from '@hitherto/adapters/system';
import {
  type CountedHit,
  createDefinition,
  type Definition,
  type FunnelInput,
  type GoalInput,
  parseNewFunnel,
  parseNewGoal,
  parseNewSegment,
  type Website,
} from '@hitherto/domain';
import { AN_AUTHOR } from '@hitherto/domain/testing';
import { describe, expect, test } from 'vitest';
import { signIn } from './support/owner.ts';
import { type PagesUnderTest, startPagesForTest } from './support/pages.ts';

const at = (seconds: number) => new Date(Date.parse('2026-11-20T10:00:00Z') + seconds * 1000);
const HITS: readonly Partial<CountedHit>[] = [
  { visitor: 1n, page: '/product/a', time: at(0), country: 'DE' },
  { visitor: 1n, page: '/thanks', time: at(10), country: 'DE' },
  { visitor: 1n, name: 'Signup', props: { plan: 'pro', amount: '99.50' }, time: at(20), country: 'DE' },
  { visitor: 1n, name: 'Signup', props: { plan: 'pro', amount: 50 }, time: at(30), country: 'DE' },
  { visitor: 2n, page: '/product/b', time: at(0), country: 'FR' },
  { visitor: 3n, page: '/%C3%BCber', time: at(0), country: 'AT' },
  { visitor: 4n, page: '/blog/a', time: at(0), country: null },
];

/** A public website with these hits, and ways to define things for it. */
async function start() {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'public' });
  await pages.addHits(website, HITS);
  return { pages, website, path: `/statistics/${website.id}`, ...definer(pages, website) };
}

function definer({ repositories, clock, accountId }: PagesUnderTest, { id: websiteId }: Website) {
  const deps = { definitions: repositories.definitions, now: clock.now, newId, author: AN_AUTHOR };
  const website = { accountId, websiteId };
  return {
    addGoal: (input: GoalInput) => createDefinition(deps, 'goal', website, parseNewGoal(input)),
    addFunnel: (input: FunnelInput) => createDefinition(deps, 'funnel', website, parseNewFunnel(input)),
    addSegment: (name: string, filters: Readonly<Record<string, readonly string[]>>, match?: 'any') =>
      createDefinition(
        deps,
        'segment',
        website,
        parseNewSegment({ name, filters: Object.entries(filters), ...(match && { match }) }),
      ),
  };
}

const SIGNUP = { name: 'Signup', event: 'Signup', props: { plan: 'pro' }, sum: 'amount' };
const PURCHASE = {
  name: 'Purchase',
  steps: [
    { name: 'Product', page: '/product/*' },
    { name: 'Paid', page: '/thanks' },
  ],
};

const visitorsOf = (text: string) => /data-metric="visitors" data-value="(\d+)"/.exec(text)?.[1];
/** The filters that a page shows, as sentences. */
const filtersOf = (text: string) =>
  [...text.matchAll(/<span class="filter" title="([^"]*)"/g)].map(([, sentence]) => sentence);
const decoded = (text: string) => text.replaceAll('&amp;', '&');

describe('filters of the page', () => {
  test.each([
    ['country=DE&country=FR', ['Country is Germany or France'], '2'],
    ['country.not=DE', ['Country is not Germany'], '3'],
    ['country=', ['Country is Unknown'], '1'],
    ['page.contains=PRODUCT', ['Page contains PRODUCT'], '2'],
    ['page.not_like=/product/*', ['Page is not like /product/*'], '2'],
    ['page=/%25C3%25BCber', ['Page is /über'], '1'],
    ['props[plan]=pro', ['Property plan is pro'], '1'],
    ['country=AT&page.like=/blog/*&match=any', ['Country is Austria', 'Page is like /blog/*'], '2'],
    ['country=AT&page.like=/blog/*', ['Country is Austria', 'Page is like /blog/*'], '0'],
  ])('%s: %j', async (query, sentences, visitors) => {
    const { pages, path } = await start();

    const { text } = await pages.send('GET', `${path}?${query}`);

    expect(filtersOf(text)).toEqual(sentences);
    expect(visitorsOf(text)).toBe(visitors);
  });

  test('can each be removed, and match all or any from two on', async () => {
    const { pages, path } = await start();

    const { text: one } = await pages.send('GET', `${path}?country.not=DE`);
    const { text: all } = await pages.send('GET', `${path}?country.not=DE&page.like=%2Fblog%2F*`);
    const { text: any } = await pages.send('GET', `${path}?country.not=DE&page.like=%2Fblog%2F*&match=any`);

    expect(one).toContain(`<a href="${path}"><span class="unseen">Remove the filter Country is not Germany</span>`);
    expect(one).not.toContain('Match any');
    expect(decoded(all)).toContain(`<a href="${path}?country.not=DE&page.like=%2Fblog%2F*&match=any">Match any</a>`);
    expect(decoded(all)).toContain(`<a href="${path}?country.not=DE"><span class="unseen">Remove the filter Page is`);
    expect(decoded(any)).toContain(`<a href="${path}?country.not=DE&page.like=%2Fblog%2F*">Match all</a>`);
    expect(any).toContain(`<a href="${path}">Remove all</a>`);
  });

  test('apply to lists and CSV as well', async () => {
    const { pages, path } = await start();
    const query = '?country.not=DE&page.not_like=/blog/*';

    const [list, csv, series] = await Promise.all(
      [`${path}/by/country${query}`, `${path}/by/country.csv${query}`, `${path}/series.csv${query}&period=today`].map(
        (one) => pages.send('GET', one),
      ),
    );

    expect(filtersOf(list?.text ?? '')).toEqual(['Country is not Germany', 'Page is not like /blog/*']);
    expect(csv?.text).toBe(
      'value,visitors,visits,pageviews,bounce_rate,visit_duration\r\nAT,1,1,1,1,0\r\nFR,1,1,1,1,0\r\n',
    );
    expect(series?.text.split('\r\n').filter((line) => line.includes(',2,2,2,0'))).toHaveLength(1);
  });

  test('that name a goal, segment or funnel which does not exist are ignored', async () => {
    const { pages, path } = await start();
    const id = newId();

    const { status, text } = await pages.send('GET', `${path}?goal=${id}&segment=${id}&conversion=${id}&funnel=${id}`);

    expect([status, visitorsOf(text), filtersOf(text)]).toEqual([200, '4', []]);
  });
});

describe('the form that adds a filter', () => {
  const add = (path: string, fields: Readonly<Record<string, string>>, rest = '') =>
    `${path}?${rest}${new URLSearchParams(fields)}`;

  test.each([
    [{ add: 'country', operator: 'is', value: 'Germany' }, 'country=DE'],
    [{ add: 'country', operator: 'not', value: 'FR' }, 'country.not=FR'],
    [{ add: 'page', operator: 'is', value: '/über' }, 'page=%2F%25C3%25BCber'],
    [{ add: 'page', operator: 'contains', value: ' über ' }, 'page.contains=%25C3%25BCber'],
    [{ add: 'source', operator: 'is', value: 'Direct or unknown' }, 'source='],
    [{ add: 'event', operator: 'not_like', value: 'Sign*' }, 'event.not_like=Sign*'],
    [{ add: 'property', operator: 'is', name: 'plan', value: 'pro' }, 'props%5Bplan%5D=pro'],
    [{ add: 'property', operator: 'is', name: 'plan', value: '' }, 'props%5Bplan%5D='],
  ])('%j leads to %s', async (fields, query) => {
    const { pages, path } = await start();

    const { status, headers } = await pages.send('GET', add(path, fields));

    expect([status, headers.location]).toEqual([303, `${path}?${query}`]);
  });

  test('adds a value to a filter that is there, and repeats the rest of the address', async () => {
    const { pages, path } = await start();
    const kept = 'period=7d&country=DE&page.like=/a*&match=any&metric=visits&';

    const { headers } = await pages.send('GET', add(path, { add: 'country', operator: 'is', value: 'FR' }, kept));

    expect(headers.location).toBe(`${path}?period=7d&page.like=%2Fa*&country=DE&country=FR&match=any&metric=visits`);
  });

  test('knows goals by their names', async () => {
    const { pages, path, addGoal } = await start();
    const { id } = await addGoal(SIGNUP);

    const { headers } = await pages.send('GET', add(path, { add: 'goal', operator: 'not', value: 'Signup' }));

    expect(headers.location).toBe(`${path}?goal.not=${id}`);
  });

  test('leads back to the list it was sent from', async () => {
    const { pages, path } = await start();

    const { headers } = await pages.send(
      'GET',
      add(`${path}/by/page`, { add: 'country', operator: 'is', value: 'DE' }),
    );

    expect(headers.location).toBe(`${path}/by/page?country=DE`);
  });

  test.each([
    [{ add: 'country', operator: 'is', value: '' }, 'Enter a value, or choose one of the suggestions.'],
    [{ add: 'goal', operator: 'is', value: 'x' }, 'Choose one of the goals.'],
    [
      { add: 'goal', operator: 'like', value: 'Signup' },
      'A filter by goals is &quot;goal&quot; or &quot;goal.not&quot;.',
    ],
    [{ add: 'property', operator: 'is', name: '', value: 'x' }, 'The name of a property has 1 to 40 characters.'],
    [{ add: 'page', operator: 'is', value: 'x'.repeat(2_001) }, 'A value has at most 2000 characters.'],
  ])('%j is shown again with its fault: %s', async (fields, fault) => {
    const { pages, path, addGoal } = await start();
    await addGoal(SIGNUP);

    const { status, text } = await pages.send('GET', add(path, fields));

    expect(status).toBe(200);
    expect(text).toContain(`<p class="fault" id="filter-fault" role="alert">${fault}</p>`);
    expect(text).toContain('<details class="menu add-filter" open>');
    expect(text).toContain(`<option value="${fields.add}" selected>`);
  });

  test('has suggestions for its subject, whatever the filters, by the names that people know', async () => {
    const { pages, path } = await start();

    const { text: page } = await pages.send('GET', `${path}?country=FR&add=country`);
    const { text: fragment, headers } = await pages.send('GET', `${path}/suggestions?country=FR&add=page`);

    const valuesOf = (text: string) =>
      [
        ...(/<datalist.*<\/datalist>/.exec(text)?.[0] ?? '').matchAll(/<option value="([^"]*)"(?: label="([^"]*)")?/g),
      ].map(([, value, label]) => [value, label].filter((one) => one !== undefined));
    expect(valuesOf(page)).toEqual([['Austria'], ['Germany'], ['France'], ['Unknown']]);
    expect(valuesOf(fragment)).toContainEqual(['/über']);
    expect(fragment).toMatch(/^<datalist id="suggestions">/);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
  });

  test('offers no suggestions of a page that the viewer may not see', async () => {
    const { pages } = await start();
    const hidden = await pages.addWebsite({ privacy: 'private' });

    expect((await pages.send('GET', `/statistics/${hidden.id}/suggestions?add=page`)).status).toBe(404);
  });
});

describe('segments', () => {
  test('can be chosen by every viewer, who sees name and filters', async () => {
    const { pages, path, addSegment } = await start();
    const { id } = await addSegment('Neighbours <b>', { country: ['AT', 'FR'], 'page.contains': ['blog'] }, 'any');

    const { text: before } = await pages.send('GET', path);
    const { text: chosen } = await pages.send('GET', `${path}?segment=${id}&page.not_like=%2Fproduct*`);

    expect(before).toContain(`<a href="${path}?segment=${id}"><bdi>Neighbours &lt;b></bdi></a>`);
    expect(visitorsOf(chosen)).toBe('2');
    expect(filtersOf(chosen)).toEqual([
      'Country is Austria or France, or Page contains blog',
      'Page is not like /product*',
    ]);
    expect(chosen).toContain('Remove the segment Neighbours');
  });

  test('are saved and changed by the owner alone', async () => {
    const { pages, website, path } = await start();
    const { cookies } = await signIn(pages);
    const query = 'country.not=DE&page.like=%2Fa*&match=any';
    const link = `href="/websites/${website.id}/segments/new?${query}"`;

    const { text: owner } = await pages.send('GET', `${path}?period=7d&${query}`, { cookies });
    const { text: nobody } = await pages.send('GET', `${path}?${query}`);

    expect(decoded(owner)).toContain(link);
    expect(decoded(nobody)).not.toContain('/segments');
  });
});

describe('the card of goals', () => {
  const rowOf = (text: string, { id }: Definition) => {
    const [, row = ''] = new RegExp(`<tr data-value="${id}">(.*?)</tr>`).exec(text) ?? [];
    return {
      numbers: [...row.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell = '']) => cell.replaceAll(/<[^>]*>/g, '')),
      links: [...decoded(row).matchAll(/href="([^"]*)"/g)].map(([, href]) => href),
    };
  };

  test('shows visitors, conversions, rate and sum of each goal, of the visits that filters choose', async () => {
    const { pages, path, addGoal } = await start();
    const [signup, thanks] = [await addGoal(SIGNUP), await addGoal({ name: 'Thanks', page: '/thanks' })];

    const { text } = await pages.send('GET', path);
    const { text: filtered } = await pages.send('GET', `${path}?country=DE`);

    expect(rowOf(text, signup).numbers).toEqual(['1', '2', '25.0\u00a0%', '149.50']);
    expect(rowOf(text, thanks).numbers).toEqual(['1', '1', '25.0\u00a0%', '']);
    expect(rowOf(filtered, signup).numbers).toEqual(['1', '2', '100\u00a0%', '149.50']);
  });

  test('filters by a goal, and shows its rate in every list in front', async () => {
    const { pages, path, addGoal } = await start();
    const goal = await addGoal(SIGNUP);
    const [filter = '', rate = ''] = rowOf((await pages.send('GET', path)).text, goal).links;

    const { text: filtered } = await pages.send('GET', filter);
    const { text: rated } = await pages.send('GET', rate);

    expect([filter, rate]).toEqual([`${path}?goal=${goal.id}`, `${path}?conversion=${goal.id}`]);
    expect([filtersOf(filtered), visitorsOf(filtered)]).toEqual([['Goal is Signup'], '1']);
    expect(rated.match(/<th scope="col">Rate<\/th>/g)).toHaveLength(6);
    expect(rated).toMatch(/data-value="\/thanks">.*?<td data-metric="conversion_rate"><data value="1">100\u00a0%</);
    expect(rowOf(rated, goal).links[1]).toBe(path);
  });

  test('puts the conversions of a goal into whole lists and CSV', async () => {
    const { pages, path, addGoal } = await start();
    const { id } = await addGoal(SIGNUP);

    const { text: list } = await pages.send('GET', `${path}/by/country?conversion=${id}`);
    const { text: csv } = await pages.send('GET', `${path}/by/country.csv?conversion=${id}`);

    expect(list).toContain('<th scope="col" title="Conversion rate of the goal Signup">Rate</th>');
    expect(list).toMatch(/<tr data-value="DE">.*?<td data-metric="converted_visitors">1<\/td>/);
    expect(csv).toContain('converted_visitors,conversions,conversion_rate\r\n');
    expect(csv).toContain('DE,1,1,2,0,30,1,2,1\r\n');
  });

  test('has a CSV', async () => {
    const { pages, path, addGoal } = await start();
    const { id } = await addGoal(SIGNUP);

    const { text, headers } = await pages.send('GET', `${path}/goals.csv?country=DE`);

    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(text).toBe(
      `goal_id,goal_name,visitors,visits,conversions,conversion_rate,sum\r\n${id},Signup,1,1,2,1,149.5\r\n`,
    );
  });

  test('is absent without goals; the owner sees where to define the first', async () => {
    const { pages, website, path } = await start();
    const { cookies } = await signIn(pages);

    const { text: owner } = await pages.send('GET', path, { cookies });
    const { text: nobody } = await pages.send('GET', path);

    expect(nobody).not.toMatch(/id="goals"|id="funnels"|\/websites\//);
    expect(owner).not.toMatch(/id="goals"|id="funnels"/);
    expect(owner).toContain(`href="/websites/${website.id}/goals/new"`);
    expect(owner).toContain(`href="/websites/${website.id}/funnels/new"`);
  });
});

describe('the card of funnels', () => {
  const stepsOf = (text: string) =>
    [...text.matchAll(/<li data-step="([^"]*)" data-visits="(\d+)" data-visitors="\d+">(.*?)<\/li>/g)].map(
      ([, name, visits, rest = '']) => [name, visits, /<p class="loss">(.*?)<\/p>/.exec(rest)?.[1]],
    );

  test('shows the visits of each step, and how many were lost before it', async () => {
    const { pages, path, addFunnel } = await start();
    await addFunnel(PURCHASE);

    const { text } = await pages.send('GET', path);

    expect(stepsOf(text)).toEqual([
      ['Product', '2', undefined],
      ['Paid', '1', '1 left (50\u00a0%)'],
    ]);
    expect(text).not.toContain('aria-label="Funnels"');
  });

  test('shows one of several, and has a CSV of it', async () => {
    const { pages, path, addFunnel } = await start();
    await addFunnel(PURCHASE);
    const { id } = await addFunnel({ ...PURCHASE, name: 'Other', steps: PURCHASE.steps.toReversed() });

    const { text } = await pages.send('GET', `${path}?funnel=${id}`);
    const { text: csv } = await pages.send('GET', `${path}/funnels/${id}.csv`);

    expect(stepsOf(text)[0]).toEqual(['Paid', '1', undefined]);
    expect(text).toContain(`<a href="${path}#funnels"><bdi>Purchase</bdi></a>`);
    expect(csv).toBe('step,visits,visitors,of_first,of_previous\r\nPaid,1,1,1,1\r\nProduct,0,0,0,0\r\n');
  });

  test('has no CSV of a funnel that does not exist, or of a page that the viewer may not see', async () => {
    const { pages, path } = await start();
    const hidden = await pages.addWebsite({ privacy: 'private' });

    const found = await Promise.all(
      [`${path}/funnels/${newId()}.csv`, `${path}/funnels/x`, `/statistics/${hidden.id}/goals.csv`].map((one) =>
        pages.send('GET', one),
      ),
    );

    expect(found.map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});

test('names of segments, goals and steps are escaped everywhere', async () => {
  const { pages, path, addGoal, addFunnel, addSegment } = await start();
  const name = '"><img src=x onerror=alert(1)>';
  const goal = await addGoal({ ...SIGNUP, name });
  await addFunnel({ name, steps: PURCHASE.steps.map((step) => ({ ...step, name })) });
  const segment = await addSegment(name, { 'page.not': [name] });

  const found = await Promise.all(
    [
      `?segment=${segment.id}&goal=${goal.id}&conversion=${goal.id}`,
      '?add=goal&value=x',
      `/by/page?conversion=${goal.id}`,
      '/suggestions?add=goal',
    ].map((rest) => pages.send('GET', `${path}${rest}`)),
  );

  for (const { status, text } of found) {
    expect(status).toBe(200);
    expect(text).not.toContain('<img');
  }
});
