import { createAlert, parseAlert } from '@hitherto/domain/alerts';
import { UNRECORDED } from '@hitherto/domain/changes';
import { type SegmentInput, segmentInputOf } from '@hitherto/domain/definitions';
import { DIMENSIONS } from '@hitherto/domain/hits';
import type { Website } from '@hitherto/domain/websites';
import { beforeEach, describe, expect, test } from 'vitest';
import { definer } from './support/definitions.ts';
import { dependenciesOf, HOSTILE } from './support/hostile-data.ts';
import { faultsOf, formOf, numbersOf, postForm, signIn, wordsOf } from './support/owner.ts';
import { type PagesUnderTest, startPagesForTest } from './support/pages.ts';
import { share } from './support/sharing.ts';

let pages: PagesUnderTest;
let website: Website;
let path: string;
let cookies: Readonly<Record<string, string>>;

beforeEach(async () => {
  pages = await startPagesForTest();
  website = await pages.addWebsite();
  path = `/websites/${website.id}/segments`;
  ({ cookies } = await signIn(pages));
});

const get = (address: string) => pages.send('GET', address, { cookies });
const post = (address: string, form: Record<string, string>) => postForm(pages, address, form, { cookies });
const key = () => ({ accountId: pages.accountId, websiteId: website.id });
const stored = async () =>
  ((await pages.repositories.definitions.segment.list(key())) ?? []).map(({ id, name, content }) => ({
    id,
    name,
    ...segmentInputOf(content),
  }));
const define = (input: SegmentInput) => definer(pages, website).addSegment(input);
const defineGoal = (name: string) => definer(pages, website).addGoal({ name, page: '/thanks' });

