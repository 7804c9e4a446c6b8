import { newId } from '@hitherto/outside/system';
import { describe, expect, test } from 'vitest';
import { signIn } from './support/owner.ts';
import { startPagesForTest } from './support/pages.ts';
import { decoded, filtersOf, SIGNUP, startStatistics, visitorsOf } from './support/statistics.ts';

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
    const { pages, path } = await startStatistics();

    const { text } = await pages.send('GET', `${path}?${query}`);

    expect(filtersOf(text)).toEqual(sentences);
    expect(visitorsOf(text)).toBe(visitors);
  });

  test('can each be removed, and match all or any from two on', async () => {
    const { pages, path } = await startStatistics();

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

  test('lose the value of a row that they name, and nothing else', async () => {
    const { pages, path } = await startStatistics();

    const { text: two } = await pages.send('GET', `${path}?country=DE&country=FR&os.not=iOS`);
    const { text: one } = await pages.send('GET', `${path}?country=FR&os.not=iOS`);

    expect(decoded(two)).toContain(`href="${path}?country=FR&os.not=iOS" title="Remove the filter: Germany"`);
    expect(decoded(one)).toContain(`href="${path}?os.not=iOS" title="Remove the filter: France"`);
  });

  test('leave room for a segment up to the last', async () => {
    const { pages, path, addSegment } = await startStatistics();
    const { id: segment } = await addSegment({ name: 'Readers', filters: [['os', ['Linux']]] });
    const nine = Array.from({ length: 9 }, (_, n) => `props[p${n}].not=x`).join('&');

    const { text: room } = await pages.send('GET', `${path}?${nine}`);
    const { text: full } = await pages.send('GET', `${path}?${nine}&country.not=XX`);
    const { text: chosen } = await pages.send('GET', `${path}?${nine}&segment=${segment}`);

    expect(room).toContain(`segment=${segment}`);
    expect(full).not.toContain(`segment=${segment}`);
    expect(full).toContain('Remove a filter to choose a segment.');
    expect(chosen).not.toContain('Remove a filter to choose a segment.');
  });

  test('apply to lists and CSV as well', async () => {
    const { pages, path } = await startStatistics();
    const query = '?country.not=DE&page.not_like=/blog/*';

    const [list, csv, series] = await Promise.all(
      [`${path}/by/country${query}`, `${path}/by/country.csv${query}`, `${path}/series.csv${query}&period=today`].map(
        (one) => pages.send('GET', one),
      ),
    );

    expect(filtersOf(list?.text ?? '')).toEqual(['Country is not Germany', 'Page is not like /blog/*']);
    expect(csv?.text).toBe(
      '\ufeffvalue,visitors,visits,pageviews,bounce_rate,visit_duration,engaged_seconds,scroll_depth\r\nAT,1,1,1,1,0,,\r\nFR,1,1,1,1,0,,\r\n',
    );
    expect(series?.text.split('\r\n').filter((line) => line.includes(',2,2,2,0'))).toHaveLength(1);
  });

  test('that name a goal, segment or funnel which does not exist are ignored', async () => {
    const { pages, path } = await startStatistics();
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
    const { pages, path } = await startStatistics();

    const { status, headers } = await pages.send('GET', add(path, fields));

    expect([status, headers.location]).toEqual([303, `${path}?${query}`]);
  });

  test('adds a value to a filter that is there, and repeats the rest of the address', async () => {
    const { pages, path } = await startStatistics();
    const kept = 'period=7d&country=DE&page.like=/a*&match=any&metric=visits&';

    const { headers } = await pages.send('GET', add(path, { add: 'country', operator: 'is', value: 'FR' }, kept));

    expect(headers.location).toBe(`${path}?period=7d&page.like=%2Fa*&country=DE&country=FR&match=any&metric=visits`);
  });

  test('knows goals by their names', async () => {
    const { pages, path, addGoal } = await startStatistics();
    const { id } = await addGoal(SIGNUP);

    const { headers } = await pages.send('GET', add(path, { add: 'goal', operator: 'not', value: 'Signup' }));

    expect(headers.location).toBe(`${path}?goal.not=${id}`);
  });

  test('leads back to the list it was sent from', async () => {
    const { pages, path } = await startStatistics();

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
      'A filter by &quot;goal&quot; must be written as &quot;goal&quot; or &quot;goal.not&quot;.',
    ],
    [{ add: 'property', operator: 'is', name: '', value: 'x' }, 'The name of a property must have 1 to 40 characters.'],
    [{ add: 'page', operator: 'is', value: 'x'.repeat(2_001) }, 'A value must have at most 2000 characters.'],
  ])('%j is shown again with its fault: %s', async (fields, fault) => {
    const { pages, path, addGoal } = await startStatistics();
    await addGoal(SIGNUP);

    const { status, text } = await pages.send('GET', add(path, fields));

    expect(status).toBe(200);
    expect(text).toContain(`<p class="fault" id="filter-fault" role="alert">${fault}</p>`);
    expect(text).toContain('<details class="menu add-filter" open name="menu">');
    expect(text).toContain(`<option value="${fields.add}" selected>`);
  });

  test.each([
    [{ add: 'country', operator: 'is', value: '' }, ['value']],
    [{ add: 'property', operator: 'is', name: '', value: 'x' }, ['name']],
  ])('%j has its fault at the field %j', async (fields, faulty) => {
    const { pages, path } = await startStatistics();

    const { text } = await pages.send('GET', add(path, fields));

    const invalid = [...text.matchAll(/<input [^>]*aria-invalid="true"[^>]*>/g)].map(([input]) => input);
    expect(invalid.map((input) => / name="(\w+)"/.exec(input)?.[1])).toEqual(faulty);
    expect(invalid[0]).toContain('aria-describedby="filter-fault');
    expect(text.match(/aria-describedby="filter-fault/g)).toHaveLength(1);
    // The fault follows its field.
    expect(text).toMatch(
      new RegExp(`<input name="${faulty[0]}"[^>]*/?>(?:</label>)?(?:<datalist.*?</datalist>)?<p class="fault"`),
    );
  });

  test('has suggestions for its subject, whatever the filters, by the names that people know', async () => {
    const { pages, path } = await startStatistics();

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

  test('suggests the 50 most frequent values', async () => {
    const pages = await startPagesForTest();
    const website = await pages.addWebsite({ privacy: 'public' });
    // The page /n has n visitors.
    const hits = Array.from({ length: 52 }, (_, index) => index + 1).flatMap((visitors) =>
      Array.from({ length: visitors }, (_, visitor) => ({ page: `/${visitors}`, visitor: BigInt(visitor) })),
    );
    await pages.addHits(website, hits);

    const { text } = await pages.send('GET', `/statistics/${website.id}/suggestions?add=page`);

    const values = [...text.matchAll(/<option value="\/(\d+)"/g)].map(([, value]) => Number(value));
    expect(values).toEqual(Array.from({ length: 50 }, (_, index) => 52 - index));
  });

  test('offers no suggestions of a page that the viewer may not see', async () => {
    const { pages } = await startStatistics();
    const hidden = await pages.addWebsite({ privacy: 'private' });

    expect((await pages.send('GET', `/statistics/${hidden.id}/suggestions?add=page`)).status).toBe(404);
  });
});

describe('segments', () => {
  test('can be chosen by every viewer, who sees name and filters', async () => {
    const { pages, path, addSegment } = await startStatistics();
    const { id } = await addSegment({
      name: 'Neighbours <b>',
      filters: Object.entries({ country: ['AT', 'FR'], 'page.contains': ['blog'] }),
      match: 'any',
    });

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
    const { pages, website, path } = await startStatistics();
    const { cookies } = await signIn(pages);
    const query = 'country.not=DE&page.like=%2Fa*&match=any';
    const link = `href="/websites/${website.id}/segments/new?${query}"`;

    const { text: owner } = await pages.send('GET', `${path}?period=7d&${query}`, { cookies });
    const { text: nobody } = await pages.send('GET', `${path}?${query}`);

    expect(decoded(owner)).toContain(link);
    expect(decoded(nobody)).not.toContain('/segments');
  });
});
