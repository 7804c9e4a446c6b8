import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inEnglish, placeOf } from '@hitherto/domain/files';
import type { ImportFileOptions, ImportRow } from '@hitherto/domain/imports';
import { afterAll, beforeAll } from 'vitest';
import { openFile } from '../../src/imports/open-file.ts';

/** Functions that write files to a folder, which is deleted after the tests, and read them as imports. */
export function importFolder() {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hitherto-files-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  let files = 0;
  /** Writes a file, and returns its path. */
  async function write(content: string | Buffer): Promise<string> {
    files += 1;
    const path = join(folder, `file-${files}`);
    await writeFile(path, content);
    return path;
  }

  /** The rows of hits of a file with this content. */
  async function read(content: string | Buffer, options: Partial<ImportFileOptions> = {}) {
    const source = await openImport(await write(content), { url: 'https://example.com/blog', ...options });
    if (!('rows' in source)) throw new Error('The file has no rows of hits.');
    const rows: ReturnType<typeof toldRow>[] = [];
    for await (const piece of source.rows()) rows.push(...[...piece].map(toldRow));
    return { format: source.format, rows, share: source.share() };
  }

  return { write, read };
}

/** A row with its place, and why it is left out, as the API tells them. */
export function toldRow(row: ImportRow) {
  const { hit, stated, day, skipped } = row;
  return {
    place: inEnglish(placeOf(row)),
    ...(hit && { hit }),
    ...(stated && { stated }),
    ...(day !== undefined && { day }),
    ...(skipped && { skipped: { reason: skipped.reason, detail: inEnglish(skipped.text) } }),
  };
}

export function openImport(path: string, options: Partial<ImportFileOptions> = {}) {
  return openFile(path, { format: 'auto', url: 'https://example.com', ...options });
}

/** An export of Umami with a pageview, an event and a row that is not counted. */
export const UMAMI = `\u{feff}website_id,session_id,visit_id,event_id,hostname,browser,os,device,screen,language,country,region,city,url_path,url_query,referrer_path,referrer_query,referrer_domain,page_title,event_type,event_name,created_at
w,s1,v1,e1,www.example.com,edge-chromium,Windows 10,laptop,1920x1080,de-DE,DE,DE-BE,Berlin,/é,utm_source=nl,/search,q=a,google.com,"A ""title"",
of two lines",1,,2025-03-01 23:30:00
w,s1,v1,e2,www.example.com,ios,iOS,mobile,,en,US,,,/b,,,,,,2,Signup,2025-03-01 23:31:00
w,s1,v1,e3,www.example.com,ios,iOS,mobile,,en,US,,,/b,,,,,,5,,2025-03-01 23:32:00
`;
