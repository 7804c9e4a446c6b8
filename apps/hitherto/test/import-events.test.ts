import { randomBytes } from 'node:crypto';
import { createAccount } from '@hitherto/domain/access';
import { timeZone } from '@hitherto/domain/calendar';
import { COMMAND_LINE, UNRECORDED } from '@hitherto/domain/changes';
import {
  addImport,
  endAbandonedImport,
  IMPORT_LEASE_MS,
  type ImportRow,
  type RowContent,
  runImport,
} from '@hitherto/domain/imports';
import { createResource } from '@hitherto/domain/resources';
import { parseNewWebhook, WEBHOOK } from '@hitherto/domain/webhooks';
import { createWebsite, parseNewWebsite } from '@hitherto/domain/websites';
import { createInMemoryRepositories } from '@hitherto/memory';
import { openHitLookups } from '@hitherto/outside/lookups';
import { newId, now } from '@hitherto/outside/system';
import { beforeEach, expect, test } from 'vitest';

// docs/webhooks.md: import.finished.

const SHA256 = 'ab'.repeat(32);
const lookups = await openHitLookups();

const NO_ROWS: readonly ImportRow[] = [];
const SOURCE: RowContent = {
  format: 'hitherto',
  async *rows() {
    yield NO_ROWS;
  },
  share: () => 1,
};

/** An import of a new website, and what a webhook is told of it. */
async function anImport() {
  const repositories = createInMemoryRepositories();
  const system = { newId, now, randomBytes, author: COMMAND_LINE };
  const deps = { ...repositories, lookups, zone: timeZone('UTC'), ...system };
  const { id: accountId } = await createAccount(deps, 'é');
  const passwords = { hash: async () => '', verify: async () => false };
  const input = parseNewWebsite({ url: 'https://example.com' });
  const website = { accountId, websiteId: (await createWebsite({ ...deps, passwords }, accountId, input)).id };
  const webhook = parseNewWebhook({ url: 'https://hooks.example', events: ['import.finished'] });
  await createResource(deps, WEBHOOK, { accountId }, webhook);
  const { imported } = await addImport(deps, website, SOURCE, SHA256);
  const run = (source: RowContent = SOURCE) =>
    runImport(deps, website, imported, source, {}, { signal: new AbortController().signal });
  const told = async () => {
    const events: unknown[] = [];
    const at = new Date(now().getTime() + 2 * IMPORT_LEASE_MS);
    const claim = () => deps.webhookOutbox.claim(at, new Date(at.getTime() + 60_000));
    for (let delivery = await claim(); delivery !== undefined; delivery = await claim()) {
      await deps.webhookOutbox.finish(delivery, { at, responseCode: 204, outcome: 'delivered', counts: true });
      events.push([delivery.event.type, delivery.event.data]);
    }
    return events;
  };
  return { deps, website, imported, told, run };
}

let made: Awaited<ReturnType<typeof anImport>>;
beforeEach(async () => {
  made = await anImport();
});

test('an import that is done is told once, without the hash of its file', async () => {
  const { run, told, website, imported } = made;

  await run();
  const events = await told();

  expect(events).toEqual([
    [
      'import.finished',
      {
        website: { id: website.websiteId, url: 'https://example.com' },
        import: expect.objectContaining({ id: imported.id, status: 'done', problem: null }),
      },
    ],
  ]);
  expect(JSON.stringify(events)).not.toContain(SHA256);
});

test('an import that is deleted while it runs is not told', async () => {
  const { run, told, imported, deps } = made;
  const rows = async function* () {
    await deps.staging.remove(imported.id, now(), UNRECORDED);
    yield NO_ROWS;
  };

  await run({ ...SOURCE, rows });

  expect(await told()).toEqual([]);
});

test('an import whose process died is told as failed, once, by the process that ends it', async () => {
  const { deps, told, imported } = made;
  const later = { ...deps, now: () => new Date(now().getTime() + IMPORT_LEASE_MS + 1_000) };

  expect(await endAbandonedImport(deps)).toBe(false);
  expect(await endAbandonedImport(later)).toBe(true);
  expect(await endAbandonedImport(later)).toBe(false);

  const problem = expect.objectContaining({ code: 'interrupted' });
  const failed = expect.objectContaining({ id: imported.id, status: 'failed', problem });
  expect(await told()).toEqual([['import.finished', expect.objectContaining({ import: failed })]]);
});

test('an import whose process died after its website was deleted is not told', async () => {
  const { deps, told, website } = made;
  await deps.websites.delete(website.accountId, website.websiteId, undefined, UNRECORDED);

  await endAbandonedImport({ ...deps, now: () => new Date(now().getTime() + IMPORT_LEASE_MS + 1_000) });

  expect(await told()).toEqual([]);
});