describe('the form of a segment', () => {
  test('saves every kind of filter as visits have the values', async () => {
    const [signup, paid] = [await defineGoal('Signup'), await defineGoal('Paid, é')];

    const { status } = await post(`${path}/new`, {
      name: 'é',
      match: 'any',
      ...rowOf(0, { subject: 'country', operator: 'not', values: ' Germany \r\n\r\nfr\r\n' }),
      ...rowOf(2, { subject: 'page', operator: 'like', values: '/über/*' }),
      ...rowOf(3, { subject: 'property', property: ' plan ', operator: 'contains', values: 'Pro' }),
      ...rowOf(4, { subject: 'goal', operator: 'not', values: 'Paid, é\nSignup' }),
      ...rowOf(5, { subject: 'source', operator: '', values: '' }),
      ...rowOf(6, { subject: 'browser', operator: '', values: '\r\nFirefox' }),
      ...rowOf(9, { subject: 'property', property: 'a].b', operator: '', values: '' }),
    });

    expect([status, await stored()]).toMatchObject([
      303,
      [
        {
          match: 'any',
          filters: {
            'country.not': ['DE', 'FR'],
            'page.like': ['/%C3%BCber/*'],
            'props[plan].contains': ['Pro'],
            'goal.not': [paid.id, signup.id],
            source: [''],
            browser: ['', 'Firefox'],
            'props[a].b]': [''],
          },
        },
      ],
    ]);
  });

  test('begins with the filters in its address, as the statistics have them', async () => {
    const { id } = await defineGoal('Signup');
    const query = `country.not=DE&country.not=FR&page.like=/blog/*&props[plan]=pro&goal=${id}&source=&match=any`;

    const { text } = await get(`${path}/new?${query}&period=7d&metric=visits&country.foo=x&segment=y&os.contains=`);

    expect(formOf(text)).toEqual({
      name: '',
      match: 'any',
      ...rowOf(0, { subject: 'country', property: '', operator: 'not', values: 'Germany\r\nFrance' }),
      ...rowOf(1, { subject: 'page', property: '', operator: 'like', values: '/blog/*' }),
      ...rowOf(2, { subject: 'property', property: 'plan', operator: '', values: 'pro' }),
      ...rowOf(3, { subject: 'goal', property: '', operator: '', values: 'Signup' }),
      ...rowOf(4, { subject: 'source', property: '', operator: '', values: 'Direct or unknown' }),
      ...rowOf(5, { subject: '', property: '', operator: '', values: '' }),
      ...rowOf(6, { subject: '', property: '', operator: '', values: '' }),
    });
    await post(`${path}/new`, { ...formOf(text), name: 'é' });
    expect(await stored()).toMatchObject([
      {
        match: 'any',
        filters: {
          'country.not': ['DE', 'FR'],
          'page.like': ['/blog/*'],
          'props[plan]': ['pro'],
          goal: [id],
          source: [''],
        },
      },
    ]);
  });

  test('keeps no value among the values in its address, wherever it stands', async () => {
    const { text } = await get(
      `${path}/new?props[plan]=pro&props[plan]=&props[size].not=b&props[size].not=&source=Google&source=`,
    );
    await post(`${path}/new`, { ...formOf(text), name: 'é' });

    expect(await stored()).toMatchObject([
      { filters: { 'props[plan]': ['', 'pro'], 'props[size].not': ['', 'b'], source: ['', 'Google'] } },
    ]);
  });

  test('is not offered where it would change the filters in its address', async () => {
    for (const query of ['event=%20Signup', 'os=x&event=x%0Ay', 'props[a]=%20', 'props[%20a]=x', 'event.not=x%09']) {
      const { status, text } = await get(`${path}/new?${query}`);
      expect([query, status, text]).toEqual([query, 200, expect.stringContaining('Use the API instead.')]);
      expect(text).not.toContain('name="filter_0_values"');
    }
  });

  test('grows to ten filters', async () => {
    const names = DIMENSIONS.slice(0, 12);
    const { text } = await get(
      `${path}/new?${names
        .slice(0, 7)
        .map((name) => `${name}=x`)
        .join('&')}`,
    );
    const more = await post(`${path}/new`, { ...formOf(text), action: 'more' });
    const full = await get(`${path}/new?${names.map((name) => `${name}=x`).join('&')}`);

    expect([rowsIn(text), rowsIn(more.text), rowsIn(full.text)]).toEqual([9, 10, 10]);
    expect(more.text).not.toContain('value="more"');
    expect((await post(`${path}/new`, { ...formOf(full.text), name: 'é' })).status).toBe(303);
    expect(Object.keys((await stored())[0]?.filters ?? {}).length).toBe(10);
  });

  test('has every fault next to its field, and keeps what was typed', async () => {
    await defineGoal('Signup');
    const form = {
      name: '',
      match: 'all',
      ...rowOf(0, { subject: 'country', operator: 'contains', values: ' ' }),
      ...rowOf(1, { subject: '', operator: 'not', values: 'x' }),
      ...rowOf(2, { subject: 'property', property: '', operator: '', values: 'x' }),
      ...rowOf(3, { subject: 'goal', operator: '', values: 'Sign-up' }),
      ...rowOf(4, { subject: 'goal', operator: 'like', values: 'Signup' }),
      ...rowOf(5, { subject: 'os', operator: '', values: 'x\n'.repeat(21) }),
      ...rowOf(6, { subject: 'os', operator: '', values: 'y' }),
      ...rowOf(7, { subject: 'page', operator: 'not', values: 'x'.repeat(2_001) }),
      ...rowOf(8, { subject: 'colour', operator: 'not', values: 'x' }),
    };

    const { status, text } = await post(`${path}/new`, form);

    expect([status, faultsOf(text)]).toEqual([
      422,
      {
        name: ['A name must have 1 to 64 characters, no control characters, and no spaces at its ends.'],
        filter_0_values: ['Enter a value.'],
        filter_1_subject: ['Choose a dimension for the filter.'],
        filter_2_property: ['The name of a property must have 1 to 40 characters.'],
        filter_4_operator: ['Of this subject, choose “is” or “is not”.'],
        filter_5_values: ['A filter must have at most 20 values.'],
        filter_6_subject: [
          'Another filter has the same subject and operator. Move its values here: any of them may match.',
        ],
        filter_7_values: ['A value must have at most 2000 characters.'],
        filter_8_subject: ['Choose one of the options.'],
      },
    ]);
    expect(formOf(text)).toMatchObject({ filter_3_values: 'Sign-up', filter_7_values: 'x'.repeat(2_001) });
    const goal = { name: 'x', ...rowOf(3, { subject: 'goal', operator: '', values: 'Sign-up' }) };
    for (const action of ['save', 'preview']) {
      expect(faultsOf((await post(`${path}/new`, { ...goal, action })).text)).toEqual({
        filter_3_values: ['The website has no goal with this name. It has Signup.'],
      });
    }
    expect(faultsOf((await post(`${path}/new`, { name: 'x' })).text)).toEqual({
      filters: ['Add at least one filter.'],
    });
    expect(await stored()).toEqual([]);
  });

  test('shows a goal that was deleted by its id, and the list says so', async () => {
    const goal = await defineGoal('Signup');
    const { id } = await define({
      name: 'é',
      filters: [
        ['goal', [goal.id]],
        ['os', ['x']],
      ],
    });
    await pages.repositories.definitions.goal.delete(key(), goal.id, undefined, UNRECORDED);

    const list = await get(path);
    const form = formOf((await get(`${path}/${id}`)).text);

    expect(wordsOf(list.text)).toEqual([
      'é Goal is a deleted goal, and System is x. No visit has reached a goal that was deleted Statistics Change Delete',
    ]);
    expect(form.filter_0_values).toBe(goal.id);
    expect(faultsOf((await post(`${path}/${id}`, { ...form, name: 'new', filter_1_values: 'y' })).text)).toEqual({
      filter_0_values: ['The website has no goal with this name. It has no goals yet.'],
    });
  });

  test('is not offered where it would change what is stored', async () => {
    const segments = [
      await define({ name: 'a', filters: [['event', ['x\ny']]] }),
      await define({ name: 'b', filters: [['source', [' x']]] }),
      await define({ name: 'c', filters: [['props[a]', ['b', '']]] }),
    ];

    for (const { id } of segments) {
      const { status, text } = await get(`${path}/${id}`);
      expect([status, text]).toEqual([200, expect.stringContaining('Use the API instead.')]);
      expect(text).not.toContain('name="filter_0_values"');
    }
  });
});

