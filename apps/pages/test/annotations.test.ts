import type { Annotation } from '@hitherto/domain/annotations';
import { UNRECORDED } from '@hitherto/domain/changes';
import type { Website } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { anAnnotation } from '@hitherto/testing/fixtures';
import { describe, expect, test } from 'vitest';
import { formOf, postForm, signIn } from './support/owner.ts';
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
  async function start(scope: 'read' | 'write' = 'write') {
    const pages = await startPagesForTest();
    const website = await pages.addWebsite({ timeZone: 'Pacific/Kiritimati' });
    const { cookies } = await signIn(pages, scope);
    const path = `/websites/${website.id}/annotations`;
    return {
      pages,
      website,
      path,
      post: (form: Record<string, string>, to = path) => postForm(pages, to, form, { cookies }),
      show: async (query = '') => (await pages.send('GET', `${path}${query}`, { cookies })).text,
      stored: async () => (await pages.repositories.annotations.list(keyOf(pages, website))) ?? [],
    };
  }

  /** The version in the form of the only annotation. */
  const versionIn = (html: string) => formOf(html).version ?? '';

  test('adds one, for today in the website’s time zone unless said otherwise', async () => {
    const { path, post, show, stored } = await start();

    const { status, headers } = await post({ day: '2026-11-18', text: ' Version <2> ', is_public: '1' });

    expect([status, headers.location]).toEqual([303, `${path}?saved`]);
    expect(await stored()).toMatchObject([{ day: '2026-11-18', text: 'Version <2>', isPublic: true }]);
    const text = await show('?saved');
    expect(text).toContain('Saved.');
    expect(text).toContain('Version &lt;2>');
    expect(text).toContain('18 November 2026, public');
    expect(text).toContain('value="2026-11-21"');
  });

  test('changes and deletes one, also if a form is sent twice', async () => {
    const { pages, website, path, post, stored } = await start();
    const { id } = await annotate(pages, website, { isPublic: true });

    await post({ day: '2026-11-21', text: 'Changed' }, `${path}/${id}`);
    expect(await stored()).toMatchObject([{ day: '2026-11-21', text: 'Changed', isPublic: false }]);

    for (const _ of [1, 2]) {
      const { status, headers } = await post({}, `${path}/${id}/delete`);
      expect([status, headers.location]).toEqual([303, `${path}?deleted`]);
    }
    expect(await stored()).toEqual([]);
  });

  test('does not undo a change made elsewhere: the form says so, and saves when it is sent again', async () => {
    const { pages, website, path, post, show, stored } = await start();
    const { id } = await annotate(pages, website, {});
    const opened = versionIn(await show());
    await post({ day: '2026-11-18', text: 'Elsewhere', version: opened }, `${path}/${id}`);

    const faulty = await post({ day: '', text: 'Mine', version: opened }, `${path}/${id}`);
    const stale = await post({ day: '2026-11-19', text: 'Mine', version: versionIn(faulty.text) }, `${path}/${id}`);

    expect([faulty.status, stale.status, await stored()]).toMatchObject([422, 409, [{ text: 'Elsewhere' }]]);
    expect(stale.text).toContain(
      'Nothing was saved. This annotation was changed elsewhere after you opened this page.',
    );
    expect(stale.text).toContain(
      'It is now: <bdi>Elsewhere</bdi>, 18 November 2026, only for you. Save again to replace this.',
    );
    expect(stale.text).toContain('<strong>Elsewhere</strong>');
    expect(stale.text).toContain('value="Mine"');
    await post({ day: '2026-11-19', text: 'Mine', version: versionIn(stale.text) }, `${path}/${id}`);
    expect(await stored()).toMatchObject([{ day: '2026-11-19', text: 'Mine' }]);
  });

  test('saves a change once that is sent twice', async () => {
    const { pages, website, path, post, show, stored } = await start();
    const { id } = await annotate(pages, website, {});
    const form = { day: '2026-11-19', text: 'Mine', version: versionIn(await show()) };

    await post(form, `${path}/${id}`);
    const once = await stored();
    pages.clock.advance(1);
    const { status } = await post(form, `${path}/${id}`);

    expect([status, await stored()]).toEqual([303, once]);
  });

  test('offers to add one again that was deleted elsewhere while its form was open', async () => {
    const { pages, website, path, post, show, stored } = await start();
    const { id } = await annotate(pages, website, {});
    const form = { day: '2026-11-19', text: 'Mine <b>', is_public: '1', version: versionIn(await show()) };
    await post({}, `${path}/${id}/delete`);

    const gone = await post(form, `${path}/${id}`);
    const faulty = await post({ ...formOf(gone.text), day: '' });

    expect([gone.status, gone.text]).toEqual([
      404,
      expect.stringContaining('Nothing was saved. This annotation was deleted elsewhere after you opened this page.'),
    ]);
    expect([faulty.status, formOf(faulty.text)]).toMatchObject([422, { text: 'Mine <b>' }]);
    await post(formOf(gone.text));
    expect(await stored()).toMatchObject([{ day: '2026-11-19', text: 'Mine <b>', isPublic: true }]);
  });

  test('keeps the fields of a form with faults, of a new annotation and of one that was there', async () => {
    const { pages, website, path, post, stored } = await start();
    const { id, text: before } = await annotate(pages, website, {});

    const added = await post({ day: '', text: 'Kept', is_public: '1' });
    const changed = await post({ day: '2026-11-30', text: ' ' }, `${path}/${id}`);

    expect([added.status, changed.status]).toEqual([422, 422]);
    expect(added.text).toContain('value="Kept"');
    expect(added.text).toContain('A day must be written as');
    expect(changed.text).toContain('value="2026-11-30"');
    expect(changed.text).toContain('Text must have 1 to 200 characters');
    expect(await stored()).toMatchObject([{ text: before }]);
  });

  test('shows a reader of the account the annotations, and no form', async () => {
    const { pages, website, post, show, stored } = await start('read');
    await annotate(pages, website, {});

    const { status } = await post({ day: '2026-11-20', text: 'a' });

    expect([status, (await stored()).length]).toEqual([403, 1]);
    expect(await show()).not.toContain('Add the annotation');
    expect(await (await start()).show()).toContain('Add the annotation');
  });

  test('finds no annotation of another website', async () => {
    const { pages, path, post, stored } = await start();
    const other = await pages.addWebsite();
    const { id } = await annotate(pages, other, {});

    const changed = await post({ day: '2026-11-20', text: 'a' }, `${path}/${id}`);
    await post({}, `${path}/${id}/delete`);

    expect(changed.status).toBe(404);
    expect(await stored()).toEqual([]);
    expect(await pages.repositories.annotations.list(keyOf(pages, other))).toHaveLength(1);
  });
});
