import type { ImportRow } from '@hitherto/domain/imports';
import { createDatabase, run, type TestDatabase } from '@hitherto/testing/databases';
import { startTestPostgres } from '@hitherto/testing/test-postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openUmamiDatabase } from '../../src/imports/umami-database.ts';
import { toldRow } from './support.ts';

// docs/imports.md: a website of a self-hosted Umami. The tables have the columns of Umami's that are read, and some others.

const SITE = '0f5d7a3e-0000-4000-8000-000000000001';
const OTHER = '0f5d7a3e-0000-4000-8000-000000000002';
const url = 'https://www.example.com/blog';
const id = (kind: number, number: number) => `${kind}0000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

const TABLES = `
  create table website (website_id uuid primary key, name varchar(100) not null, domain varchar(500),
    created_at timestamptz(6) default now(), deleted_at timestamptz(6));
  create table session (session_id uuid primary key, website_id uuid not null, browser varchar(20), os varchar(20),
    device varchar(20), screen varchar(11), language varchar(35), country char(2), region varchar(20), city varchar(50),
    distinct_id varchar(50), created_at timestamptz(6) default now());
  create table website_event (event_id uuid primary key, website_id uuid not null, session_id uuid not null,
    visit_id uuid not null, created_at timestamptz(6) default now(), url_path varchar(500) not null, url_query varchar(500),
    referrer_path varchar(500), referrer_query varchar(500), referrer_domain varchar(500), page_title varchar(500),
    event_type integer not null default 1, event_name varchar(50), tag varchar(50), hostname varchar(100));
  create table event_data (event_data_id uuid primary key, website_id uuid not null, website_event_id uuid not null,
    data_key varchar(500) not null, string_value varchar(500), number_value decimal(19, 4), date_value timestamptz(6),
    data_type integer not null, created_at timestamptz(6) default now());
  create index on event_data (website_event_id);
  insert into website (website_id, name, domain) values ('${SITE}', 'A', 'Example.com'), ('${OTHER}', 'B', 'other.example');