test('values that were stored as people write them are mended by the form', async () => {
  const { id } = await define({
    name: 'é',
    filters: [
      ['country', ['Germany', 'FR']],
      ['page.like', ['/ü*']],
    ],
  });

  const form = formOf((await get(`${path}/${id}`)).text);
  await post(`${path}/${id}`, form);

  expect([form.filter_0_values, form.filter_1_values]).toEqual(['Germany\r\nFrance', '/ü*']);
  expect(await stored()).toMatchObject([{ filters: { country: ['DE', 'FR'], 'page.like': ['/%C3%BC*'] } }]);
});

describe('the list of segments', () => {
  test('has the filters as sentences', async () => {
    await define({
      name: 'all',
      filters: [
        ['country.not', ['DE', 'FR']],
        ['page.contains', ['<blog>']],
      ],
    });
    await define({
      name: 'any',
      match: 'any',
      filters: [
        ['source', ['']],
        ['os', ['1', '2', '3', '4', '5', '6', '7']],
      ],
    });

    expect(wordsOf((await get(path)).text)).toEqual([
      'all Country is not Germany or France, and Page contains <blog> Statistics Change Delete',
      'any System is 1 or 2 or 3 or 4 or 5 or 2 others, or Source is Direct or unknown Statistics Change Delete',
    ]);
  });

  test('and the form escape what comes from outside', async () => {
    for (const [index, text] of HOSTILE.entries()) {
      const filters = [[`props[${text.slice(0, 40)}]`, [text]] as const, ['event', [text]] as const];
      await define({ name: `${index} ${text}`.slice(0, 64).trim(), filters });
    }
    const [{ id = '' } = {}] = await stored();

    for (const { status, text } of [await get(path), await get(`${path}/${id}`), await get(`${path}/${id}/delete`)]) {
      expect(status).toBe(200);
      expect(text).not.toMatch(/<script>alert|<img src=x|<svg onload/);
    }
  });
});

