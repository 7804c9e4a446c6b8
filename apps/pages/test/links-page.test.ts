import { UNRECORDED } from '@hitherto/domain/changes';
import type { Definition } from '@hitherto/domain/definitions';
import { newId } from '@hitherto/outside/system';
import { describe, expect, test } from 'vitest';
import { faultsOf, formOf, postForm, signIn } from './support/owner.ts';
import { startPagesForTest } from './support/pages.ts';

// sharing.md, "Shared links": the owner's page.

async function start(scope: 'read' | 'write' = 'write') {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'private', timeZone: 'Asia/Kolkata' });
  const at = pages.clock.now();
  const segment: Definition<'segment'> = {
    id: newId(),
    name: 'Readers <b>',
    content: { match: 'all', filters: [] },
    createdAt: at,
    updatedAt: at,
  };
  const key = { accountId: pages.accountId, websiteId: website.id };
  await pages.repositories.definitions.segment.insert(key, segment, UNRECORDED);
  const { cookies } = await signIn(pages, scope);
  const path = `/websites/${website.id}/links`;
  return {
    pages,
    path,
    segment,
    post: (form: Record<string, string>, to = path) => postForm(pages, to, form, { cookies }),
    show: async (query = '') => (await pages.send('GET', `${path}${query}`, { cookies })).text,
    stored: async () => (await pages.repositories.links.list(key)) ?? [],
  };
}

describe('the page of links', () => {
  test('creates a link with a segment, a last day and a password, and shows its address once', async () => {
    const { pages, segment, post, show, stored } = await start();

    const { status, text } = await post({
      name: ' For the <board> ',
      segment: segment.id,
      last_day: '2026-11-30',
      password: 'sesame',
    });

    expect(status).toBe(201);
    const [, address = ''] = /<code>(http:\/\/stats\.example\/share\/[\w-]{43})<\/code>/.exec(text) ?? [];
    expect((await pages.send('GET', new URL(address).pathname)).text).toContain('type="password"');
    const [link] = await stored();
    expect(link).toMatchObject({ name: 'For the <board>', segmentId: segment.id });
    // The end of the last day in Kolkata.
    expect(link?.expiresAt?.toISOString()).toBe('2026-11-30T18:30:00.000Z');
    const later = await show();
    expect(later).not.toContain('/share/');
    expect(later).toContain('For the &lt;board>');
    expect(later).toContain('Only visits of the segment “Readers &lt;b>”, with a password');
  });

  test('keeps the fields of a form with faults, except the password', async () => {
    const { post, stored, segment } = await start();

    const { status, text } = await post({ name: '', segment: segment.id, last_day: '2026-11-01', password: 'sesame' });

    expect(status).toBe(422);
    expect(text).toContain('A link cannot expire in the past.');
    expect(text).toContain('A name must have 1 to 64 characters');
    expect(text).toContain('value="2026-11-01"');
    expect(text).toContain(`value="${segment.id}" selected`);
    expect(text).not.toContain('sesame');
    expect(await stored()).toEqual([]);
  });

  test('asks for a password again after a fault, and creates no link without it', async () => {
    const { post, stored } = await start();
    const faulty = await post({ name: '', password: 'sesame' });
    const retyped = { ...formOf(faulty.text), name: 'é' };

    const still = await post(retyped);
    const again = await post({ ...formOf(still.text), name: '', last_day: '2026-12-01' });

    for (const { status, text } of [faulty, still, again]) {
      expect([status, faultsOf(text).password]).toEqual([422, ['Type the password again.']]);
      expect(formOf(text)).toMatchObject({ password: '', lost_password: '1' });
    }
    expect(formOf(again.text).last_day).toBe('2026-12-01');
    expect(await stored()).toEqual([]);
    const { status, text } = await post({ ...formOf(again.text), name: 'é', password: 'sesame' });
    expect([status, text.includes('lost_password')]).toEqual([201, false]);
    expect(await stored()).toMatchObject([{ name: 'é', passwordHash: expect.any(String) }]);
  });

  test('creates a link without a password that was typed only on request', async () => {
    const { post, stored } = await start();
    const faulty = await post({ name: '', password: 'sesame' });

    const undecided = await post({ ...formOf(faulty.text), name: '', no_password: '1' });
    const form = { ...formOf(undecided.text), name: 'é' };
    const { status } = await post(form);

    expect(faultsOf(undecided.text).password).toBeUndefined();
    expect(form).toMatchObject({ lost_password: '1', no_password: '1' });
    expect([status, await stored()]).toMatchObject([201, [{ passwordHash: null }]]);
  });

  test('says whether the new link has a password', async () => {
    const { post } = await start();
    const noticeOf = async (password: string) =>
      /role="status">(.*?)Copy it now/s.exec((await post({ name: 'é', password })).text)?.[1];

    expect(await noticeOf('sesame')).toContain(', with a password.');
    expect(await noticeOf('')).toContain(', without a password.');
  });

  test('accepts today as the last day, and no day that does not exist', async () => {
    const { post, stored } = await start();

    expect((await post({ name: 'a', last_day: '2026-11-20' })).status).toBe(201);
    expect((await post({ name: 'a', last_day: '2026-02-30' })).status).toBe(422);
    expect(await stored()).toHaveLength(1);
  });
});
