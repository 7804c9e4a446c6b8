import { randomBytes } from 'node:crypto';
import { createPasswordHasher } from '@hitherto/adapters/password-hasher';
import { newId, now } from '@hitherto/adapters/system';
import {
  COMMAND_LINE,
  createAccount,
  createWebsite,
  issueKey,
  parseNewWebsite,
  type WebsiteInput,
} from '@hitherto/domain';
import { withRepositories } from '../database.ts';
import { readFrom } from '../load/read.ts';
import type { RunningServer } from '../servers.ts';
import type { HitWebsite } from './hits.ts';

/** An account with a write key, and its websites. */
export interface AddedWebsites {
  readonly key: string;
  readonly websites: readonly HitWebsite[];
}

/** Adds an account with public websites of these hosts. */
export function addWebsites(
  databaseUrl: string,
  hosts: readonly string[],
  fields: WebsiteInput = {},
): Promise<AddedWebsites> {
  return withRepositories(databaseUrl, async (repositories) => {
    const passwords = createPasswordHasher({ concurrency: 1, waiting: 1 });
    const deps = { ...repositories, passwords, now, newId, randomBytes, author: COMMAND_LINE };
    const account = await createAccount(deps, `of ${hosts[0]}`);
    const websites: HitWebsite[] = [];
    for (const host of hosts) {
      const input = parseNewWebsite({ privacy: 'public', ...fields, url: `https://${host}` });
      websites.push({ id: (await createWebsite(deps, account.id, input)).id, host });
    }
    return { key: (await issueKey(deps, account.id)).text, websites };
  });
}

/** Adds a single website. */
export async function addWebsite(databaseUrl: string, host: string, fields?: WebsiteInput): Promise<HitWebsite> {
  const [website] = (await addWebsites(databaseUrl, [host], fields)).websites;
  if (website === undefined) throw new Error('The website is missing.');
  return website;
}

/** Where a goal or a funnel is added, over the API. */
export interface ManagedWebsite {
  readonly server: RunningServer;
  readonly website: HitWebsite;
  readonly key: string;
}

/** Adds a goal or a funnel; returns its id. */
export async function addToWebsite(
  { server, website, key }: ManagedWebsite,
  kind: 'goals' | 'funnels',
  fields: object,
): Promise<string> {
  const path = `/api/v1/websites/${website.id}/${kind}`;
  const created = await readFrom(server, path, { key, method: 'POST', json: fields });
  const { data }: { data: { id: string } } = JSON.parse(created);
  return data.id;
}
