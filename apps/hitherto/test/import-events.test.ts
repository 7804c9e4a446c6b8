import { randomBytes } from 'node:crypto';
import { createInMemoryRepositories } from '@hitherto/adapters/in-memory';
import { openHitLookups } from '@hitherto/adapters/lookups';
import { newId, now } from '@hitherto/adapters/system';
import {
  addImport,
  COMMAND_LINE,
  createAccount,
  createWebsite,
  type EventOfWebsite,
  type ImportRow,
  type ImportSource,
  parseNewWebsite,
  runImport,
  timeZone,
} from '@hitherto/domain';
import { beforeEach, expect, test } from 'vitest';

// docs/sharing.md, "Webhooks": import.finished.

const SHA256 = 'ab'.repeat(32);
const lookups = await openHitLookups();

const NO_ROWS: readonly ImportRow[] = [];
const SOURCE: ImportSource = {
  format: 'hitherto',
  async *rows() {
    yield* NO_ROWS;
  },
  share: () => 1,
};

/** An import of a new website, and the events that are recorded when it runs. */
async function anImport(record?: () => Promise<void>) {
  const repositories = createInMemoryRepositories();
  const events: EventOfWebsite[] = [];
  const webhookOutbox = { record: record ?? (async (event: EventOfWebsite) => void events.push(event)) };
  const system = { newId, now, randomBytes, author: COMMAND_LINE };
  const deps = { ...repositories, webhookOutbox, lookups, zone: timeZone('UTC'), ...system };
  const { id: accountId } = await createAccount(deps, 'é');
  const passwords = { hash: async () => '', verify: async () => false };
  const input = parseNewWebsite({ url: 'https://example.com' });
  const website = { accountId, websiteId: (await createWebsite({ ...deps, passwords }, accountId, input)).id };
  const { imported } = await addImport(deps, website, SOURCE, SHA256);
  const run = (source: ImportSource = SOURCE) =>
    runImport(deps, website, imported, source, {}, { signal: new AbortController().signal });
  return { deps, website, imported, events, run };
}

let made: Awaited<ReturnType<typeof anImport>>;
beforeEach(async () => {
  made = await anImport();
});

test('an import that is done is told once, without the hash of its file', async () => {
  await made.run();

  expect(made.events.map(({ type, data }) => [type, data])).toEqual([
    [
      'import.finished',
      {
        website: { id: made.website.websiteId, url: 'https://example.com' },
        import: expect.objectContaining({ id: made.imported.id, status: 'done', problem: null }),
      },
    ],
  ]);
  expect(JSON.stringify(made.events)).not.toContain(SHA256);
});

test('an import that is deleted while it runs is not told', async () => {
  const rows = async function* () {
    await made.deps.history.remove(made.imported.id, now());
    yield* NO_ROWS;
  };

  await made.run({ ...SOURCE, rows });

  expect(made.events).toEqual([]);
});

test('an import stays done even if it cannot be told', async () => {
  const failing = await anImport(async () => {
    throw new Error('The outbox is broken.');
  });

  await expect(failing.run()).rejects.toThrow('The outbox is broken.');

  const { websiteId, accountId } = failing.website;
  const [stored] = (await failing.deps.imports.list({ accountId, websiteId })) ?? [];
  expect(stored).toMatchObject({ status: 'done', problem: null });
});
