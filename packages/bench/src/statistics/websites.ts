import { COMMAND_LINE } from '@hitherto/domain/changes';
import { createWebsite, parseNewWebsite, type WebsiteInput } from '@hitherto/domain/websites';
import { createPasswordHasher } from '@hitherto/outside/password-hasher';
import { newId, now } from '@hitherto/outside/system';
import { addAccount } from '../api/fill.ts';
import { withRepositories } from '../database.ts';
import { readFrom } from '../load/read.ts';
import type { RunningServer } from '../servers.ts';
import type { HitWebsite } from './hits.ts';

/** At least one host. */
export type Hosts = readonly [string, ...string[]];

/** An account with a write key, and a website for each host. */
export interface AddedWebsites<H extends Hosts = Hosts> {
  readonly key: string;
  readonly websites: { [Place in keyof H]: HitWebsite };
}

/** Ten hosts. */
export function tenHosts(name: string): Hosts {
  return [`${name}-0.example`, ...Array.from({ length: 9 }, (_, n) => `${name}-${n + 1}.example`)];
}

/** Adds an account with public websites of these hosts. */
export async function addWebsites<const H extends Hosts>(
  databaseUrl: string,
  hosts: H,
  fields: WebsiteInput = {},
): Promise<AddedWebsites<H>> {
  const { id: accountId, key } = await addAccount(databaseUrl, `of ${hosts[0]}`);
  const passwords = createPasswordHasher({ concurrency: 1, waiting: 1 });
  const websites = await withRepositories(databaseUrl, async (repositories) => {
    const deps = { ...repositories, passwords, now, newId, author: COMMAND_LINE };
    const added: HitWebsite[] = [];
    for (const host of hosts) {
      const input = parseNewWebsite({ privacy: 'public', ...fields, url: `https://${host}` });
      added.push({ id: (await createWebsite(deps, accountId, input)).id, host });
    }
    return added;
  });
  // There is a website at the place of each host.
  return { key, websites: websites as AddedWebsites<H>['websites'] };
}

/** Adds a single website. */
export async function addWebsite(databaseUrl: string, host: string, fields?: WebsiteInput): Promise<HitWebsite> {
  return (await addWebsites(databaseUrl, [host], fields)).websites[0];
}

/** Where a goal or a funnel is added, over the API. */
interface ManagedWebsite {
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
