import { pipeline } from 'node:stream/promises';
import pgCopy from 'pg-copy-streams';
import { withClient } from '../database.ts';

/** Umami's id of a visitor and day, and of its only visit that day. */
const SESSION = `md5(visitor || ' ' || day)::uuid`;

/** Columns of Umami's tables, and their values for a hit of Hitherto. */
const SESSIONS: Readonly<Record<string, string>> = {
  session_id: SESSION,
  website_id: 'WEBSITE',
  browser: 'lower(min(browser))',
  os: 'min(os)',
  device: 'min(device)',
  screen: `'1920x1080'`,
  language: 'min(language)',
  country: 'min(country)',
  created_at: 'min(time)',
};
const EVENTS: Readonly<Record<string, string>> = {
  event_id: 'gen_random_uuid()',
  website_id: 'WEBSITE',
  session_id: SESSION,
  visit_id: SESSION,
  created_at: 'time',
  url_path: 'page',
  referrer_domain: `split_part(referrer, '/', 1)`,
  page_title: `'A title of some words'`,
  event_type: 'case when name is null then 1 else 2 end',
  event_name: 'name',
  hostname: 'host',
};

/** Copies all hits of a website into Umami's database, and prepares its tables for reading as autovacuum does in time. */
export async function copyHitsToUmami(
  from: { readonly databaseUrl: string; readonly websiteNumber: string },
  to: { readonly databaseUrl: string; readonly websiteId: string },
): Promise<void> {
  await withClient(from.databaseUrl, (source) =>
    withClient(to.databaseUrl, async (target) => {
      const copy = async (table: string, columns: Readonly<Record<string, string>>, grouped: string) => {
        const values = Object.values(columns).map((value) => (value === 'WEBSITE' ? `'${to.websiteId}'::uuid` : value));
        const rows = `select ${values.join(', ')} from hit where website_number = ${from.websiteNumber} ${grouped}`;
        const read = source.query(pgCopy.to(`copy (${rows}) to stdout`));
        const write = target.query(pgCopy.from(`copy ${table} (${Object.keys(columns).join(', ')}) from stdin`));
        await pipeline(read, write);
        await target.query(`vacuum (analyze) ${table}`);
      };
      await copy('session', SESSIONS, 'group by visitor, day');
      await copy('website_event', EVENTS, '');
    }),
  );
}
