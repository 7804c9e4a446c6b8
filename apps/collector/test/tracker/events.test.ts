import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

/** The stub that the documentation shows, and a call to it. */
const DOCS = readFileSync(new URL('../../../../docs/tracker.md', import.meta.url), 'utf8');
const STUB = `${/<script>window\.hitherto = .*<\/script>/.exec(DOCS)?.[0]}<script>hitherto("Early", { n: 1 })</script>`;

/** Keeps clicks on links from leaving the page. */
const STAY = '<script>addEventListener("click",(e)=>e.preventDefault())</script>';

const events = () =>
  world
    .hits()
    .filter(({ name }) => name !== undefined)
    .map(({ name, props }) => [name, props]);

async function clicking(body: string, act: (page: Page) => Promise<void>): Promise<unknown[]> {
  const page = await world.open({ body: body + STAY });
  await act(page);
  await world.settle(page);
  await page.close();
  return events();
}

test('with scripts for several websites, a click counts for each, and a call for one', async () => {
  const first = `<script defer src="${world.site.url('stats.test', '/script.js')}" data-website="w0"></script>`;
  const page = await world.open({ head: STUB + first, body: `<b data-hitherto-event="Click">é</b>${STAY}` });

  await page.evaluate('hitherto("Late")');
  await page.click('b');
  await world.settle(page);

  const sent = world.hits().flatMap(({ website, name }) => (name === undefined ? [] : [`${name} of ${website}`]));
  expect(sent.toSorted()).toEqual(['Click of w0', 'Click of w1', 'Early of w0', 'Late of w1']);
  await page.close();
});

describe('hitherto()', () => {
  test('sends an event with its properties', async () => {
    const page = await world.open({ path: '/a' });

    await page.evaluate('hitherto("Signup", { plan: "pro", seats: 3, trial: false })');
    await world.settle(page);

    expect(world.hits().at(-1)).toEqual({
      website: 'w1',
      url: world.site.url('site.test', '/a'),
      referrer: world.site.url('site.test', '/a'),
      name: 'Signup',
      props: { plan: 'pro', seats: 3, trial: false },
      automated: true,
    });
    await page.close();
  });

  test('sends an event without properties', async () => {
    const page = await world.open();

    await page.evaluate('hitherto("Signup")');
    await world.settle(page);

    expect(events()).toEqual([['Signup', undefined]]);
    await page.close();
  });

  test('is queued by the stub until the script has loaded, and sent after the pageview', async () => {
    const page = await world.open({ head: STUB });

    expect(world.hits().map(({ name, props }) => [name, props])).toEqual([
      [undefined, undefined],
      ['Early', { n: 1 }],
    ]);
    await page.close();
  });

  test('waits on a prerendered page until it is shown', async () => {
    const page = await world.open({
      head: STUB,
      before: () => {
        for (const name of ['hidden', 'prerendering']) {
          Object.defineProperty(document, name, { value: true, configurable: true });
        }
      },
    });
    expect(events()).toEqual([]);

    await page.evaluate(() => {
      for (const name of ['hidden', 'prerendering']) {
        Object.defineProperty(document, name, { value: false, configurable: true });
      }
      document.dispatchEvent(new Event('prerenderingchange'));
    });
    await world.settle(page);

    expect(events()).toEqual([['Early', { n: 1 }]]);
    await page.close();
  });
});

