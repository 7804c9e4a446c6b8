import { expect, test } from 'vitest';
import { PASSWORD, startPagesForTest } from './support/pages.ts';
import { share } from './support/sharing.ts';

// sharing.md, "Shared links"

const HOUR_MS = 3_600_000;

test('the password of a link opens that link only, until it expires', async () => {
  const pages = await startPagesForTest({ publicUrl: 'https://stats.example' });
  const website = await pages.addWebsite({ privacy: 'private' });
  const expires_at = new Date(pages.clock.now().getTime() + HOUR_MS).toISOString();
  const { path } = await share(pages, website, { password: PASSWORD, expires_at });

  const wrong = await pages.send('POST', `${path}/unlock?period=7d`, { form: { password: 'x' } });
  const right = await pages.send('POST', `${path}/unlock?period=7d`, { form: { password: PASSWORD } });

  expect([wrong.status, wrong.cookies]).toEqual([403, {}]);
  expect(wrong.text).toContain(`action="${path}/unlock?period=7d"`);
  expect([right.status, right.headers.location]).toEqual([303, `${path}?period=7d`]);
  expect(right.headers['set-cookie']).toMatch(
    new RegExp(`^__Secure-hitherto_unlock=[^;]+; Max-Age=3600; Path=${path}; HttpOnly; Secure; SameSite=Lax$`),
  );
});

test('five wrong passwords in a minute lock out the network from that link, and from no other', async () => {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'private' });
  const [one, other] = [
    await share(pages, website, { password: PASSWORD }),
    await share(pages, website, { password: PASSWORD }),
  ];
  const unlock = (path: string, password: string) => pages.send('POST', `${path}/unlock`, { form: { password } });
  for (let tries = 0; tries < 5; tries += 1) await unlock(one.path, 'x');

  expect([(await unlock(one.path, PASSWORD)).status, (await unlock(other.path, PASSWORD)).status]).toEqual([429, 303]);
});
