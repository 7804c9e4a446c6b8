import type { CursorPosition, WebsiteFilter } from '@hitherto/domain';
import { anApiKey, aWebsite } from '@hitherto/domain/testing';
import { createDatabase, rowsOf, run, TEMPLATE } from '@hitherto/testing/databases';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { newId } from '../src/ids.ts';
import { createAccessRepository } from '../src/postgres/access/access-repository.ts';
import { type Database, openDatabase } from '../src/postgres/connection/database.ts';
import { startSession } from '../src/postgres/connection/session.ts';
import { clientConfig } from '../src/postgres/connection/settings.ts';
import type { Query } from '../src/postgres/connection/statement.ts';
import { createIdempotencyRepository } from '../src/postgres/idempotency/idempotency-repository.ts';
import { openPostgres, type PostgresRepositories } from '../src/postgres/index.ts';
import { createWebsiteDirectory } from '../src/postgres/websites/website-directory.ts';
import { createWebsiteRepository } from '../src/postgres/websites/website-repository.ts';
import { type DatabaseProxy, startProxy } from './proxy.ts';
import { addAccount, atOnce, type TestRepositories } from './repositories.ts';

const SIZE = 100_000;
const ORDERS = ['address_asc', 'address_desc', 'newest_first'] as const;
/** Rare, in a tenth at the end of the addresses, in half, in all; long, short, and such as has no trigram; and in none. */
const SEARCHES = ['-99999', 'zz-shop', 'even', 'example', 'zz', 'ev', 'e', '://', 'é', 'qqq', 'qq'];

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
let repositories: PostgresRepositories;
let proxy: DatabaseProxy;
let accountId: string;

beforeAll(async () => {
  proxy = await startProxy(database.url);
  repositories = openPostgres({ connection: proxy.url, log: () => {} });
  const other = await addAccount(repositories);
  accountId = await addAccount(repositories);
  const filled = `
    insert into website (account_id, id, scheme, address, privacy, email_reports, exclude_bots, excluded_params, excluded_ips, created_at, updated_at)
    select $1::uuid, ($3::text || '-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
      'https', case when n % 10 = 0 then 'zz-shop' when n % 2 = 0 then 'even' else '' end || md5(n::text) || '.example/-' || n,
      'private', false, true, '{}', '{}', now(), now()
    from generate_series(1, $2::int) n`;
  await run(database.url, filled, [accountId, SIZE, '01997c3e']);
  await run(database.url, filled, [other, 1000, '01997c3f']);
  // Rows count as visible to all only once their commit is on disk, which a server without durability puts off.
  const isVisible = `select from pg_class where relname = 'website' and relallvisible = relpages`;
  do await run(database.url, 'vacuum analyze');
  while ((await rowsOf(database.url, isVisible)).length === 0);
});

afterAll(async () => {
  await repositories.close();
  await proxy.close();
  await database.drop();
});

/** 101 rows, the way to them, and the leaves of an index with 10,001 entries. */
const PAGE_BUFFERS = 101 + 40 + 110;

const positionAt = (order: WebsiteFilter['order'], side: CursorPosition['side']): CursorPosition => ({
  side,
  key: order === 'newest_first' ? '01997c3e-0000-7000-8000-000000002710' : 'even8',
});

describe('the lists of websites', () => {
  it('are not read by the driver, letter by letter, but as JSON', async () => {
    const website = aWebsite({
      id: newId(),
      url: 'https://lists.example',
      excludedParams: ['a', '"', '\\', '{,}', 'NULL', 'é*'],
      excludedIps: ['203.0.113.7', '2001:db8::/32'],
    });
    await repositories.websites.insert(accountId, website);
    const [type] = await rowsOf<{ oid: number }>(database.url, `select 'text[]'::regtype::oid::int as oid`);
    const textArray = type?.oid ?? 0;
    const parse = pg.types.getTypeParser(textArray);
    pg.types.setTypeParser(textArray, () => {
      throw new Error('An array was read.');
    });
    try {
      expect(await repositories.websites.find(accountId, website.id)).toEqual(website);
      for (const search of ['', 'lists.example']) {
        const { websites } = await repositories.websites.list(accountId, { order: 'newest_first', search }, 10);
        expect(websites[0]).toEqual(website);
      }
    } finally {
      pg.types.setTypeParser(textArray, parse);
    }
    await repositories.websites.delete(accountId, website.id);
  });
});

