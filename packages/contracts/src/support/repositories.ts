import { type IdempotencyRecord, UNRECORDED } from '@hitherto/domain/changes';
import type { StatisticsEngine } from '@hitherto/domain/engine';
import type { Repositories } from '@hitherto/domain/repositories';
import type { Website } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { anAccount, aWebsite } from '@hitherto/testing/fixtures';

/** What a contract reaches an adapter through. */
export type TestRepositories = Repositories & Pick<StatisticsEngine, 'statistics'>;

/** Makes empty repositories; those made before are no longer used. */
export type MakeRepositories = () => Promise<TestRepositories>;

/** Texts that name nothing, and must do no harm where an id or a hash is expected. */
export const HOSTILE_STRINGS = ['', 'x', '\0', 'a\0b', '\ud800', "' or 1=1 --", '🦊', '01997c3e', 'z'.repeat(10_000)];

/** Adds an account and returns its id. */
export async function addAccount({ access }: TestRepositories, name = `Ægir 🦊 ${newId()}`): Promise<string> {
  const id = newId();
  await access.insertAccount(anAccount({ id, name, email: null }), UNRECORDED);
  return id;
}

/** Adds websites of these urls, the oldest first. */
export async function addWebsites(
  { websites }: TestRepositories,
  accountId: string,
  urls: readonly string[],
): Promise<Website[]> {
  const added = urls.map((url) => aWebsite({ id: newId(), url }));
  for (const website of added) await websites.insert(accountId, website, UNRECORDED);
  return added;
}

/** An idempotency record. */
export function aRecord(overrides: Partial<IdempotencyRecord> = {}): IdempotencyRecord {
  return {
    keyHash: 'key-hash',
    fingerprint: 'fingerprint',
    sealedResponse: 'sealed',
    expiresAt: new Date('2026-11-21T12:00:00.123Z'),
    ...overrides,
  };
}