test('segments and goals lead to the statistics of their visits', async () => {
  const [goal, segment] = [await defineGoal('Signup'), await define({ name: 'é', filters: [['os', ['x']]] })];
  await pages.addHits(website, [{}]);

  const [goals, segments] = [await get(`/websites/${website.id}/goals`), await get(path)];

  expect(goals.text).toContain(`href="/statistics/${website.id}?goal=${goal.id}" aria-label="Statistics of Signup"`);
  expect(segments.text).toContain(`href="/statistics/${website.id}?segment=${segment.id}"`);
  const chosen = await get(`/statistics/${website.id}?segment=${segment.id}`);
  expect(chosen.text).toContain('System is x');
});

describe('the preview of a segment', () => {
  beforeEach(() =>
    pages.addHits(website, [
      { visitor: 1n, country: 'DE', page: '/thanks' },
      { visitor: 2n, country: 'DE', page: '/a' },
      { visitor: 3n, country: null, page: '/a' },
      { visitor: 4n, country: 'DE', day: '2026-10-23', time: new Date('2026-10-23T12:00:00Z') },
    ]),
  );

  test('counts the visits of the last 28 days, and saves nothing', async () => {
    const form = { name: '', match: 'all', ...rowOf(0, { subject: 'country', operator: '', values: 'Germany' }) };

    const { status, text } = await post(`${path}/new`, { ...form, action: 'preview' });

    expect([status, text]).toEqual([200, expect.stringContaining('In the last 28 days, 24 Oct to 20 Nov')]);
    expect(numbersOf(text)).toEqual({ visits: '2', visitors: '2', share: '67\u00a0%' });
    expect([formOf(text), await stored()]).toEqual([expect.objectContaining(form), []]);
  });

  test('knows goals, and any of several filters', async () => {
    await defineGoal('Signup');
    const count = async (match: string) => {
      const rows = {
        ...rowOf(0, { subject: 'goal', operator: '', values: 'Signup' }),
        ...rowOf(1, { subject: 'country', operator: '', values: 'Unknown' }),
      };
      return (await post(`${path}/new`, { name: 'x', match, ...rows, action: 'preview' })).text;
    };

    expect(numbersOf(await count('any')).visits).toBe('2');
    expect(await count('all')).toContain('No visit matches.');
  });
});

test('the deletion of a goal names the segments that choose visits by it', async () => {
  const [goal, other] = [await defineGoal('Signup'), await defineGoal('Other')];
  await define({ name: '<é>', filters: [['goal.not', [goal.id]]] });
  await define({ name: 'b', filters: [['os', ['x']]] });
  const warning = async (id: string) =>
    /class="notice">(.*?)<\/p>/s.exec((await get(`/websites/${website.id}/goals/${id}/delete`)).text)?.[1];

  expect(await warning(goal.id)).toMatch(/Segments that choose visits by it: <span><bdi>&lt;é><\/bdi><\/span>\./);
  expect(await warning(other.id)).toBeUndefined();
});

test('the deletion of a goal says how many alerts it has', async () => {
  const goal = await defineGoal('Signup');
  const addAlert = (threshold: number) =>
    createAlert(dependenciesOf(pages), key(), parseAlert({ rule: 'goal', goal_id: goal.id, threshold }));
  const show = async () => (await get(`/websites/${website.id}/goals/${goal.id}/delete`)).text;

  await addAlert(1);
  await createAlert(dependenciesOf(pages), key(), parseAlert({ rule: 'drop' }));
  expect(await show()).toContain('No visit reaches a goal that is deleted. 1 alert of it will no longer fire.');
  await addAlert(2);
  expect(await show()).toContain('2 alerts of it will no longer fire.');
});

test('a segment that a link shows is not deleted, and the page that asks says why', async () => {
  const { id } = await define({ name: 'é', filters: [['os', ['x']]] });
  await share(pages, website, { name: 'Board <b>', segment: id });

  const { status, text } = await post(`${path}/${id}/delete`, formOf((await get(`${path}/${id}/delete`)).text));

  expect([status, await stored()]).toMatchObject([409, [{ id }]]);
  expect(text).toContain(
    'Nothing was deleted. The link “Board &lt;b>” shows only this segment. Revoke the link first.',
  );
  expect(text).toContain('Delete the segment');
});

/** The fields of a filter. */
function rowOf(row: number, fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [`filter_${row}_${name}`, value]));
}

function rowsIn(html: string): number {
  return html.match(/<legend>Filter \d+<\/legend>/g)?.length ?? 0;
}
