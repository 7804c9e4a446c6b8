import { ODD_JSON } from '@hitherto/testing/odd-values';
import { beforeEach, expect, test } from 'vitest';
import { signIn } from './support/owner.ts';
import { type PagesUnderTest, startPagesForTest } from './support/pages.ts';
import { useTemporaryFolder } from './support/temporary-folder.ts';

const FIELDS = 'held change field url address password key format alert delivery rule name text day version events';
const OFFSITE = { host: 'stats.example', origin: 'https://stats.example' };

let pages: PagesUnderTest;
let cookies: Record<string, string>;
let id: string;

beforeEach(async () => {
  useTemporaryFolder();
  pages = await startPagesForTest();
  cookies = { ...(await signIn(pages)).cookies };
  ({ id } = await pages.addWebsite({ url: 'https://example.com', privacy: 'public' }));
});

/** The addresses of all forms. */
function formPaths(): string[] {
  const tree = pages.app.printRoutes({ commonPrefix: false }).split('\n');
  const names: string[] = [];
  const paths = tree.flatMap((line) => {
    const [, indent = '', name = '', methods] = /^([│ ]*)[├└]── (\S+)(?: \((.*)\))?$/.exec(line) ?? [];
    names[indent.length / 4] = name;
    const path = names.slice(0, indent.length / 4 + 1).join('');
    return methods?.includes('POST') ? [path] : [];
  });
  return paths.map((path) => path.replace(':id', id).replaceAll(/:\w+/g, id));
}

test('every form route rejects JSON with 415, whatever it has; only the link of a mail ignores its body', async () => {
  const paths = formPaths();
  expect(paths.length).toBeGreaterThan(20);

  for (const path of paths) {
    for (const json of Object.values(ODD_JSON)) {
      const body = `{${FIELDS.split(' ').map((field) => `"${field}":${json.length > 1_000 ? '1' : json}`)},"x":${json}}`;
      const headers = { ...OFFSITE, 'content-type': 'application/json' };
      const { statusCode } = await pages.app.inject({ method: 'POST', url: path, headers, cookies, payload: body });

      expect(statusCode, `${path} ${json.slice(0, 60)}`).toBe(path === '/reports/unsubscribe' ? 404 : 415);
    }
  }
});

test.each(Object.entries(ODD_JSON))('%s in a part of an upload never is a 5xx', async (_, json) => {
  for (const field of ['format', 'until', 'time_zone', 'keep_going', 'file', '__proto__']) {
    const payload = [
      '--b',
      `Content-Disposition: form-data; name="${field}"`,
      'Content-Type: application/json',
      '',
      json,
      '--b',
      'Content-Disposition: form-data; name="file"; filename="a.csv"',
      '',
      'a',
      '--b--',
      '',
    ].join('\r\n');
    const headers = { ...OFFSITE, 'content-type': 'multipart/form-data; boundary=b' };
    const url = `/websites/${id}/imports`;
    const { statusCode } = await pages.app.inject({ method: 'POST', url, headers, cookies, payload });

    expect(statusCode, field).toBeLessThan(500);
  }
});

test('repeated and unknown fields of a form never are a 5xx', async () => {
  const payload = `${FIELDS.split(' ')
    .flatMap((field) => [`${field}=a`, `${field}=b`])
    .join('&')}&__proto__=1&toString=1&constructor=1`;
  for (const path of formPaths()) {
    const headers = { ...OFFSITE, 'content-type': 'application/x-www-form-urlencoded' };
    const { statusCode } = await pages.app.inject({ method: 'POST', url: path, headers, cookies, payload });

    expect(statusCode, path).toBeLessThan(500);
  }
});
