import { UNRECORDED } from '@hitherto/domain/changes';
import { expect, test } from 'vitest';
import { addAFunnel, definer } from './support/definitions.ts';
import { faultsOf, formOf, postForm, signIn } from './support/owner.ts';
import { startPagesForTest } from './support/pages.ts';
import { share } from './support/sharing.ts';
import { statisticsRoutes } from './support/statistics-routes.ts';

// sharing.md, "Shared links"

async function start() {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'public' });
  const { addSegment } = definer(pages, website);
  const { id: segment } = await addSegment({ name: 'Readers <b>', filters: [['country', ['DE']]] });
  const { id: other } = await addSegment({ name: 'Secret plan', filters: [['country', ['FR']]] });
  const hit = (country: string, visitor: bigint) => ({
    visitor,
    country,
    page: `/of-${country}`,
    name: 'E',
    props: { p: `p-${country}` },
  });
  await pages.addHits(website, [
    { ...hit('DE', 1n), name: null, props: null },
    hit('DE', 1n),
    ...[2n, 3n, 4n].flatMap((visitor) => [{ ...hit('FR', visitor), name: null, props: null }, hit('FR', visitor)]),
  ]);
  const funnel = await addAFunnel(pages, website);
  return { pages, website, segment, other, funnel, ...(await share(pages, website, { segment })) };
}

test('a link with a segment shows its visits and no others, whatever the parameters', async () => {
  const { pages, path, segment, other, funnel } = await start();
  const queries = [
    '',
    'country=FR',
    'country.not=DE',
    'country=FR&country=DE&match=any',
    'country=FR&event=E&match=any',
    'page=/of-FR&match=any&page.not=/x',
    'page.like=*',
    'props[p]=p-FR',
    `segment=${other}`,
    `segment=${segment}&segment=${other}`,
    'segment=',
    'event=E',
    'event=E&property=p',
    'add=page',
    'add=country',
    'add=country&country=FR',
    'period=today&country=FR',
    'from=2026-11-19&to=2026-11-21',
    'list=country&list=region',
  ];

  for (const query of queries) {
    for (const [route] of statisticsRoutes(funnel)) {
      const address = `${path}${route}${route.includes('?') ? '&' : '?'}${query}`;
      const { text, status } = await pages.send('GET', address);

      expect([address, status]).toEqual([address, 200]);
      // A filter that was sent is repeated; values that were counted are cells, options and rows.
      expect([address, /data-value="[^"]*FR|<option value="[^"]*(?:FR|France)|^[^,\n]*FR/m.test(text)]).toEqual([
        address,
        false,
      ]);
      expect([address, /data-metric="visitors"[^>]*data-value="([2-9])"/.exec(text)]).toEqual([address, null]);
      if (route.includes('.csv')) expect([address, /^[^,\n]*,[2-9],/m.exec(text)]).toEqual([address, null]);
    }
  }
});

test('a link with a segment says which visits it shows, and no more about the website', async () => {
  const { pages, website, path } = await start();

  const { text } = await pages.send('GET', path);
  const whole = await pages.send('GET', (await share(pages, website)).path);

  expect(text).toContain('Only visits of the segment');
  expect(text).toContain('Readers &lt;b>');
  expect(text).toMatch(/data-metric="visitors" data-value="1"/);
  for (const told of ['Secret plan', 'Visitors of the last 5 minutes', 'Counted since']) {
    expect([told, text.includes(told), whole.text.includes(told)]).toEqual([told, false, true]);
  }
});

test('a link with a segment says so in a frame too, and on its lists', async () => {
  const { pages, path } = await start();

  for (const route of ['/by/page', '?embed=1', '/by/page?embed=1']) {
    const { text } = await pages.send('GET', `${path}${route}`);

    expect([route, text.includes('Only visits of the segment')]).toEqual([route, true]);
    expect(text).toContain('Readers &lt;b>');
  }
});

test.each([0, 1])(
  'a link of a segment that was deleted is not created until another choice is made, of %d others',
  async (others) => {
    const pages = await startPagesForTest();
    const website = await pages.addWebsite();
    const { addSegment } = definer(pages, website);
    const { id: segment } = await addSegment({ name: 'é', filters: [['country', ['DE']]] });
    if (others > 0) await addSegment({ name: 'other', filters: [['country', ['FR']]] });
    const { cookies } = await signIn(pages);
    const key = { accountId: pages.accountId, websiteId: website.id };
    const post = (form: Record<string, string>) => postForm(pages, `/websites/${website.id}/links`, form, { cookies });
    await pages.repositories.definitions.segment.delete(key, segment, undefined, UNRECORDED);

    const unnamed = await post({ name: '', segment });
    const first = await post({ ...formOf(unnamed.text), name: 'é' });
    const again = await post(formOf(first.text));

    expect([unnamed.status, first.status, again.status]).toEqual([422, 422, 422]);
    expect(Object.keys(faultsOf(again.text))).toEqual(['segment']);
    expect(await pages.repositories.links.list(key)).toEqual([]);
    expect((await post({ ...formOf(again.text), segment: '' })).status).toBe(201);
  },
);
