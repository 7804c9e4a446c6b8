import { randomBytes } from 'node:crypto';
import { createPasswordHasher } from '@hitherto/adapters/password-hasher';
import { openPostgres } from '@hitherto/adapters/postgres';
import { newId, now } from '@hitherto/adapters/system';
import { createAccount, createWebsite, issueKey, parseNewWebsite, type WebsiteInput } from '@hitherto/domain';
import type { HitWebsite } from './hits.ts';

/** An account with a write key, and its websites. */
export interface AddedWebsites {
  readonly key: string;
  readonly websites: readonly HitWebsite[];
}

/** Adds an account with public websites of these hosts. */
export async function addWebsites(
  databaseUrl: string,
  hosts: readonly string[],
  fields: WebsiteInput = {},
): Promise<AddedWebsites> {
  const repositories = openPostgres({ connection: databaseUrl, log: () => {} });
  const passwords = createPasswordHasher({ concurrency: 1, waiting: 1 });
  const deps = { ...repositories, passwords, now, newId, randomBytes };
  try {
    const account = await createAccount(deps, `of ${hosts[0]}`);
    const websites: HitWebsite[] = [];
    for (const host of hosts) {
      const input = parseNewWebsite({ privacy: 'public', ...fields, url: `https://${host}` });
      websites.push({ id: (await createWebsite(deps, account.id, input)).id, host });
    }
    return { key: (await issueKey(deps, account.id)).text, websites };
  } finally {
    await repositories.close();
  }
}