describe('visits to the database', () => {
  const visits = async (work: () => Promise<unknown>) => {
    await work().catch(() => {});
    proxy.takeRoundTrips();
    await work();
    return proxy.takeRoundTrips();
  };

  it('are one for a look-up, a change and a page', async () => {
    const [website, key] = [aWebsite({ id: newId() }), anApiKey({ id: newId(), accountId })];
    await repositories.websites.insert(accountId, website);
    await repositories.access.insertKey(key);

    expect(await visits(() => repositories.websites.find(accountId, website.id))).toBe(1);
    expect(await visits(() => repositories.access.findKeyByHash(key.hash))).toBe(1);
    expect(await visits(() => repositories.idempotency.find(accountId, 'x', new Date()))).toBe(1);
    expect(await visits(() => repositories.websites.replace(accountId, website, website.updatedAt))).toBe(1);
    expect(await visits(() => repositories.websites.delete(accountId, newId()))).toBe(1);
    expect(await visits(() => repositories.access.recordKeyUse(new Map([[key.id, new Date()]])))).toBe(1);
    for (const order of ORDERS) {
      for (const position of [undefined, positionAt(order, 'after'), positionAt(order, 'up_to')]) {
        expect(await visits(() => repositories.websites.list(accountId, { order }, 100, position))).toBe(1);
      }
    }
    await repositories.websites.delete(accountId, website.id);
  });

  it('are one for a create, with its record too, and one more where it comes to nothing', async () => {
    const add = (url: string, keyHash: string) =>
      repositories.websites.insert(accountId, aWebsite({ id: newId(), url }), {
        keyHash,
        fingerprint: 'f',
        sealedResponse: 's',
        expiresAt: new Date('2030-01-01'),
      });
    const url = () => `https://${newId()}.example`;

    expect(await visits(() => repositories.websites.insert(accountId, aWebsite({ id: newId(), url: url() })))).toBe(1);
    expect(await visits(() => add(url(), newId()))).toBe(1);
    expect(await visits(() => add(url(), 'again'))).toBe(2);
    expect(await visits(() => add('https://taken.example', newId()).catch(() => {}))).toBe(2);
  });

  it('are at most three for a search, and one in a small account', async () => {
    for (const order of ORDERS) {
      for (const search of SEARCHES) {
        const position = positionAt(order, 'after');
        expect(await visits(() => repositories.websites.list(accountId, { order, search }, 25))).toBeLessThanOrEqual(3);
        expect(
          await visits(() => repositories.websites.list(accountId, { order, search }, 25, position)),
        ).toBeLessThanOrEqual(3);
      }
    }
    const small = await addAccount(repositories);
    expect(await visits(() => repositories.websites.list(small, { order: 'newest_first', search: 'abc' }, 25))).toBe(1);
  });

  it('are none for what cannot be there', async () => {
    expect(await visits(() => repositories.websites.find(accountId, 'no id'))).toBe(0);
    expect(await visits(() => repositories.websites.list(accountId, { order: 'newest_first', search: '\0' }, 10))).toBe(
      0,
    );
    expect(await visits(() => repositories.access.findKeyByHash('\0'))).toBe(0);
  });
});

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Plan[];
}

