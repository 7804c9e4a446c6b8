import { readdirSync } from 'node:fs';
import { UNRECORDED } from '@hitherto/domain/changes';
import { NO_IMPORT_COUNTS } from '@hitherto/domain/imports';
import { newId } from '@hitherto/outside/system';
import { plausibleExport } from '@hitherto/testing/plausible-export';
import { beforeEach, describe, expect, test } from 'vitest';
import { formOf, postForm, signIn } from './support/owner.ts';
import { type PagesUnderTest, startPagesForTest } from './support/pages.ts';
import { addRunningImport } from './support/running-import.ts';
import { useTemporaryFolder } from './support/temporary-folder.ts';

// docs/imports.md: imports on the owner's pages.

const FILE = [
  '{"format":"hitherto","version":1}',
  ...['2026-01-01', '2026-01-02'].map((day) =>
    JSON.stringify({
      time: `${day}T12:00:00.000Z`,
      visitor: day,
      host: 'example.com',
      page: '/<b>',
      channel: 'Direct',
      device: 'desktop',
    }),
  ),
  '',
].join('\n');

let folder: string;
let pages: PagesUnderTest;
let cookies: Readonly<Record<string, string>>;
let path: string;
let websiteId: string;

beforeEach(async () => {
  folder = useTemporaryFolder();
  pages = await startPagesForTest();
  ({ cookies } = await signIn(pages));
  const website = await pages.addWebsite({ url: 'https://example.com' });
  websiteId = website.id;
  path = `/websites/${website.id}/imports`;
});

/** Sends the form as a browser does. */
async function upload(content: string | Buffer, fields: Readonly<Record<string, string>> = {}, query = '') {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([Uint8Array.from(Buffer.from(content))]), 'visits.jsonl');
  const request = new Request('https://stats.example', { method: 'POST', body: form });
  const { statusCode: status, body: text } = await pages.app.inject({
    method: 'POST',
    url: path + query,
    headers: {
      host: 'stats.example',
      origin: 'https://stats.example',
      'content-type': request.headers.get('content-type') ?? '',
    },
    cookies: { ...cookies },
    payload: Buffer.from(await request.arrayBuffer()),
  });
  return { status, text };
}

const imports = () => pages.repositories.imports.list({ accountId: pages.accountId, websiteId });

