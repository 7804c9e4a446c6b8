import { randomBytes } from 'node:crypto';
import { UNRECORDED } from '@hitherto/domain/changes';
import { signInWithKey } from '@hitherto/domain/people';
import { newId } from '@hitherto/outside/system';
import { describe, expect, test } from 'vitest';
import { NO_BROWSER, PASSWORD, PASSWORD_HASH, type Received, startPagesForTest } from './support/pages.ts';
import { shareLink } from './support/sharing.ts';

// sharing.md, "Embedding"

const ORIGINS = ['https://a.example', 'http://b.example:8080'];

const ancestorsOf = ({ headers }: Received) =>
  /frame-ancestors ([^;]*)/.exec(`${headers['content-security-policy']}`)?.[1];

test.each([
  [[], "'none'"],
  [ORIGINS, ORIGINS.join(' ')],
  [['*'], '*'],
])(
  'a website with the origins %j may be in frames of %s, by its page, its links and their forms',
  async (embedOrigins, ancestors) => {
    const pages = await startPagesForTest();
    const website = await pages.addWebsite({ privacy: 'public', embedOrigins });
    const locked = await pages.addWebsite({ privacy: 'password', passwordHash: PASSWORD_HASH, embedOrigins });
    const pagesOf = [
      `/statistics/${website.id}`,
      `/statistics/${website.id}/by/page`,
      await shareLink(pages, website),
      `/statistics/${locked.id}`,
      await shareLink(pages, locked, { password: PASSWORD }),
    ];

    for (const path of pagesOf) {
      const received = await pages.send('GET', `${path}?embed=1`);
      expect([path, received.status, ancestorsOf(received)]).toEqual([path, 200, ancestors]);
    }
    const wrong = await pages.send('POST', `/statistics/${locked.id}/unlock?embed=1`, { form: { password: 'x' } });
    expect([wrong.status, ancestorsOf(wrong)]).toEqual([403, ancestors]);
  },
);

test('a private page, the owner’s pages and errors are in no frame, whatever the origins', async () => {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'private', embedOrigins: ['*'] });
  const deps = { ...pages.repositories, now: pages.clock.now, randomBytes };
  const cookies = {
    hitherto_session: (await signInWithKey(deps, await pages.issueKey(pages.accountId), NO_BROWSER)) ?? '',
  };

  const received = [
    await pages.send('GET', `/statistics/${website.id}?embed=1`),
    await pages.send('GET', `/websites/${website.id}`, { cookies }),
    await pages.send('GET', `/websites/${website.id}/links`, { cookies }),
    await pages.send('GET', '/'),
  ];

  expect(received.map(ancestorsOf)).toEqual(received.map(() => "'none'"));
});

