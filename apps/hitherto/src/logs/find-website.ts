import { type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import { firstCollectedDay, type LogsToImport, type WebsiteOfLog } from '@hitherto/domain/imports';
import { wholeAccount, withOrWithoutWww } from '@hitherto/domain/websites';
import { requireWebsite } from '../cli/require-website.ts';
import type { OpenedDatabase } from '../installation/database.ts';

const MAX_HOSTS = 10_000;

type FoundWebsite = NonNullable<Awaited<ReturnType<OpenedDatabase['directory']['findById']>>>;
type Ports = Pick<OpenedDatabase, 'directory' | 'imports' | 'logs' | 'statistics'>;

interface FindOptions {
  /** The website of all lines; else each belongs to the website of its host. */
  readonly website?: string | undefined;
  /** Whether a website may also have collected hits. */
  readonly also: boolean;
  /** The ids of websites that are known to have none. Found ones are added. */
  readonly checked?: Set<string>;
  /** Of the installation. */
  readonly zone: TimeZone;
  readonly now: () => Date;
}

/**
 * Finds the websites of lines.
 *
 * @throws DomainError `not_found` if there is no website with the id
 */
export async function findLogWebsites(
  ports: Ports,
  { checked = new Set<string>(), ...options }: FindOptions,
): Promise<LogsToImport['find']> {
  const use = async ({ accountId, website }: FoundWebsite): Promise<WebsiteOfLog> => {
    const found = { key: { accountId, websiteId: website.id }, website };
    if (!options.also && !checked.has(website.id)) await rejectCollected(ports, found, options);
    checked.add(website.id);
    return found;
  };
  if (options.website !== undefined) {
    const found = await use(await requireWebsite(ports.directory, options.website));
    return () => found;
  }
  const known = new Map<string, Promise<WebsiteOfLog | undefined>>();
  const resolved = new Map<string, WebsiteOfLog | undefined>();
  return (named) => {
    const host = hostOf(named);
    if (host === undefined) return undefined;
    if (resolved.has(host)) return resolved.get(host);
    // Clients can send any host.
    if (resolved.size >= MAX_HOSTS) for (const hosts of [known, resolved]) hosts.clear();
    const finding =
      known.get(host) ?? findByHost(ports, host).then((found) => (found === undefined ? found : use(found)));
    known.set(host, finding);
    return finding.then((found) => {
      resolved.set(host, found);
      return found;
    });
  };
}

/** The only website with this host, with or without `www.`, of the account that had it first. */
async function findByHost({ directory }: Ports, host: string): Promise<FoundWebsite | undefined> {
  const addresses = [host, withOrWithoutWww(host)];
  const owner = await directory.findOwner({ aliases: [], addresses });
  if (owner === undefined) return undefined;
  for (const name of addresses) {
    const [first, ...more] = await directory.findByHost(name, wholeAccount(owner));
    if (first !== undefined) return more.length === 0 ? first : undefined;
  }
  return undefined;
}

function hostOf(named: string | undefined): string | undefined {
  return named?.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
}

/** A website with a tracker would count each visit twice. Days with hits of logs do not tell whether it has one. */
async function rejectCollected(
  ports: Ports,
  { website }: WebsiteOfLog,
  { zone, now }: Pick<FindOptions, 'zone' | 'now'>,
): Promise<void> {
  const imported = await ports.imports.importedDays(website.id);
  const followed = await ports.logs.followedDays(website.id);
  const days = [...imported, ...followed.map((day) => ({ day }))];
  const from = await firstCollectedDay({ ...ports, now }, website, zoneOf(website, zone), days);
  if (from === undefined) return;
  throw new Error(
    `${website.url} has collected hits since ${from}, so visits would count twice. If this log has other visits, read it with --also.`,
  );
}
