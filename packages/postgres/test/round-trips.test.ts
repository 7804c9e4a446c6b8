import { addAccount } from '@hitherto/contracts/support/repositories';
import { UNRECORDED } from '@hitherto/domain/changes';
import { wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { createDatabase, rowsOf, TEMPLATE } from '@hitherto/testing/databases';
import { aCountedHit, anApiKey, aWebsite } from '@hitherto/testing/fixtures';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { fillWebsites, ORDERS, positionAt, SEARCHES } from './filled-account.ts';
import { openProxied, type Proxied } from './proxied.ts';
import { countSessions, OURS, READS } from './sessions.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
let at: Proxied;

beforeAll(async () => {
  at = await openProxied(database);
  await fillWebsites(database.url, { accountId: at.accountId, websites: 2_000, idPrefix: '01997c3e' });
});

afterAll(async () => {
  await at.close();
  await database.drop();
});

describe('the lists of websites', () => {
  test('are read as JSON, because the driver parses arrays letter by letter', async () => {
    const website = aWebsite({
      id: newId(),
      url: 'https://lists.example',
      excludedParams: ['a', '"', '\\', '{,}', 'NULL', 'é*'],
      excludedIps: ['203.0.113.7', '2001:db8::/32'],
    });
    await at.repositories.websites.insert(at.accountId, website, UNRECORDED);
    const [type] = await rowsOf<{ oid: number }>(database.url, `select 'text[]'::regtype::oid::int as oid`);
    const textArray = type?.oid ?? 0;
    const parse = pg.types.getTypeParser(textArray);
    pg.types.setTypeParser(textArray, () => {
      throw new Error('An array was read.');
    });
    try {
      expect(await at.repositories.websites.find(wholeAccount(at.accountId), website.id)).toEqual(website);
      for (const search of ['', 'lists.example']) {
        const { websites } = await at.repositories.websites.list(
          wholeAccount(at.accountId),
          { order: 'newest_first', search },
          10,
        );
        expect(websites[0]).toEqual(website);
      }
    } finally {
      pg.types.setTypeParser(textArray, parse);
    }
    await at.repositories.websites.delete(at.accountId, website.id, undefined, UNRECORDED);
  });
});

test('definitions are listed through the pool, because long lists would hold up short reads', async () => {
  const website = aWebsite({ id: newId(), url: 'https://definitions.example' });
  await at.repositories.websites.insert(at.accountId, website, UNRECORDED);
  await at.untilPipelined();

  await at.repositories.definitions.segment.list({ accountId: at.accountId, websiteId: website.id });

  const isLast = `query like '%left join "definition"%'`;
  expect(await countSessions(database.url, `${OURS} and ${isLast}`)).toBe(1);
  expect(await countSessions(database.url, `${READS} and ${isLast}`)).toBe(0);
  await at.repositories.websites.delete(at.accountId, website.id, undefined, UNRECORDED);
});

describe('round trips', () => {
  const roundTrips = async (work: () => Promise<unknown>) => {
    await work().catch(() => {});
    at.proxy.takeRoundTrips();
    await work();
    return at.proxy.takeRoundTrips();
  };

  test('a secret that was read before takes none', async () => {
    const fresh = new Uint8Array(32);

    expect(await roundTrips(() => at.repositories.secrets.secretOf('test', fresh))).toBe(0);
  });

  test('a lookup, a change and a page of a list take one', async () => {
    const [website, key] = [aWebsite({ id: newId() }), anApiKey({ id: newId(), accountId: at.accountId })];
    await at.repositories.websites.insert(at.accountId, website, UNRECORDED);
    await at.repositories.access.insertKey(key, UNRECORDED);

    expect(await roundTrips(() => at.repositories.websites.find(wholeAccount(at.accountId), website.id))).toBe(1);
    expect(await roundTrips(() => at.repositories.access.findKeyByHash(key.hash))).toBe(1);
    expect(await roundTrips(() => at.repositories.idempotency.find(at.accountId, 'x', new Date()))).toBe(1);
    expect(
      await roundTrips(() => at.repositories.websites.replace(at.accountId, website, website.updatedAt, UNRECORDED)),
    ).toBe(1);
    expect(await roundTrips(() => at.repositories.websites.delete(at.accountId, newId(), undefined, UNRECORDED))).toBe(
      1,
    );
    expect(await roundTrips(() => at.repositories.access.recordKeyUse(new Map([[key.id, new Date()]])))).toBe(1);
    for (const order of ORDERS) {
      for (const position of [undefined, positionAt(order, 'after'), positionAt(order, 'up_to')]) {
        expect(
          await roundTrips(() => at.repositories.websites.list(wholeAccount(at.accountId), { order }, 100, position)),
        ).toBe(1);
      }
    }
    await at.repositories.websites.delete(at.accountId, website.id, undefined, UNRECORDED);
  });

  test.each([true, false])(
    'a batch of hits takes one, whatever its size; for an engine outside: %s',
    async (isOutside) => {
      const website = aWebsite({ id: newId(), url: 'https://hits.example' });
      await at.repositories.websites.insert(at.accountId, website, UNRECORDED);
      await rowsOf(database.url, `update statistics_engine set is_outside = ${isOutside}`);

      for (const size of [1, 500]) {
        const hits = Array.from({ length: size }, () => aCountedHit({ websiteId: website.id }));
        expect(await roundTrips(() => at.repositories.hits.add(hits))).toBe(1);
      }
      await at.repositories.websites.delete(at.accountId, website.id, undefined, UNRECORDED);
    },
  );

  test('a create takes one, its idempotency record included, and another if it fails', async () => {
    const add = (url: string, keyHash: string) =>
      at.repositories.websites.insert(at.accountId, aWebsite({ id: newId(), url }), {
        ...UNRECORDED,
        record: {
          keyHash,
          fingerprint: 'f',
          sealedResponse: 's',
          expiresAt: new Date('2030-01-01'),
        },
      });
    const url = () => `https://${newId()}.example`;

    expect(
      await roundTrips(() =>
        at.repositories.websites.insert(at.accountId, aWebsite({ id: newId(), url: url() }), UNRECORDED),
      ),
    ).toBe(1);
    expect(await roundTrips(() => add(url(), newId()))).toBe(1);
    expect(await roundTrips(() => add(url(), 'again'))).toBe(2);
    expect(await roundTrips(() => add('https://taken.example', newId()).catch(() => {}))).toBe(2);
  });

  test('a search takes at most three, and one in a small account', async () => {
    for (const order of ORDERS) {
      for (const search of SEARCHES) {
        const position = positionAt(order, 'after');
        expect(
          await roundTrips(() => at.repositories.websites.list(wholeAccount(at.accountId), { order, search }, 25)),
        ).toBeLessThanOrEqual(3);
        expect(
          await roundTrips(() =>
            at.repositories.websites.list(wholeAccount(at.accountId), { order, search }, 25, position),
          ),
        ).toBeLessThanOrEqual(3);
      }
    }
    const small = await addAccount(at.repositories);
    expect(
      await roundTrips(() =>
        at.repositories.websites.list(wholeAccount(small), { order: 'newest_first', search: 'abc' }, 25),
      ),
    ).toBe(1);
  });

  test('what cannot exist takes none', async () => {
    expect(await roundTrips(() => at.repositories.websites.find(wholeAccount(at.accountId), 'no id'))).toBe(0);
    expect(
      await roundTrips(() =>
        at.repositories.websites.list(wholeAccount(at.accountId), { order: 'newest_first', search: '\0' }, 10),
      ),
    ).toBe(0);
    expect(await roundTrips(() => at.repositories.access.findKeyByHash('\0'))).toBe(0);
  });
});
