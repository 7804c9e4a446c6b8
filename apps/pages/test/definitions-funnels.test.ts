import type { FunnelInput } from '@hitherto/domain/definitions';
import type { Website } from '@hitherto/domain/websites';
import { beforeEach, describe, expect, test } from 'vitest';
import { definer } from './support/definitions.ts';
import { faultsOf, formOf, postForm, signIn } from './support/owner.ts';
import { type PagesUnderTest, startPagesForTest } from './support/pages.ts';

let pages: PagesUnderTest;
let website: Website;
let path: string;
let cookies: Readonly<Record<string, string>>;

beforeEach(async () => {
  pages = await startPagesForTest();
  website = await pages.addWebsite();
  path = `/websites/${website.id}/funnels`;
  ({ cookies } = await signIn(pages));
});

const get = (address: string) => pages.send('GET', address, { cookies });
const post = (address: string, form: Record<string, string>) => postForm(pages, address, form, { cookies });
const key = () => ({ accountId: pages.accountId, websiteId: website.id });
const stored = async () => (await pages.repositories.definitions.funnel.list(key())) ?? [];
const define = (input: FunnelInput) => definer(pages, website).addFunnel(input);

const PURCHASE = {
  name: 'Purchase',
  ...stepOf(0, { name: 'Product', kind: 'page', page: '/über/*' }),
  ...stepOf(2, { name: 'Cart', kind: 'event', event: 'Add to cart', props: 'plan=pro' }),
  ...stepOf(3, { name: ' ', kind: 'event' }),
};

const STEPS = [
  { name: 'a', page: '/a' },
  { name: 'b', event: 'b', props: { x: '1' } },
  { name: 'c', page: '/%C3%BC/*' },
];

describe('the form of a funnel', () => {
  test('leaves empty steps out', async () => {
    const { status } = await post(`${path}/new`, PURCHASE);

    expect([status, await stored()]).toMatchObject([
      303,
      [
        {
          name: 'Purchase',
          content: {
            steps: [
              { name: 'Product', rule: { page: '/%C3%BCber/*' } },
              { name: 'Cart', rule: { event: 'Add to cart', props: { plan: 'pro' } } },
            ],
          },
        },
      ],
    ]);
  });

  test('names steps by their pages and events until someone names them', async () => {
    const page = `/über/${'ü'.repeat(100)}`;
    const unnamed = {
      name: 'Purchase',
      ...stepOf(0, { name: '', kind: 'page', page }),
      ...stepOf(1, { name: '', kind: 'event', event: 'Signup' }),
    };

    const { status } = await post(`${path}/new`, unnamed);
    const [funnel] = await stored();
    const form = formOf((await get(`${path}/${funnel?.id}`)).text);
    await post(`${path}/${funnel?.id}`, { ...form, step_1_event: 'Order' });

    expect([status, form.step_0_name, form.step_1_name]).toEqual([303, '', '']);
    expect(funnel?.content.steps.map(({ name }) => name)).toEqual([page.slice(0, 64), 'Signup']);
    expect((await stored())[0]?.content.steps.map(({ name }) => name)).toEqual([page.slice(0, 64), 'Order']);
  });

  test('says of a step without page and event only what is missing', async () => {
    const { text } = await post(`${path}/new`, {
      name: 'Purchase',
      ...stepOf(0, { name: '', kind: 'page', page: '/a' }),
      ...stepOf(1, { name: '', kind: 'event', props: 'a=b' }),
    });

    expect(Object.keys(faultsOf(text))).toEqual(['step_1_event']);
  });

  test('begins with three steps, and grows to eight without saving', async () => {
    let { status, text } = await get(`${path}/new?name=A`);
    expect([stepsIn(text), formOf(text).name]).toEqual([3, 'A']);

    for (let steps = 4; steps <= 8; steps += 1) {
      ({ status, text } = await post(`${path}/new`, { ...formOf(text), step_0_page: '/é', action: 'more' }));
      expect([status, stepsIn(text), formOf(text).step_0_page]).toEqual([200, steps, '/é']);
    }
    expect(text).not.toContain('value="more"');
    expect(await stored()).toEqual([]);
  });

  test('takes all eight steps with their properties', async () => {
    const steps = Array.from({ length: 8 }, (_, row) => ({ name: `é ${row}`, event: 'x', props: { row: `${row}` } }));
    const form = Object.assign(
      { name: 'All' },
      ...steps.map(({ name, props }, row) =>
        stepOf(row, { name, kind: 'event', event: 'x', page: '', props: `row=${props.row}` }),
      ),
    );

    const { status } = await post(`${path}/new`, form);

    const [{ id = '', content } = {}] = await stored();
    expect([status, content?.steps.map(({ name }) => name)]).toEqual([303, steps.map(({ name }) => name)]);
    expect(formOf((await get(`${path}/${id}`)).text)).toMatchObject(form);
  });

  test('moves a step up with all that it has', async () => {
    const { id } = await define({ name: 'é', steps: STEPS });
    const opened = formOf((await get(`${path}/${id}`)).text);

    const moved = await post(`${path}/${id}`, { ...opened, action: 'up_1' });
    await post(`${path}/${id}`, formOf(moved.text));

    expect(moved.status).toBe(200);
    expect((await stored())[0]?.content.steps).toEqual([
      { name: 'b', rule: { event: 'b', props: { x: '1' } } },
      { name: 'a', rule: { page: '/a' } },
      { name: 'c', rule: { page: '/%C3%BC/*' } },
    ]);
  });

  test('has the faults of a step next to its fields, wherever empty steps lie', async () => {
    const { status, text } = await post(`${path}/new`, {
      name: 'x'.repeat(65),
      ...stepOf(1, { name: 'y'.repeat(65), kind: 'page', page: '/a' }),
      ...stepOf(3, { name: 'b', kind: 'event', event: '', props: `plan\nb=${'x'.repeat(201)}` }),
      ...stepOf(4, { name: 'c', kind: 'page', page: 'é'.repeat(2_000) }),
    });

    expect(status).toBe(422);
    expect(faultsOf(text)).toEqual({
      name: ['A name must have 1 to 64 characters, no control characters, and no spaces at its ends.'],
      step_1_name: ['A name must have 1 to 64 characters, no control characters, and no spaces at its ends.'],
      step_3_event: ['The name of an event must have 1 to 64 characters and no control characters.'],
      step_3_props: [
        'Line 2: At most 200 characters are accepted.',
        'Line 1 has no “=” between the name of a property and its value.',
      ],
      step_4_page: ['At most 2,000 characters are accepted.'],
    });
    expect(text).toContain('aria-describedby="step_3_props-fault" aria-invalid="true"');
  });

  test('says that one step is not a funnel', async () => {
    const none = await post(`${path}/new`, { name: 'x' });
    const one = await post(`${path}/new`, { name: 'x', ...stepOf(5, { name: 'a', kind: 'page', page: '/a' }) });

    for (const { status, text } of [none, one]) {
      expect([status, faultsOf(text)]).toEqual([422, { steps: ['A funnel must have 2 to 8 steps.'] }]);
    }
    expect(formOf(one.text).step_5_page).toBe('/a');
  });
});

