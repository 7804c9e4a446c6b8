import { addAccount, type TestRepositories } from '@hitherto/contracts/support/repositories';
import { UNRECORDED } from '@hitherto/domain/changes';
import { wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { atOnce } from '@hitherto/testing/at-once';
import { createDatabase, TEMPLATE } from '@hitherto/testing/databases';
import { anApiKey, aWebsite } from '@hitherto/testing/fixtures';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createAccessRepository } from '../src/access/access-repository.ts';
import { type Database, openDatabase } from '../src/connection/database.ts';
import { startSession } from '../src/connection/session.ts';
import { clientConfig } from '../src/connection/settings.ts';
import type { Query } from '../src/connection/statement.ts';
import { createIdempotencyRepository } from '../src/idempotency/idempotency-repository.ts';
import { openPostgres } from '../src/index.ts';
import { createWebsiteDirectory } from '../src/websites/website-directory.ts';
import { createWebsiteRepository } from '../src/websites/website-repository.ts';
import { fillWebsites, ORDERS, positionAt, SEARCHES, untilAllVisible } from './filled-account.ts';

/** 101 rows, the way to them, and the leaves of an index with 10,001 entries. */
const PAGE_BUFFERS = 101 + 40 + 110;

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
let accountId: string;

beforeAll(async () => {
  const repositories = openPostgres({ connection: database.url, log: () => {} });
  const other = await addAccount(repositories);
  accountId = await addAccount(repositories);
  await repositories.close();
  await fillWebsites(database.url, { accountId, websites: 100_000, idPrefix: '01997c3e' });
  await fillWebsites(database.url, { accountId: other, websites: 1_000, idPrefix: '01997c3f' });
  await untilAllVisible(database.url);
});

afterAll(() => database.drop());

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Plan[];
}

describe('statements in an account of 100,000 websites', () => {
  let statements: Query[];
  let pool: Database;
  let recorded: Pick<TestRepositories, 'websites' | 'idempotency' | 'access' | 'directory'>;
  let client: pg.Client;

  beforeAll(async () => {
    statements = [];
    pool = openDatabase(database.url, 'api', { isAway: false, lost: () => {}, seen: () => {} }, () => {});
    const recording: Database = {
      ...pool,
      query: (query) => {
        statements.push(query);
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

  /** The plans of the statements of `work`: for a prepared statement, the one for all parameters. */
  const plansOf = async (work: () => Promise<unknown>): Promise<Plan[]> => {
    statements = [];
    await work();
    const plans: Plan[] = [];
    for (const { name, text, values } of statements) {
      await client.query(`set plan_cache_mode = force_${name === undefined ? 'custom' : 'generic'}_plan`);
      await client.query(`begin; prepare explained as ${text}`);
      const list = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
      // Writes have been done already, and cannot be repeated.
      const how = /^\s*(insert|update|delete|with\s+(kept|written)\b)/.test(text) ? 'costs' : 'analyze, buffers';
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

  test('scan no table from end to end', async () => {
    const website = aWebsite({ id: newId(), url: 'https://plans.example' });
    const record = { keyHash: 'plans', fingerprint: 'f', sealedResponse: 's', expiresAt: new Date('2030-01-01') };
    const key = anApiKey({ id: newId(), accountId });
    const { websites, idempotency, access, directory } = recorded;
    const work = async () => {
      await websites.insert(accountId, website, { ...UNRECORDED, record });
      await websites.insert(accountId, { ...website, id: newId() }, UNRECORDED).catch(() => {});
      await atOnce(5, () => websites.insert(accountId, { ...website, id: newId() }, UNRECORDED));
      await websites.find(wholeAccount(accountId), website.id);
      await directory.findById(website.id);
      await directory.findOwner({ aliases: ['plans'], addresses: ['plans.example', 'www.plans.example'] });
      await directory.findByAddress('plans.example', wholeAccount(accountId));
      await directory.findByHost('plans.example', wholeAccount(accountId));
      await websites.replace(accountId, website, website.updatedAt, UNRECORDED);
      await websites.delete(accountId, website.id, website.createdAt, UNRECORDED);
      await websites.delete(accountId, website.id, undefined, UNRECORDED);
      await idempotency.deleteExpired(new Date(0));
      await access.insertKey(key, UNRECORDED);
      await access.findKeyByHash(key.hash);
      await access.listKeys(accountId);
      await access.listAccounts();
      await access.findAccount(accountId);
      await access.findAccount('name');
      await access.revokeKey(key.id, new Date(), UNRECORDED);
      await access.recordKeyUse(new Map([[key.id, new Date()]]));
      for (const order of ORDERS) {
        for (const position of [undefined, positionAt(order, 'after'), positionAt(order, 'up_to')]) {
          await websites.list(wholeAccount(accountId), { order }, 100, position);
          for (const search of SEARCHES) await websites.list(wholeAccount(accountId), { order, search }, 25, position);
        }
      }
    };

    const plans = await plansOf(work);

    expect(plans.length).toBeGreaterThan(100);
    expect(scansOf(plans)).toEqual([]);
  });

  test('are prepared by name, except searches', async () => {
    statements = [];
    await recorded.websites.find(wholeAccount(accountId), newId());
    await recorded.access.findKeyByHash('x');
    for (const order of ORDERS) await recorded.websites.list(wholeAccount(accountId), { order }, 100);
    const names = statements.map(({ name }) => name);
    statements = [];
    for (const search of SEARCHES)
      await recorded.websites.list(wholeAccount(accountId), { order: 'newest_first', search }, 100);

    expect(new Set(names).size).toBe(5);
    expect(names).not.toContain(undefined);
    expect(new Set(statements.map(({ name }) => name))).toEqual(new Set([undefined]));
  });

  test('read no more for a page far down the list than for the first', async () => {
    for (const order of ORDERS) {
      const [first] = await plansOf(() => recorded.websites.list(wholeAccount(accountId), { order }, 100));
      const [far] = await plansOf(() =>
        recorded.websites.list(wholeAccount(accountId), { order }, 100, positionAt(order, 'after')),
      );
      const [back] = await plansOf(() =>
        recorded.websites.list(wholeAccount(accountId), { order }, 100, positionAt(order, 'up_to')),
      );

      for (const plan of [first, far, back]) expect(plan && buffersOf(plan)).toBeLessThan(PAGE_BUFFERS);
    }
  });

  test('read at most 40 blocks and one per row for a page, without its total, first or at 90 %', async () => {
    const at90 = { address_asc: 'zz', address_desc: '33', newest_first: '01997c3e-0000-7000-8000-000000002710' };
    for (const order of ORDERS) {
      for (const rows of [25, 100]) {
        for (const position of [undefined, { side: 'after', key: at90[order] } as const]) {
          const [plan, ...others] = await plansOf(() =>
            recorded.websites.list(wholeAccount(accountId), { order }, rows, position),
          );
          const count = plan && nodesOf(plan).find((node) => node['Node Type'] === 'Aggregate');

          expect(others).toEqual([]);
          expect(plan && count && buffersOf(plan) - buffersOf(count)).toBeLessThanOrEqual(40 + rows);
        }
      }
    }
  });

  test('read little to search for what is rare or nowhere', async () => {
    for (const search of ['-99999', 'qqq']) {
      const plans = await plansOf(() =>
        recorded.websites.list(wholeAccount(accountId), { order: 'newest_first', search }, 25),
      );

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
