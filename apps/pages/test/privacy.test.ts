import { randomBytes } from 'node:crypto';
import { signInWithKey } from '@hitherto/domain/people';
import { newId } from '@hitherto/outside/system';
import { expect, test } from 'vitest';
import { addAFunnel } from './support/definitions.ts';
import {
  NO_BROWSER,
  PASSWORD,
  PASSWORD_HASH,
  type PagesUnderTest,
  startPagesForTest,
  withoutIds,
} from './support/pages.ts';

/** In place of the id of a funnel of the website. */
const FUNNEL = '{funnel_id}';
const PATHS = [
  '',
  '/series.csv',
  '/by/page',
  '/by/page.csv',
  '/by/property?event=E&property=p',
  '/by/property.csv?event=E&property=p',
  `/funnels/${FUNNEL}.csv`,
];

type Viewer = (pages: PagesUnderTest, id: string) => Promise<Readonly<Record<string, string>>>;

async function sessionOf(pages: PagesUnderTest, accountId: string, scope: 'read' | 'write' = 'write') {
  const deps = { ...pages.repositories, now: pages.clock.now, randomBytes };
  const text =
    (await signInWithKey(deps, await pages.issueKey(accountId, { scope, expiresInDays: 20 }), NO_BROWSER)) ?? '';
  return { hitherto_session: text };
}

async function unlockOf(pages: PagesUnderTest, id: string) {
  return (await pages.send('POST', `/statistics/${id}/unlock`, { form: { password: PASSWORD } })).cookies;
}

/** Who sees a private page, and who one with a password. */
const VIEWERS: Readonly<Record<string, readonly [viewer: Viewer, isPrivateSeen: boolean, isProtectedSeen: boolean]>> = {
  nobody: [async () => ({}), false, false],
  'the owner': [async (pages) => sessionOf(pages, pages.accountId), true, true],
  'the owner with a read key': [async (pages) => sessionOf(pages, pages.accountId, 'read'), true, true],
  'another owner': [async (pages) => sessionOf(pages, pages.otherAccountId), false, false],
  'an unlock of this page': [unlockOf, false, true],
  'an unlock of another page': [
    async (pages) => unlockOf(pages, (await pages.addWebsite({ privacy: 'password', passwordHash: PASSWORD_HASH })).id),
    false,
    false,
  ],
  'an unlock that was altered': [
    async (pages, id) => {
      const { hitherto_unlock: text = '' } = await unlockOf(pages, id);
      return { hitherto_unlock: text.replace(/^./, 'z') };
    },
    false,
    false,
  ],
  'a session that was made up': [async () => ({ hitherto_session: 'A'.repeat(43) }), false, false],
  'a key in place of a session': [
    async (pages) => ({ hitherto_session: await pages.issueKey(pages.accountId) }),
    false,
    false,
  ],
  'a session of 30 days ago': [
    async (pages) => {
      const cookies = await sessionOf(pages, pages.accountId);
      pages.clock.advance(30 * 24 * 60 * 60 * 1000);
      return cookies;
    },
    false,
    false,
  ],
  'a session whose key was revoked': [
    async (pages) => {
      const cookies = await sessionOf(pages, pages.accountId);
      await pages.revokeKeys(pages.accountId);
      return cookies;
    },
    false,
    false,
  ],
};

test.each(Object.entries(VIEWERS))(
  '%s sees exactly what is allowed on every path',
  async (_name, [viewer, isPrivateSeen, isProtectedSeen]) => {
    const pages = await startPagesForTest();
    const make = async (privacy: 'public' | 'private' | 'password') => {
      const website = await pages.addWebsite({ privacy, passwordHash: PASSWORD_HASH });
      return { website, funnelId: await addAFunnel(pages, website) };
    };
    const [open, hidden, guarded] = [await make('public'), await make('private'), await make('password')];
    // A page that waits for its first visit is not cached.
    await pages.addHits(open.website, [{}]);
    const cookies = await viewer(pages, guarded.website.id);

    for (const path of PATHS) {
      const ask = (id: string, funnelId: string) =>
        pages.send('GET', `/statistics/${id}${path.replace(FUNNEL, funnelId)}`, { cookies });
      const [ofOpen, ofHidden, ofGuarded, ofNone] = [
        await ask(open.website.id, open.funnelId),
        await ask(hidden.website.id, hidden.funnelId),
        await ask(guarded.website.id, guarded.funnelId),
        await ask(newId(), newId()),
      ];

      expect([path, ofOpen.status, ofOpen.headers['cache-control'], ofOpen.headers.vary]).toEqual([
        path,
        200,
        'private, max-age=60',
        expect.stringMatching(/^Cookie/),
      ]);
      expect([path, ofHidden.status]).toEqual([path, isPrivateSeen ? 200 : 404]);
      if (!isPrivateSeen) expect(withoutIds(ofHidden)).toEqual(withoutIds(ofNone));
      expect([path, ofGuarded.status, ofGuarded.headers['cache-control']]).toEqual([path, 200, 'no-store']);
      expect([path, ofGuarded.text.includes('type="password"')]).toEqual([path, !isProtectedSeen]);
      expect(ofNone.status).toBe(404);
      for (const { status, headers } of [ofOpen, ofHidden, ofGuarded, ofNone]) {
        expect(headers['x-robots-tag']).toBe('noindex');
        expect(headers['referrer-policy']).toBe(status === 404 ? 'strict-origin' : 'same-origin');
        expect(headers['content-security-policy']).toMatch(/^default-src 'none'; /);
      }
    }
  },
);

test('unlocking a private page is the same 404, byte for byte, as for an unknown or malformed id', async () => {
  const pages = await startPagesForTest();
  const hidden = await pages.addWebsite({ privacy: 'private', passwordHash: PASSWORD_HASH });
  const unlock = (id: string) => pages.send('POST', `/statistics/${id}/unlock`, { form: { password: PASSWORD } });

  const [ofHidden, ofNone, malformed] = [await unlock(hidden.id), await unlock(newId()), await unlock('x')];

  expect(ofHidden.status).toBe(404);
  expect(withoutIds(ofHidden)).toEqual(withoutIds(ofNone));
  expect(withoutIds(malformed)).toEqual(withoutIds(ofNone));
});