test('the preview of a funnel counts each step in the last 28 days, and saves nothing', async () => {
  const time = (minute: number) => new Date(Date.UTC(2026, 10, 20, 9, minute));
  await pages.addHits(website, [
    ...[1n, 2n, 3n].map((visitor) => ({ visitor, page: '/a', time: time(0) })),
    ...[1n, 2n].map((visitor) => ({ visitor, name: 'b', props: { x: 1 }, time: time(1) })),
    { visitor: 3n, name: 'b', props: { x: 2 }, time: time(1) },
    { visitor: 1n, page: '/%C3%BC/1', time: time(2) },
    { visitor: 9n, page: '/a', day: '2026-10-23', time: new Date('2026-10-23T12:00:00Z') },
  ]);
  const before = await define({ name: 'é', steps: STEPS });
  const form = { ...formOf((await get(`${path}/${before.id}`)).text), name: '', action: 'preview' };

  const { status, text } = await post(`${path}/${before.id}`, form);

  expect([status, text]).toEqual([200, expect.stringContaining('In the last 28 days, 24 Oct to 20 Nov')]);
  expect(rowsOf(text)).toEqual([
    ['a', '3', '3', ''],
    ['b', '2', '2', '67\u00a0%'],
    ['c', '1', '1', '50\u00a0%'],
  ]);
  expect(await stored()).toEqual([before]);
});

/** The fields of a step. */
function stepOf(row: number, fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [`step_${row}_${name}`, value]));
}

function stepsIn(html: string): number {
  return html.match(/<legend>Step \d<\/legend>/g)?.length ?? 0;
}

function rowsOf(html: string): string[][] {
  const [, body = ''] = /<tbody>(.*?)<\/tbody>/s.exec(html) ?? [];
  return [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => cell.replaceAll(/<[^>]*>/g, '')),
  );
}
