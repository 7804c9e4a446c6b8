import type { Random } from '@hitherto/testing/random';
import type { WebsiteJson } from '@hitherto/testing/website-json';
import { type ApiResponse, allWebsites, type Client, websiteIn } from './client.ts';
import { canary } from './secrets.ts';

/** What a writer knows about a website: what was acknowledged, and the requests without a response. */
interface Known {
  /** The state after the last acknowledged write; `undefined` if it was deleted, or is not known to exist. */
  acknowledged: WebsiteJson | undefined;
  /** Later writes without a response: each is done completely or not at all. */
  unanswered: Attempt[];
}

type Attempt =
  | { readonly kind: 'create'; readonly url: string; readonly params: string }
  | { readonly kind: 'update'; readonly params: string; readonly ips: string }
  | { readonly kind: 'delete' };

/** Writers that create, update and delete until stopped, each with its own websites. */
export interface Writers {
  /** The number of writes acknowledged so far. */
  acknowledged(): number;
  /** The statuses of all responses so far. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Resolves when all writers have stopped. */
  stop(): Promise<void>;
  /**
   * Compares the stored data with what was acknowledged. A write without a response may have happened or not, but not partly.
   * @throws if a write was lost, done partly, or done without being requested
   */
  check(
    client: Client,
  ): Promise<{ readonly acknowledged: number; readonly unanswered: number; readonly happened: number }>;
}

/** Starts this many writers. A response other than 2xx means that nothing was done. */
export function startWriters(client: Client, random: Random, count = 6): Writers {
  const statuses = new Map<number, number>();
  const known = new Map<string, Known>();
  let acknowledged = 0;
  let unanswered = 0;
  let isOver = false;

  const send = async (
    method: string,
    path: string,
    form?: Record<string, string>,
  ): Promise<ApiResponse | undefined> => {
    try {
      const response = await client.request(method, path, form === undefined ? {} : { form });
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      if (response.status < 300) acknowledged += 1;
      return response;
    } catch {
      unanswered += 1;
      return undefined;
    }
  };
  /** A 503 may come after the database has done the write, so it counts as no response. */
  const isOpen = (response: ApiResponse | undefined) => response === undefined || response.status === 503;

  const write = async (name: string) => {
    for (let n = 0; !isOver; n += 1) {
      const url = `https://${name}-${n}.example`;
      const of: Known = { acknowledged: undefined, unanswered: [] };
      known.set(url, of);
      const params = random.word(8);
      const stored = await send('POST', '/api/v1/websites', { url, exclude_params: params, password: canary() });
      if (stored !== undefined && stored.status === 201) of.acknowledged = websiteIn(stored);
      else if (isOpen(stored)) of.unanswered.push({ kind: 'create', url, params });
      const { acknowledged: website } = of;
      if (website === undefined) continue;

      if (random.below(2) === 0) {
        const form = { exclude_params: random.word(8), exclude_ips: `203.0.113.${random.below(200)}` };
        const updated = await send('PATCH', `/api/v1/websites/${website.id}`, form);
        if (updated !== undefined && updated.status === 200) of.acknowledged = websiteIn(updated);
        else if (isOpen(updated)) {
          of.unanswered.push({ kind: 'update', params: form.exclude_params, ips: form.exclude_ips });
        }
      }
      if (random.below(4) === 0) {
        const destroyed = await send('DELETE', `/api/v1/websites/${website.id}`);
        if (destroyed?.status === 204) {
          of.acknowledged = undefined;
          of.unanswered = [];
        } else if (isOpen(destroyed)) of.unanswered.push({ kind: 'delete' });
      }
    }
  };
  const prefix = random.word(6);
  const running = Array.from({ length: count }, (_, index) => write(`w${prefix}${index}`));

  return {
    acknowledged: () => acknowledged,
    statuses,
    async stop() {
      isOver = true;
      await Promise.all(running);
    },
    async check(reader) {
      const stored = new Map((await allWebsites(reader)).map((website) => [website.url, website]));
      let happened = 0;
      for (const [url, of] of known) {
        const website = stored.get(url);
        if (isAsAcknowledged(website, of.acknowledged)) continue;
        if (!of.unanswered.some((attempt) => isAsAttempted(website, of.acknowledged, attempt))) {
          throw new Error(
            `${url} is ${JSON.stringify(website)}, acknowledged was ${JSON.stringify(of.acknowledged)}, unanswered ${JSON.stringify(of.unanswered)}.`,
          );
        }
        happened += 1;
      }
      return { acknowledged, unanswered, happened };
    },
  };
}

function isAsAcknowledged(website: WebsiteJson | undefined, acknowledged: WebsiteJson | undefined): boolean {
  return JSON.stringify(website) === JSON.stringify(acknowledged);
}

/** Whether the website is in the state after the complete write. */
function isAsAttempted(website: WebsiteJson | undefined, before: WebsiteJson | undefined, attempt: Attempt): boolean {
  if (attempt.kind === 'delete') return website === undefined;
  if (website === undefined) return false;
  if (attempt.kind === 'create') {
    return website.exclude_params === attempt.params && website.has_password && website.exclude_ips === null;
  }
  const after = {
    ...before,
    exclude_params: attempt.params,
    exclude_ips: attempt.ips,
    updated_at: website.updated_at,
  };
  return JSON.stringify(website) === JSON.stringify(after);
}
