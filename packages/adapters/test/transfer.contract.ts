import { setTimeout as sleep } from 'node:timers/promises';
import { ItemRejected, NO_COUNTS, type TransferItem } from '@hitherto/domain';
import { anAccount, anApiKey, aWebsite } from '@hitherto/domain/testing';
import { beforeEach, expect, it } from 'vitest';
import { newId } from '../src/system.ts';
import { addAccount, addWebsites, type MakeRepositories, type TestRepositories } from './repositories.ts';

async function* inTurn(items: readonly TransferItem[]): AsyncGenerator<TransferItem> {
  yield* items;
}

async function exported({ transfer }: TestRepositories): Promise<TransferItem[]> {
  const items: TransferItem[] = [];
  for await (const item of transfer.exportAll()) items.push(item);
  return items;
}

/** The items in an order that does not depend on the adapter. */
function sorted(items: readonly TransferItem[]): TransferItem[] {
  return items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** The contract of `Transfer`. */
export function transferContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;

  beforeEach(async () => {
    repositories = await makeRepositories();
  });

  /** Two accounts, each with keys and websites, with some of the same addresses. */
  const items = (): TransferItem[] => {
    const accounts = [anAccount(), anAccount({ id: newId(), name: 'b' })];
    return accounts.flatMap((account): TransferItem[] => [
      { type: 'account', account },
      { type: 'key', key: anApiKey({ id: newId(), accountId: account.id, lastUsedAt: new Date(5), label: null }) },
      { type: 'key', key: anApiKey({ id: newId(), accountId: account.id, expiresAt: new Date(6), scope: 'read' }) },
      {
        type: 'website',
        accountId: account.id,
        website: aWebsite({ id: newId(), privacy: 'password', passwordHash: 'é' }),
      },
      { type: 'website', accountId: account.id, website: aWebsite({ id: newId(), url: 'https://b.example' }) },
    ]);
  };

  it('imports what it exported, and counts it', async () => {
    const given = items();

    expect(await repositories.transfer.importAll(inTurn(given))).toEqual({
      ...NO_COUNTS,
      accounts: 2,
      keys: 4,
      websites: 4,
    });
    const taken = await exported(repositories);
    repositories = await makeRepositories();
    await repositories.transfer.importAll(inTurn(taken));

    expect(sorted(taken)).toStrictEqual(sorted(given));
    expect(sorted(await exported(repositories))).toStrictEqual(sorted(given));
    const page = await repositories.websites.list(anAccount().id, { order: 'address_asc', search: 'café' }, 10);
    expect(page.total).toBe(1);
  });

  it('exports an account before its keys and websites', async () => {
    await repositories.transfer.importAll(inTurn(items()));
    const seen = new Set<string>();

    for await (const item of repositories.transfer.exportAll()) {
      if (item.type === 'account') seen.add(item.account.id);
      else expect(seen).toContain(item.type === 'key' ? item.key.accountId : item.accountId);
    }
    expect(seen.size).toBe(2);
  });

  it('exports nothing from an empty database, and imports nothing', async () => {
    expect(await exported(repositories)).toEqual([]);
    expect(await repositories.transfer.importAll(inTurn([]))).toEqual(NO_COUNTS);
  });

  it('exports what was there when it began', async () => {
    const accountId = await addAccount(repositories);
    const urls = Array.from({ length: 1_200 }, (_, index) => `https://${index}.example`);
    const [first] = await addWebsites(repositories, accountId, urls);
    const reading = repositories.transfer.exportAll()[Symbol.asyncIterator]();
    const items = [(await reading.next()).value];

    await addWebsites(repositories, accountId, ['https://later.example']);
    await repositories.websites.delete(accountId, first?.id ?? '');
    await addAccount(repositories);
    for (let step = await reading.next(); !step.done; step = await reading.next()) items.push(step.value);

    expect(items).toHaveLength(1_201);
    expect(JSON.stringify(items)).not.toContain('later.example');
  });

  it('an export can be abandoned', async () => {
    await repositories.transfer.importAll(inTurn(items()));

    for (let round = 0; round < 20; round += 1) for await (const _ of repositories.transfer.exportAll()) break;

    expect(await exported(repositories)).toHaveLength(10);
  });

  it('imports only into a database without accounts', async () => {
    const id = await addAccount(repositories);

    await expect(repositories.transfer.importAll(inTurn(items()))).rejects.toMatchObject({ code: 'not_empty' });

    expect((await repositories.access.listAccounts()).map((account) => account.id)).toEqual([id]);
  });

  it.each<[string, (items: TransferItem[]) => TransferItem[], object]>([
    ['a key of an unknown account', ([, ...rest]) => rest, { code: 'not_found', position: 1 }],
    ['a website of an unknown account', (all) => all.toSpliced(0, 3), { code: 'not_found', position: 1 }],
    ['a website before its account', (all) => all.toReversed(), { code: 'not_found', position: 1 }],
    ['two accounts with one name', (all) => [...all, account({ name: 'b' })], { code: 'name_taken', position: 11 }],
    ['two accounts with one id', (all) => [...all, account(anAccount())], { code: 'id_taken', position: 11 }],
    ['a key twice', (all) => all.toSpliced(3, 0, ...all.slice(1, 2)), { code: 'id_taken', position: 4 }],
    ['an address twice', (all) => [...all, website('http://b.example')], { code: 'url_taken', position: 11 }],
    [
      'an alias twice',
      (all) => [...all, website('http://x.example', ['matomo:3']), website('http://y.example', ['a', 'matomo:3'])],
      { code: 'alias_taken', position: 12 },
    ],
    ['an id twice', ([...all]) => [...all, ...all.slice(4, 5).map(moved)], { code: 'id_taken', position: 11 }],
    [
      'an id in two accounts',
      (all) => [...all, ...all.slice(4, 5).map((item) => ownedBy(moved(item), all[5]))],
      { code: 'id_taken', position: 11 },
    ],
    ['an address twice, far on', (all) => [...all, ...many(170), website('http://7.example')], { position: 181 }],
  ])('imports nothing if there is %s, and says which record it is', async (_, spoil, expected) => {
    const importing = repositories.transfer.importAll(inTurn(spoil(items())));

    await expect(importing).rejects.toBeInstanceOf(ItemRejected);
    await expect(importing).rejects.toMatchObject(expected);
    expect(await exported(repositories)).toEqual([]);
  });

  it('imports nothing if its source fails', async () => {
    const failing = async function* () {
      yield* items();
      throw new Error('the file is torn');
    };

    await expect(repositories.transfer.importAll(failing())).rejects.toThrow('the file is torn');

    expect(await exported(repositories)).toEqual([]);
    expect(await repositories.transfer.importAll(inTurn(items()))).toMatchObject({ accounts: 2 });
  });

  it('lets one of two concurrent imports succeed', async () => {
    const slowly = async function* () {
      for (const item of items()) {
        await sleep(20);
        yield item;
      }
    };

    const results = await Promise.allSettled([1, 2].map(() => repositories.transfer.importAll(slowly())));

    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'not_empty' } });
    expect(await exported(repositories)).toHaveLength(10);
  });
}

/** Websites of the first account, `https://0.example` and so on. */
function many(count: number): TransferItem[] {
  return Array.from({ length: count }, (_, index) => website(`https://${index}.example`));
}

/** The website of an item with another address. */
function moved(item: TransferItem): TransferItem {
  return item.type === 'website' ? { ...item, website: { ...item.website, url: 'https://moved.example' } } : item;
}

/** The website of an item in another account. */
function ownedBy(item: TransferItem, owner: TransferItem | undefined): TransferItem {
  return item.type === 'website' && owner?.type === 'account' ? { ...item, accountId: owner.account.id } : item;
}

function account(overrides: { name: string; id?: string }): TransferItem {
  return { type: 'account', account: anAccount({ id: newId(), ...overrides }) };
}

function website(url: string, aliases: readonly string[] = []): TransferItem {
  return { type: 'website', accountId: anAccount().id, website: aWebsite({ id: newId(), url, aliases }) };
}