describe('?embed=1', () => {
  test('shows the page and its lists without header and footer', async () => {
    const pages = await startPagesForTest();
    const website = await pages.addWebsite({ privacy: 'public' });
    await pages.addHits(website, [{}]);

    for (const path of [`/statistics/${website.id}`, `/statistics/${website.id}/by/page`]) {
      const [plain, embedded] = [await pages.send('GET', path), await pages.send('GET', `${path}?embed=1`)];

      expect([plain.text.includes('<header'), plain.text.includes('<footer')]).toEqual([true, true]);
      expect([embedded.text.includes('<header'), embedded.text.includes('<footer')]).toEqual([false, false]);
      expect(embedded.text).toContain('data-metric="visitors"');
      expect(embedded.text).toContain('aria-label="Period"');
      expect(embedded.text.match(/<h1/g)).toHaveLength(1);
    }
  });

  test('and the theme survive every inner link, form and suggestion, but CSV', async () => {
    const pages = await startPagesForTest();
    const website = await pages.addWebsite({ privacy: 'private' });
    const at = pages.clock.now();
    const common = { createdAt: at, updatedAt: at };
    const key = { accountId: pages.accountId, websiteId: website.id };
    const rule = { page: '/*' };
    const { definitions } = pages.repositories;
    await definitions.goal.insert(
      key,
      { id: newId(), name: 'Goal', content: { rule, sum: null }, ...common },
      UNRECORDED,
    );
    for (const name of ['One', 'Two']) {
      const steps = [
        { name: 'a', rule },
        { name: 'b', rule },
      ];
      await definitions.funnel.insert(key, { id: newId(), name, content: { steps }, ...common }, UNRECORDED);
    }
    await pages.addHits(website, [{}, { name: 'E', props: { p: 'v', q: 'w' } }]);
    const path = await shareLink(pages, website);

    for (const route of [
      '',
      '?event=E',
      '/by/page',
      '/by/property?event=E&property=p',
      '?country=DE&page=/&match=any',
      '?add=page',
    ]) {
      const { text } = await pages.send('GET', `${path}${route}${route.includes('?') ? '&' : '?'}embed=1&theme=dark`);
      const links = [...text.matchAll(/(?:href|data-suggestions)="(\/share[^"]*)"/g)].map(([, link = '']) => link);
      const [files, others] = [
        links.filter((link) => link.includes('.csv')),
        links.filter((link) => !link.includes('.csv')),
      ];

      expect(others.length).toBeGreaterThan(5);
      expect(files.length).toBeGreaterThan(0);
      expect(others.filter((link) => !/[?&;]embed=1(?:&|$|#)/.test(link) || !/[?&;]theme=dark/.test(link))).toEqual([]);
      expect(files.filter((link) => /embed|theme/.test(link))).toEqual([]);
      const forms = [...text.matchAll(/<form method="get".*?<\/form>/gs)].map(([form]) => form);
      expect(forms.length).toBeGreaterThan(0);
      for (const form of forms) {
        expect(form).toContain('name="embed" value="1"');
        expect(form).toContain('name="theme" value="dark"');
      }
    }
  });

  test('shows the owner no way to pages that no frame can show', async () => {
    const pages = await startPagesForTest();
    const website = await pages.addWebsite({ privacy: 'private' });
    await pages.addHits(website, [{}]);
    const deps = { ...pages.repositories, now: pages.clock.now, randomBytes };
    const cookies = {
      hitherto_session: (await signInWithKey(deps, await pages.issueKey(pages.accountId), NO_BROWSER)) ?? '',
    };

    const { text } = await pages.send('GET', `/statistics/${website.id}?embed=1&country=DE`, { cookies });

    expect(text).toContain('data-metric="visitors"');
    expect(text).not.toContain('/websites/');
  });
});

test.each([
  ['light', 'light'],
  ['dark', 'dark'],
  ['auto', undefined],
  ['DARK', undefined],
  ['"><script>', undefined],
])('theme=%s', async (theme, used) => {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'public' });

  const { text } = await pages.send('GET', `/statistics/${website.id}?theme=${encodeURIComponent(theme)}`);

  expect(/<html[^>]*data-theme="(\w*)"/.exec(text)?.[1]).toBe(used);
  expect(text).toContain(`<meta name="color-scheme" content="${used ?? 'light dark'}"/>`);
});

describe('the password of a page in a frame', () => {
  async function start(publicUrl: string | undefined) {
    const pages = await startPagesForTest({ publicUrl });
    const website = await pages.addWebsite({ privacy: 'password', passwordHash: PASSWORD_HASH, embedOrigins: ['*'] });
    const link = await shareLink(pages, await pages.addWebsite({ privacy: 'private', embedOrigins: ['*'] }), {
      password: PASSWORD,
    });
    return { pages, paths: [`/statistics/${website.id}`, link] };
  }

  test('gives a partitioned cookie over https, which opens the page in the frame', async () => {
    const { pages, paths } = await start('https://stats.example');

    for (const path of paths) {
      const form = await pages.send('GET', `${path}?embed=1&theme=dark`);
      const opened = await pages.send('POST', `${path}/unlock?embed=1&theme=dark`, { form: { password: PASSWORD } });
      const page = await pages.send('GET', `${path}?embed=1`, { cookies: opened.cookies });

      expect(form.text).toContain(`action="${path}/unlock?embed=1&amp;theme=dark"`);
      expect([opened.status, opened.headers.location]).toEqual([303, `${path}?embed=1&theme=dark`]);
      expect(opened.headers['set-cookie']).toMatch(
        new RegExp(
          `^__Secure-hitherto_framed_unlock=[^;]+; Max-Age=604800; Path=${path}; HttpOnly; Secure; Partitioned; SameSite=None$`,
        ),
      );
      expect(page.text).toContain('data-metric');
    }
  });

  test('gives that cookie in every frame that the browser names, and a usual one outside', async () => {
    const { pages, paths } = await start('https://stats.example');

    for (const path of paths) {
      const cookieOf = async (destination: string) => {
        const sent = { form: { password: PASSWORD }, headers: { 'sec-fetch-dest': destination } };
        return (await pages.send('POST', `${path}/unlock`, sent)).headers['set-cookie'];
      };

      expect(await cookieOf('iframe')).toMatch(/; Partitioned; SameSite=None$/);
      expect(await cookieOf('document')).toMatch(/; Secure; SameSite=Lax$/);
    }
  });

  test('cannot be entered over http: the page says that it must be opened outside', async () => {
    const { pages, paths } = await start(undefined);

    for (const path of paths) {
      const { text } = await pages.send('GET', `${path}?embed=1&theme=dark&period=7d`);

      expect(text).toContain('only over https');
      expect(text).toContain(`<a href="${path}?period=7d" target="_blank"`);
      expect(text).not.toContain('type="password"');
      expect((await pages.send('GET', `${path}?period=7d`)).text).toContain('type="password"');
    }
  });
});
