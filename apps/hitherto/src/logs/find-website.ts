import { compileSettings, DomainError, type LogDependencies, type LogWebsite, type Website } from '@hitherto/domain';
import type { Database } from '../database.ts';
import type { Settings } from '../settings.ts';

const MAX_HOSTS = 10_000;

type Ports = Pick<Database, 'directory' | 'logs' | 'statistics'>;

export interface FindOptions {
  /** The website of all lines; else each belongs to the website of its host. */
  readonly website?: string | undefined;
  /** Whether a website may have hits that were collected besides. */
  readonly also: boolean;
}

/**
 * Finds the websites of lines.
 *
 * @throws DomainError `not_found` if there is no website with the id
 */
export async function findWebsites(
  ports: Ports,
  { timeZone }: Pick<Settings, 'timeZone'>,
  { website, also }: FindOptions,
): Promise<LogDependencies['find']> {
  const use = async (found: Website): Promise<LogWebsite> => {
    if (!also) await rejectCollected(ports, found);
    return { url: found.url, settings: compileSettings(found, timeZone) };
  };
  if (website !== undefined) {
    const entry = await ports.directory.findById(website.toLowerCase());
    if (entry === undefined) throw new DomainError('not_found', 'There is no website with this id.');
    const found = await use(entry.website);
    return () => found;
  }
  const known = new Map<string, Promise<LogWebsite | undefined>>();
  const resolved = new Map<string, LogWebsite | undefined>();
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

/** The only website of the installation with this host, with or without `www.`. */
async function findByHost({ directory }: Ports, host: string): Promise<Website | undefined> {
  const other = host.startsWith('www.') ? host.slice('www.'.length) : `www.${host}`;
  for (const name of [host, other]) {
    const [first, ...more] = await directory.findByHost(name);
    if (first !== undefined) return more.length === 0 ? first.website : undefined;
  }
  return undefined;
}

function hostOf(named: string | undefined): string | undefined {
  return named?.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
}

/** A website with a tracker would count each visit twice. */
async function rejectCollected({ logs, statistics }: Ports, { id, url }: Website): Promise<void> {
  if ((await logs.hasRead(id)) || (await statistics.firstDay(id)) === undefined) return;
  throw new Error(
    `${url} has hits that were collected already, so its visits would count twice. If they were not, read the log with --also.`,
  );
}