describe('plans in an account of 100,000 websites', () => {
  let asked: Query[];
  let pool: Database;
  let recorded: Pick<TestRepositories, 'websites' | 'idempotency' | 'access' | 'directory'>;
  let client: pg.Client;

  beforeAll(async () => {
    asked = [];
    pool = openDatabase(database.url, 'api', { lost: () => {}, seen: () => {} }, () => {});
    const recording: Database = {
      ...pool,
      query: (query) => {
        asked.push(query);
        return pool.query(query);
      },
      read: async <Row>(query: Query) => (await recording.query<Row>(query)).rows,
    };
    const idempotency = createIdempotencyRepository(recording);
    recorded = {
      idempotency,
      websites: createWebsiteRepository(recording, idempotency),
      access: createAccessRepository(recording, recording),
      directory: createWebsiteDirectory(recording),
    };
    client = new pg.Client(clientConfig(database.url, 'api'));
    await client.connect();
    await startSession(client, 'api');
  });

  afterAll(async () => {
    await client.end();
    await pool.close();
  });

  /** The plans that `work` is carried out by: the one that is kept for all parameters where the statement is named. */
  const plansOf = async (work: () => Promise<unknown>): Promise<Plan[]> => {
    asked = [];
    await work();
    const plans: Plan[] = [];
    for (const { name, text, values } of asked) {
      await client.query(`set plan_cache_mode = force_${name === undefined ? 'custom' : 'generic'}_plan`);
      await client.query(`begin; prepare explained as ${text}`);
      const list = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
      // A write has been done already, and cannot be done again.
      const how = /^\s*(insert|update|delete|with kept)/.test(text) ? 'costs' : 'analyze, buffers';
      const explained = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
        `explain (${how}, format json) execute explained ${list}`,
      );
      await client.query('rollback; deallocate explained');
      plans.push(...explained.rows.flatMap((row) => row['QUERY PLAN'].map(({ Plan }) => Plan)));
    }
    return plans;
  };
  const buffersOf = (plan: Plan) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
  const scansOf = (plans: Plan[]) =>
    plans.flatMap(nodesOf).filter((node) => node['Node Type'].includes('Seq Scan') && node['Relation Name']);

  it('scan no table from end to end', async () => {
    const website = aWebsite({ id: newId(), url: 'https://plans.example' });
    const record = { keyHash: 'plans', fingerprint: 'f', sealedResponse: 's', expiresAt: new Date('2030-01-01') };
    const key = anApiKey({ id: newId(), accountId });
    const { websites, idempotency, access, directory } = recorded;
    const work = async () => {
      await websites.insert(accountId, website, record);
      await websites.insert(accountId, { ...website, id: newId() }).catch(() => {});
      await atOnce(5, () => websites.insert(accountId, { ...website, id: newId() }));
      await websites.find(accountId, website.id);
      await directory.findById(website.id);
      await directory.findByAddress('plans.example');
      await websites.replace(accountId, website, website.updatedAt);
      await websites.delete(accountId, website.id, website.createdAt);
      await websites.delete(accountId, website.id);
      await idempotency.deleteExpired(new Date(0));
      await access.insertKey(key);
      await access.findKeyByHash(key.hash);
      await access.listKeys(accountId);
      await access.listAccounts();
      await access.findAccount(accountId);
      await access.findAccount('name');
      await access.revokeKey(key.id, new Date());
      await access.recordKeyUse(new Map([[key.id, new Date()]]));
      for (const order of ORDERS) {
        for (const position of [undefined, positionAt(order, 'after'), positionAt(order, 'up_to')]) {
          await websites.list(accountId, { order }, 100, position);
          for (const search of SEARCHES) await websites.list(accountId, { order, search }, 25, position);
        }
      }
    };

    const plans = await plansOf(work);

    expect(plans.length).toBeGreaterThan(100);
    expect(scansOf(plans)).toEqual([]);
  });

  it('are kept by name for what is asked again and again, but for searches', async () => {
    asked = [];
    await recorded.websites.find(accountId, newId());
    await recorded.access.findKeyByHash('x');
    for (const order of ORDERS) await recorded.websites.list(accountId, { order }, 100);
    const names = asked.map(({ name }) => name);
    asked = [];
    for (const search of SEARCHES) await recorded.websites.list(accountId, { order: 'newest_first', search }, 100);

    expect(new Set(names).size).toBe(5);
    expect(names).not.toContain(undefined);
    expect(new Set(asked.map(({ name }) => name))).toEqual(new Set([undefined]));
  });

  it('read as little for a page far on as for the first, and no more than the count takes', async () => {
    for (const order of ORDERS) {
      const [first] = await plansOf(() => recorded.websites.list(accountId, { order }, 100));
      const [far] = await plansOf(() => recorded.websites.list(accountId, { order }, 100, positionAt(order, 'after')));
      const [back] = await plansOf(() => recorded.websites.list(accountId, { order }, 100, positionAt(order, 'up_to')));

      for (const plan of [first, far, back]) expect(plan && buffersOf(plan)).toBeLessThan(PAGE_BUFFERS);
    }
  });

  it('touch 40 blocks and one for each row at most for a page without its count, first or at 90 %', async () => {
    const at90 = { address_asc: 'zz', address_desc: '33', newest_first: '01997c3e-0000-7000-8000-000000002710' };
    for (const order of ORDERS) {
      for (const rows of [25, 100]) {
        for (const position of [undefined, { side: 'after', key: at90[order] } as const]) {
          const [plan, ...others] = await plansOf(() => recorded.websites.list(accountId, { order }, rows, position));
          const count = plan && nodesOf(plan).find((node) => node['Node Type'] === 'Aggregate');

          expect(others).toEqual([]);
          expect(plan && count && buffersOf(plan) - buffersOf(count)).toBeLessThanOrEqual(40 + rows);
        }
      }
    }
  });

  it('read little for what is rare or nowhere', async () => {
    for (const search of ['-99999', 'qqq']) {
      const plans = await plansOf(() => recorded.websites.list(accountId, { order: 'newest_first', search }, 25));

      expect(plans.map(buffersOf).reduce((sum, blocks) => sum + blocks)).toBeLessThan(1_000);
    }
  });
});

function literal(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map((item) => JSON.stringify(item)).join(',')}}`);
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString());
  return typeof value === 'string' ? pg.escapeLiteral(value) : String(value);
}