`;

let server: Awaited<ReturnType<typeof startTestPostgres>>;
let database: TestDatabase;
beforeAll(async () => {
  server = await startTestPostgres();
});
afterAll(() => server.stop());
beforeEach(async () => {
  database = await createDatabase(server.url);
  await run(database.url, TABLES);
});
afterEach(() => database.drop());

interface Added {
  readonly website?: string;
  readonly time?: string;
  readonly path?: string;
  readonly name?: string;
  readonly type?: number;
}

/** Adds an event of the session with this number; its id has the number of the event. */
async function add(
  event: number,
  session: number,
  { website = SITE, time = '2025-03-01T23:30:00.250Z', ...more }: Added,
) {
  await run(
    database.url,
    `insert into session (session_id, website_id, browser, os, device, language, country)
     values ($1, $2, 'edge-chromium', 'Windows 10', 'laptop', 'de-DE', 'DE') on conflict do nothing`,
    [id(1, session), website],
  );
  await run(
    database.url,
    `insert into website_event (event_id, website_id, session_id, visit_id, created_at, url_path, url_query, referrer_domain,
       referrer_path, event_type, event_name, tag, hostname)
     values ($1, $2, $3, $3, $4, $5, 'utm_source=nl', 'google.com', '/', $6, $7, $8, 'www.example.com')`,
    [
      id(2, event),
      website,
      id(1, session),
      time,
      more.path ?? '/é',
      more.type ?? (more.name === undefined ? 1 : 2),
      more.name ?? null,
      more.name === undefined ? null : 'new',
    ],
  );
}

const open = async (options: Partial<Parameters<typeof openUmamiDatabase>[1]> = {}, connection = database.url) => {
  const source = await openUmamiDatabase(connection, { url, ...options });
  onTestFinished(source.close);
  return source;
};
const rowsOf = async (source: { rows(): AsyncIterable<Iterable<ImportRow>> }) => {
  const rows: ImportRow[] = [];
  for await (const piece of source.rows()) rows.push(...piece);
  return rows;
};

describe('a database of Umami', () => {
  it('has the pageviews and events of the website with the same domain', async () => {
    await add(1, 1, {});
    await add(2, 1, { name: 'Signup', path: '/b' });
    await add(3, 1, { type: 5 });
    await add(4, 2, { website: OTHER });
    for (const [index, [key, text, number, type]] of Object.entries([
      ['plan', 'pro', null, 1],
      ['cart.total', '12.5', 12.5, 2],
      ['is_new', 'true', null, 3],
    ])) {
      await run(
        database.url,
        `insert into event_data (event_data_id, website_id, website_event_id, data_key, string_value, number_value, data_type)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [id(3, Number(index)), SITE, id(2, 2), key, text, number, type],
      );
    }

    const source = await open();
    const rows = await rowsOf(source);

    expect([source.format, source.share()]).toStrictEqual(['umami', 1]);
    expect(rows.map(toldRow).toSorted((a, b) => (a.place < b.place ? -1 : 1))).toStrictEqual([
      {
        place: `event ${id(2, 1)}`,
        hit: {
          url: 'https://www.example.com/é?utm_source=nl',
          referrer: 'https://google.com/',
          visitor: id(1, 1),
          time: new Date('2025-03-01T23:30:00.250Z'),
        },
        stated: { country: 'DE', language: 'de', browser: 'Edge', os: 'Windows', device: 'desktop' },
      },
      {
        place: `event ${id(2, 2)}`,
        hit: {
          url: 'https://www.example.com/b?utm_source=nl',
          referrer: 'https://google.com/',
          name: 'Signup',
          props: { plan: 'pro', is_new: true, 'cart.total': 12.5, tag: 'new' },
          visitor: id(1, 1),
          time: new Date('2025-03-01T23:30:00.250Z'),
        },
        stated: { country: 'DE', language: 'de', browser: 'Edge', os: 'Windows', device: 'desktop' },
      },
      {
        place: `event ${id(2, 3)}`,
        skipped: { reason: 'not_counted', detail: 'The event_type 5 is not counted.' },
      },
    ]);
  });

  it('is read in one snapshot, in pieces, and identified by its rows', async () => {
    await run(
      database.url,
      `insert into website_event (event_id, website_id, session_id, visit_id, url_path)
       select gen_random_uuid(), $1, gen_random_uuid(), gen_random_uuid(), '/' from generate_series(1, 4100)`,
      [SITE],
    );
    const before = await open();
    const same = await open();
    await add(1, 1, {});
    const after = await open();

    expect([same.sha256, after.sha256 === before.sha256]).toStrictEqual([before.sha256, false]);
    expect([(await rowsOf(before)).length, (await rowsOf(after)).length]).toStrictEqual([4_100, 4_101]);
  });

  it('cannot be written to', async () => {
    await run(
      database.url,
      `alter table website rename to websites;
       create function written() returns timestamptz language plpgsql as $$ begin delete from websites; return now(); end $$;
       create view website as select website_id, domain, written() as created_at, null::timestamptz as deleted_at from websites`,
    );

    await expect(open()).rejects.toThrow('read-only transaction');
  });

  it('of an older version has the host of a session', async () => {
    await run(
      database.url,
      `alter table website_event drop column hostname, drop column tag; alter table session add column hostname varchar(100);
       insert into session (session_id, website_id, hostname) values ('${id(1, 1)}', '${SITE}', 'www.example.com');
       insert into website_event (event_id, website_id, session_id, visit_id, url_path)
       values ('${id(2, 1)}', '${SITE}', '${id(1, 1)}', '${id(1, 1)}', '/old')`,
    );

    expect((await rowsOf(await open())).map(({ hit }) => hit?.url)).toStrictEqual(['https://www.example.com/old']);
  });

  it('is asked for another website by its id', async () => {
    await add(1, 1, { website: OTHER, path: '/other' });

    const rows = await rowsOf(await open({ websiteId: OTHER.toUpperCase() }));

    expect(rows.map(({ hit }) => hit?.url)).toStrictEqual(['https://www.example.com/other?utm_source=nl']);
  });

  it.each<[string, string, Partial<Parameters<typeof openUmamiDatabase>[1]>, string]>([
    ['no website with the domain', 'select 1', { url: 'https://third.example' }, `${OTHER} (other.example)`],
    ['several with it', "update website set domain = 'https://www.example.com/x'", {}, 'several websites'],
    ['no website with the id', 'select 1', { websiteId: id(9, 9) }, 'no website with this id'],
    ['only a deleted one', `update website set deleted_at = now()`, {}, 'Umami has no websites.'],
    ['no tables of Umami', 'drop table event_data', {}, 'no tables of Umami'],
  ])('with %s is rejected in one sentence', async (_, change, options, words) => {
    await run(database.url, change);

    await expect(open(options)).rejects.toMatchObject({
      code: 'invalid_file',
      message: expect.stringContaining(words),
    });
  });

  it.each([
    ['an address that is none', 'postgres://umami:s3cret@[::1/umami'],
    ['another scheme', 'mysql://umami:s3cret@localhost/umami'],
    ['no server', 'postgres://umami:s3cret@127.0.0.1:1/umami'],
    ['no such user', 's3cret'],
  ])('is not reached by %s, and no error has the password', async (_, connection) => {
    const given = new URL(database.url);
    given.username = 'nobody-of-this-name';
    given.password = 's3cret';
    const error = await open({}, connection === 's3cret' ? given.href : connection).catch((cause: unknown) => cause);

    expect(error).toMatchObject({ code: 'invalid_file' });
    const { message, stack = '', cause } = error as Error;
    expect(`${message} ${stack} ${JSON.stringify(cause)} ${cause}`).not.toContain('s3cret');
  });
});
