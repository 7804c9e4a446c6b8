import type { Annotation } from '@hitherto/domain/annotations';
import { UNRECORDED } from '@hitherto/domain/changes';
import type { Website } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { anAnnotation } from '@hitherto/testing/fixtures';
import { describe, expect, test } from 'vitest';
import { formAt, postForm, signIn } from './support/owner.ts';
import { type PagesUnderTest, startPagesForTest } from './support/pages.ts';
import { shareLink } from './support/sharing.ts';

// api.md, "Annotations": on the chart, and on the owner's page.

const keyOf = (pages: PagesUnderTest, { id }: Website) => ({ accountId: pages.accountId, websiteId: id });

async function annotate(pages: PagesUnderTest, website: Website, overrides: Partial<Annotation>): Promise<Annotation> {
  const annotation = anAnnotation({ id: newId(), ...overrides });
  await pages.repositories.annotations.insert(keyOf(pages, website), annotation, UNRECORDED);
  return annotation;
}

describe('the chart', () => {
  async function start() {
    const pages = await startPagesForTest();
    const website = await pages.addWebsite({ privacy: 'public' });
    await pages.addHits(website, [{ day: '2026-11-10', time: new Date('2026-11-10T12:00:00Z') }, {}]);
    await annotate(pages, website, { day: '2026-11-19', text: 'Public <note>', isPublic: true });
    await annotate(pages, website, { day: '2026-11-19', text: 'Private note' });
    return { pages, website, path: `/statistics/${website.id}` };
  }

  test('marks the day of an annotation, and has a line for it in its table', async () => {
    const { pages, path } = await start();

    const { text } = await pages.send('GET', path);

    expect(text.match(/data-annotations="1"/g)).toHaveLength(1);
    expect(text).toMatch(
      /Thu 19 Nov<\/a><\/th>.{0,60}<tr class="annotation"><td colspan="2"><bdi>Public &lt;note><\/bdi>/,
    );
    expect(text).toContain('<title>Public &lt;note></title>');
  });

  test('shows private annotations to the owner only', async () => {
    const { pages, website, path } = await start();
    const { cookies } = await signIn(pages);
    const link = await shareLink(pages, website);

    expect((await pages.send('GET', path, { cookies })).text).toContain('Private note');
    for (const address of [path, link, `${link}?embed=1`]) {
      const { text } = await pages.send('GET', address);
      expect(text).toContain('Public &lt;note>');
      expect(text).not.toContain('Private note');
    }
    expect((await pages.send('GET', link, { cookies })).text).not.toContain('Private note');
  });

  test('names the day where a point has several, and shows those of a day of hours at its beginning', async () => {
    const { pages, path } = await start();

    const weeks = await pages.send('GET', `${path}?period=12m`);
    const hours = await pages.send('GET', `${path}?from=2026-11-19&to=2026-11-19`);
    const other = await pages.send('GET', `${path}?from=2026-11-10&to=2026-11-12`);

    expect(weeks.text).toContain('<bdi>19 Nov: Public &lt;note></bdi>');
    expect(hours.text).toMatch(/00:00<\/th>.{0,60}<tr class="annotation"><td colspan="2"><bdi>Public &lt;note>/);
    expect(other.text).not.toContain('Public &lt;note>');
  });

  test('begins with an annotation from before the first hit', async () => {
    const { pages, website, path } = await start();
    await annotate(pages, website, { day: '2026-11-05', text: 'Launch', isPublic: true });

    const { text } = await pages.send('GET', path);

    expect(text).toContain('<bdi>Launch</bdi>');
    expect(text).toContain('Visitors, 5 Nov to 20 Nov');
  });
});

describe('the page of annotations', () => {
  async function start() {
    const pages = await startPagesForTest();
    const website = await pages.addWebsite({ timeZone: 'Pacific/Kiritimati' });
    const { cookies } = await signIn(pages);
    const path = `/websites/${website.id}/annotations`;
    return {
      pages,
      website,
      path,
      post: (form: Record<string, string>, to = path) => postForm(pages, to, form, { cookies }),
      show: async () => (await pages.send('GET', path, { cookies })).text,
      stored: async () => (await pages.repositories.annotations.list(keyOf(pages, website))) ?? [],
    };
  }

  test('adds one, for today in the website’s time zone unless said otherwise', async () => {
    const { post, show, stored } = await start();

    await post({ day: '2026-11-18', text: ' Version <2> ', is_public: '1' });

    expect(await stored()).toMatchObject([{ day: '2026-11-18', text: 'Version <2>', isPublic: true }]);
    expect(await show()).toContain('value="2026-11-21"');
  });

  test('makes one private whose box is not ticked', async () => {
    const { pages, website, path, post, stored } = await start();
    const { id } = await annotate(pages, website, { isPublic: true });

    await post({ day: '2026-11-21', text: 'Changed' }, `${path}/${id}`);

    expect(await stored()).toMatchObject([{ day: '2026-11-21', text: 'Changed', isPublic: false }]);
  });

  test('opens the form with faults, and no other', async () => {
    const { pages, website, path, post, show } = await start();
    const [{ id }] = [await annotate(pages, website, {}), await annotate(pages, website, {})];

    const { text } = await post({ day: '2026-11-30', text: ' ' }, `${path}/${id}`);

    expect(text.match(/<details open>/g)).toHaveLength(1);
    expect(formAt(text, `${path}/${id}`)).toMatchObject({ day: '2026-11-30', text: ' ' });
    expect(formAt(text, path)).toMatchObject({ day: '2026-11-21', text: '' });
    expect(await show()).not.toContain('<details open>');
  });
});