describe('the imports of a website', () => {
  test('begin with a preview, which stores nothing', async () => {
    const { status, text } = await upload(FILE);

    expect(status).toBe(200);
    expect(text).toContain('<strong>2 hits</strong>');
    expect(text).toContain('1 Jan to 2 Jan 2026');
    expect(await imports()).toEqual([]);
  });

  test('import the previewed file once, and say what it added', async () => {
    const { text } = await upload(FILE);

    const form = { held: formOf(text).held ?? '' };
    const started = await postForm(pages, `${path}/start`, form, { cookies });
    const again = await postForm(pages, `${path}/start`, form, { cookies });

    for (const { status, headers } of [started, again]) expect([status, headers.location]).toEqual([303, path]);
    expect(await imports()).toHaveLength(1);
    const list = await pages.send('GET', path, { cookies });
    expect(list.text).toContain('data-status="done"');
    expect(list.text).toContain('2 hits');
    expect(list.text).toContain(`href="/statistics/${websiteId}?from=2026-01-01&amp;to=2026-01-02"`);
    expect(await pages.repositories.statistics.firstDay(websiteId)).toBe('2026-01-01');
  });

  test('import a file that another process of the machine has received', async () => {
    const { repositories, importer } = pages;
    const other = await startPagesForTest({ ...repositories, importer });
    const { text } = await upload(FILE);

    const started = await postForm(other, `${path}/start`, { held: formOf(text).held ?? '' }, { cookies });

    expect(started.status).toBe(303);
    expect(await imports()).toMatchObject([{ status: 'done', hits: 2 }]);
  });

  test('say how long, and where, a file waits for its import', async () => {
    const { text } = await upload(FILE);
    pages.clock.advance(15 * 60 * 1_000);

    const started = await postForm(pages, `${path}/start`, { held: formOf(text).held ?? '' }, { cookies });

    expect(started.status).toBe(409);
    expect(started.text).toContain('waits for 15 minutes, on the machine that has received it');
    expect(await imports()).toEqual([]);
  });

  test('show whether one waits, and then how far it is, with a link to refresh the page', async () => {
    const running = await addRunningImport(pages, { id: websiteId });

    const waiting = await pages.send('GET', path, { cookies });
    await running.begin();
    await running.report(4_711);
    const begun = await pages.send('GET', path, { cookies });
    await running.fail('The file is damaged.');
    const failed = await pages.send('GET', path, { cookies });

    expect(waiting.text).toContain('Waiting for other imports to end');
    expect(begun.text).toContain('4,711 rows read');
    expect(begun.text).toMatch(/<progress max="1" value="0.5"/);
    for (const { text, headers } of [waiting, begun]) {
      expect(text).toContain(`<a href="${path}" data-refresh`);
      expect(headers.refresh).toBeUndefined();
    }
    expect(failed.text).toContain('Nothing was imported. The file is damaged.');
    expect(failed.text).not.toContain('data-refresh');
  });

  test('are taken out again', async () => {
    const { text } = await upload(FILE);
    await postForm(pages, `${path}/start`, { held: formOf(text).held ?? '' }, { cookies });
    const [imported] = (await imports()) ?? [];

    const deleted = await postForm(pages, `${path}/${imported?.id}`, {}, { cookies });
    const again = await postForm(pages, `${path}/${imported?.id}`, {}, { cookies });

    for (const { status, headers } of [deleted, again]) expect([status, headers.location]).toEqual([303, path]);
    expect(await imports()).toEqual([]);
    expect(await pages.repositories.statistics.firstDay(websiteId)).toBeUndefined();
  });

  test('have addresses that take forms, and lead to the list', async () => {
    const opened = await Promise.all(
      ['start', newId()].map((name) => pages.send('GET', `${path}/${name}`, { cookies })),
    );
    const ofNoWebsite = await pages.send('GET', `/websites/${newId()}/imports/start`, { cookies });

    for (const { status, headers } of opened) expect([status, headers.location]).toEqual([303, path]);
    expect(ofNoWebsite.status).toBe(404);
  });

  test('name the origin of days under the chart', async () => {
    const { text } = await upload(FILE);
    await postForm(pages, `${path}/start`, { held: formOf(text).held ?? '' }, { cookies });

    const page = await pages.send('GET', `/statistics/${websiteId}?from=2026-01-02&to=2026-01-31`, { cookies });
    const later = await pages.send('GET', `/statistics/${websiteId}?from=2026-02-01&to=2026-02-02`, { cookies });

    expect(page.text).toContain('2 Jan 2026 imported from Hitherto');
    expect(later.text).not.toContain('imported from');
  });

  describe('of sums of days', () => {
    const FATHOM = 'datetime,pathname,pageviews,visitors\n2023-01-02 00:00:00,/a,4,2\n';

    /** The text of the page of the imported days. */
    async function pageOf(content: string | Buffer, query = ''): Promise<string> {
      const { text } = await upload(content);
      await postForm(pages, `${path}/start`, { held: formOf(text).held ?? '' }, { cookies });
      const days = 'from=2023-01-01&to=2023-01-31';
      const page = await pages.send('GET', `/statistics/${websiteId}?${days}${query}`, { cookies });
      return page.text.replace(/<[^>]+>/g, '').replaceAll('\u2009', ' ');
    }

    test('say what the file does not, and mark numbers that were added up', async () => {
      const text = await pageOf(plausibleExport());

      expect(text).toContain('2 Jan to 3 Jan 2023 imported from Plausible.');
      expect(text).toContain(
        'Only sums are known of 2 Jan to 3 Jan 2023, without: Channels, Languages, Hosts, Networks, Goals and Funnels.',
      );
      expect(text).toContain('≤ means at most.');
      expect(text).toContain('Google≤ at most 3');
    });

    test('say so where no file has the visits', async () => {
      const text = await pageOf(FATHOM);

      expect(text).toMatch(/Only sums are known of 2 Jan 2023, without: Visits, /);
      expect(text).toContain('Visits–');
    });

    test('are left out by a filter, with a sentence', async () => {
      const text = await pageOf(plausibleExport(), '&country=DE');

      expect(text).toContain(
        'The numbers are without 2 Jan to 3 Jan 2023: only sums are known of these days, which filters and goals cannot select from.',
      );
      expect(text).not.toContain('≤');
    });
  });

  test('explain a file that cannot be imported, and rows that are left out', async () => {
    const foreign = await upload('date,visitors\n2026-01-01,3\n');
    const partly = await upload(FILE, { until: '2026-01-01' });

    expect([foreign.status, foreign.text]).toEqual([422, expect.stringContaining('Unknown file format')]);
    expect(partly.text).toContain('1 row after the last day that is imported');
  });

  test('tell why a file or a row is left out in the language of the page, and in English in the API', async () => {
    const faulty = FILE.replace('"page":"/<b>",', '');
    const inGerman = async (content: string, fields = {}) => {
      const { text } = await upload(content, fields, '?lang=de');
      return text;
    };

    expect(await inGerman('')).toContain('Die Datei ist leer.');
    expect(await inGerman(faulty)).toContain(
      '1 von 2 Zeilen sind fehlerhaft, mehr als 1 %. Die erste ist Zeile 2: „page“ fehlt.',
    );
    const preview = await inGerman(faulty, { keep_going: '1' });
    expect(preview).toContain('Zeile 2: „page“ fehlt.');

    await postForm(pages, `${path}/start`, { held: formOf(preview).held ?? '' }, { cookies });

    expect((await pages.send('GET', `${path}?lang=de`, { cookies })).text).toContain('Zeile 2: „page“ fehlt.');
    expect((await imports())?.[0]?.skipped[0]?.example).toBe('line 2: "page" is missing.');
  });

  test('tell problems that an earlier version has stored in English', async () => {
    const id = newId();
    const key = { accountId: pages.accountId, websiteId };
    const problem = { code: 'invalid_file', detail: 'visits.csv, line 7, is longer than 1 MiB.' } as const;
    const counts = { ...NO_IMPORT_COUNTS, skipped: [{ reason: 'bot', rows: 1, example: 'line 3: A bot.' }] } as const;
    const imported = { ...counts, id, websiteId, format: 'matomo', sha256: '0'.repeat(64), problem: null } as const;
    await pages.repositories.imports.insert(
      key,
      { ...imported, status: 'running', createdAt: new Date(0) },
      UNRECORDED,
    );
    await pages.repositories.imports.fail(id, problem, counts, undefined);

    const { text } = await pages.send('GET', `${path}?lang=de`, { cookies });

    expect(text).toContain('Es wurde nichts importiert. visits.csv, line 7, is longer than 1 MiB.');
    expect(text).toContain('line 3: A bot.');
  });

  test('show the last day and the time zone in the preview', async () => {
    const { text } = await upload(FILE, { until: '2026-01-01', time_zone: 'Europe/Berlin' });

    expect(text).toContain('The last day to import is 1 Jan 2026.');
    expect(text).toContain('Times without a time zone are in Europe/Berlin.');
  });

  test.each([
    ['a zone that does not exist', FILE, { time_zone: 'Europe/<b>' }],
    ['a file of another format', 'date,visitors\n2026-01-01,3\n', { time_zone: 'Europe/Berlin' }],
  ])('keep the options after %s, ask for the file again, and leave no file behind', async (_, content, zone) => {
    const fields = { format: 'umami', until: '2026-01-01', keep_going: '1', ...zone };

    const { status, text } = await upload(content, fields);

    expect(status).toBe(422);
    expect(formOf(text)).toEqual({ ...fields, file: '' });
    expect(text).toContain('Choose the file again');
    expect(readdirSync(folder)).toEqual([]);
  });

  const BOUNDARY = 'multipart/form-data; boundary=b';
  const field = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n1\r\n`;
  const START_OF_FILE = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
  test.each([
    ['a form without files', 'application/x-www-form-urlencoded', 'until=', 415],
    ['no body', undefined, undefined, 415],
    ['no boundary', 'multipart/form-data', `${field('until')}--b--`, 400],
    ['a boundary that is too long', `multipart/form-data; boundary=${'b'.repeat(300)}`, field('until'), 400],
    ['a body cut in a field', BOUNDARY, field('until').slice(0, -3), 400],
    ['a body cut in the file', BOUNDARY, `${START_OF_FILE}${FILE}`, 400],
    ['a body cut in a long file', BOUNDARY, `${START_OF_FILE}${'é'.repeat(400_000)}`, 400],
    ['more than ten fields', BOUNDARY, `${field('until').repeat(11)}--b--`, 400],
    ['a field with a name of every object', BOUNDARY, `${field('toString')}--b--`, 400],
  ])('reject %s as a fault of the client, and leave no file behind', async (_, type, payload, status) => {
    const { statusCode } = await pages.app.inject({
      method: 'POST',
      url: path,
      headers: { host: 'stats.example', origin: 'https://stats.example', ...(type ? { 'content-type': type } : {}) },
      cookies: { ...cookies },
      ...(payload ? { payload } : {}),
    });

    expect(statusCode).toBe(status);
    expect(pages.logs.join('')).not.toContain('request failed');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('keep the options when another import has covered the days since the preview', async () => {
    const { text: other } = await upload(FILE);
    const { text } = await upload(`${FILE}\n`, { until: '2026-01-01', time_zone: 'Europe/Berlin', keep_going: '1' });
    await postForm(pages, `${path}/start`, { held: formOf(other).held ?? '' }, { cookies });

    const started = await postForm(pages, `${path}/start`, { held: formOf(text).held ?? '' }, { cookies });

    expect(started.status).toBe(422);
    expect(formOf(started.text)).toEqual({
      format: 'hitherto',
      until: '2026-01-01',
      time_zone: 'Europe/Berlin',
      keep_going: '1',
      file: '',
    });
  });

  test('cannot be begun with a read-only key, or from another origin', async () => {
    const { cookies: readOnly } = await signIn(pages, 'read');
    const { text } = await upload(FILE);
    const form = { held: formOf(text).held ?? '' };

    expect((await postForm(pages, `${path}/start`, form, { cookies: readOnly })).status).toBe(403);
    expect((await pages.send('POST', `${path}/start`, { form, cookies })).status).toBe(403);
    expect(await imports()).toEqual([]);
  });
});