describe('a click on a link', () => {
  test('to another host is an event with host and path', async () => {
    const sent = await clicking('<a href="http://other.test:81/x/y?secret=1#z"><b>out</b></a>', (page) =>
      page.click('b'),
    );

    expect(sent).toEqual([['Outbound link', { url: 'other.test/x/y' }]]);
  });

  test.each(['href', 'xlink:href'])('inside SVG is an event, by its %s', async (attribute) => {
    const svg = (target: string) => `<svg><a ${attribute}="${target}"><text y="20">x</text></a></svg>`;

    const outbound = await clicking(svg('http://other.test/x?y'), (page) => page.click('text'));
    const download = await clicking(svg('/a.pdf'), (page) => page.click('text'));
    const inner = await clicking(svg('/a'), (page) => page.click('text'));

    expect([...outbound, ...download, ...inner]).toEqual([
      ['Outbound link', { url: 'other.test/x' }],
      ['Download', { url: 'site.test/a.pdf' }],
    ]);
  });

  test('around an image of SVG is an event with the address of the link', async () => {
    const sent = await clicking(
      `<a href="http://other.test/x"><svg width="20" height="20"><image href="http://cdn.test/y.png" width="20" height="20"/></svg></a>`,
      (page) => page.click('image'),
    );

    expect(sent).toEqual([['Outbound link', { url: 'other.test/x' }]]);
  });

  test('on an image map is an event', async () => {
    const sent = await clicking(
      `<img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=" width="50" height="50" usemap="#m">
       <map name="m"><area shape="rect" coords="0,0,50,50" href="http://other.test/x"></map>`,
      (page) => page.click('img', { force: true }),
    );

    expect(sent).toEqual([['Outbound link', { url: 'other.test/x' }]]);
  });

  test('whose address is malformed is no event and no error', async () => {
    const errors: string[] = [];
    const sent = await clicking(
      '<a href="http://">link</a><svg><a href="http://"><text y="20">x</text></a></svg>',
      async (page) => {
        page.on('pageerror', ({ message }) => errors.push(message));
        await page.click('a');
        await page.click('text');
      },
    );

    expect([sent, errors]).toEqual([[], []]);
  });

  test('with the middle button is an event too', async () => {
    const sent = await clicking('<a href="http://other.test/x">out</a>', (page) =>
      page.click('a', { button: 'middle' }),
    );

    expect(sent).toEqual([['Outbound link', { url: 'other.test/x' }]]);
  });

  test('with the right button is not an event', async () => {
    const sent = await clicking('<a href="http://other.test/x">out</a>', (page) =>
      page.click('a', { button: 'right' }),
    );

    expect(sent).toEqual([]);
  });

  test.each(['/files/Report.PDF', '/a.zip?x=1'])('to the file %s is a download', async (href) => {
    const sent = await clicking(`<a href="${href}">file</a>`, (page) => page.click('a'));

    expect(sent).toEqual([['Download', { url: `site.test${href.replace(/\?.*/, '')}` }]]);
  });

  test('to a file on another host is only a download', async () => {
    const sent = await clicking('<a href="http://other.test/a.pdf">file</a>', (page) => page.click('a'));

    expect(sent).toEqual([['Download', { url: 'other.test/a.pdf' }]]);
  });

  test.each(['/page', '#part', 'mailto:a@b.test', 'javascript:void 0', '/pdf', ''])(
    'to "%s" is not an event',
    async (href) => {
      const sent = await clicking(`<a href="${href}">link</a>`, (page) => page.click('a'));

      expect(sent).toEqual([]);
    },
  );

  test('to a long address is an event with the address cut', async () => {
    const sent = await clicking(`<a href="http://other.test/${'x'.repeat(500)}">out</a>`, (page) => page.click('a'));

    expect(sent).toEqual([['Outbound link', { url: `other.test/${'x'.repeat(189)}` }]]);
  });

  test('is an event even if the page stops its propagation', async () => {
    const sent = await clicking(
      '<a href="http://other.test/" onclick="event.stopPropagation();event.preventDefault()">out</a>',
      (page) => page.click('a'),
    );

    expect(sent).toEqual([['Outbound link', { url: 'other.test/' }]]);
  });

  const shadow = (host: string, html: string) =>
    `<script>document.querySelector('${host}').attachShadow({ mode: 'open' }).innerHTML = '${html}'</script>`;

  test('in an open shadow root is an event', async () => {
    const inside = '<a href="http://other.test/x"><b>out</b></a>';

    const sent = await clicking(`<div></div>${shadow('div', inside)}`, (page) => page.click('b'));

    expect(sent).toEqual([['Outbound link', { url: 'other.test/x' }]]);
  });

  test('around an open shadow root is an event', async () => {
    const outside = '<a href="http://other.test/x"><span></span></a>';

    const sent = await clicking(`${outside}${shadow('span', '<b>out</b>')}`, (page) => page.click('b'));

    expect(sent).toEqual([['Outbound link', { url: 'other.test/x' }]]);
  });

  test('that leaves the page is still sent', async () => {
    const page = await world.open({ body: `<a href="${world.site.url('other.test', '/x')}">out</a>` });
    world.hits();

    await page.click('a');
    await page.waitForURL(/other\.test/);
    await world.settle(page);

    expect(events()).toEqual([['Outbound link', { url: 'other.test/x' }]]);
    await page.close();
  });
});

describe('data-hitherto-event', () => {
  test('names the event of a click on the element or in it', async () => {
    const sent = await clicking('<button data-hitherto-event="Signup"><b>go</b></button>', (page) => page.click('b'));

    expect(sent).toEqual([['Signup', undefined]]);
  });

  test('replaces the events of links', async () => {
    const sent = await clicking('<a href="http://other.test/a.pdf" data-hitherto-event="Brochure">out</a>', (page) =>
      page.click('a'),
    );

    expect(sent).toEqual([['Brochure', undefined]]);
  });

  test('works with the keyboard', async () => {
    const sent = await clicking('<button data-hitherto-event="Signup">go</button>', async (page) => {
      await page.focus('button');
      await page.keyboard.press('Enter');
    });

    expect(sent).toEqual([['Signup', undefined]]);
  });

  test('ignores the middle button on elements that are not links', async () => {
    const sent = await clicking('<button data-hitherto-event="Signup">go</button>', (page) =>
      page.click('button', { button: 'middle' }),
    );

    expect(sent).toEqual([]);
  });

  test.each([
    ['its text', 'b'],
    ['its checkbox', 'input'],
  ])('sends once when the label of a checkbox is clicked at %s', async (_part, selector) => {
    const page = await world.open({
      body: '<label data-hitherto-event="Terms"><input type="checkbox"><b>I agree</b></label>',
    });

    await page.click(selector);
    await world.settle(page);

    expect([events(), await page.isChecked('input')]).toEqual([[['Terms', undefined]], true]);
    await page.close();
  });

  test('sends once a click', async () => {
    const sent = await clicking('<button data-hitherto-event="Signup">go</button>', async (page) => {
      await page.click('button');
      await page.click('button');
    });

    expect(sent).toEqual([
      ['Signup', undefined],
      ['Signup', undefined],
    ]);
  });
});
