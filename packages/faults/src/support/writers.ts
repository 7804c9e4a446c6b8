import type { WebsiteJson } from '@hitherto/testing/website-json';
import { type Answer, allWebsites, type Client, websiteIn } from './client.ts';
import type { Random } from './random.ts';
import { canary } from './secrets.ts';

/** What one writer knows of one website: what was acknowledged, and what was asked and never answered. */
interface Known {
  /** As the last acknowledged write left it; `undefined` where it was destroyed or is not known to be there. */
  acknowledged: WebsiteJson | undefined;
  /** Writes after that one without an answer: each is wholly done or not done. */
  unanswered: Attempt[];
}

type Attempt =
  | { readonly kind: 'store'; readonly url: string; readonly params: string }
  | { readonly kind: 'update'; readonly params: string; readonly ips: string }
  | { readonly kind: 'destroy' };

/** Writers that store, update and destroy until they are told to stop, each its own websites. */
export interface Writers {
  /** How many writes were acknowledged so far. */
  acknowledged(): number;
  /** The statuses of all answers so far. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Resolves when all have noticed. */
  stop(): Promise<void>;
  /**
   * Compares what is stored with what was acknowledged; a write without an answer may have happened or not, but not in part.
   * @throws where a write was lost, half done, or done without having been asked for.
   */
  check(
    client: Client,
  ): Promise<{ readonly acknowledged: number; readonly unanswered: number; readonly happened: number }>;
}

/** Starts as many writers as asked for. An answer other than 2xx is taken as it should be: nothing was done. */
export function startWriters(client: Client, random: Random, count = 6): Writers {
  const statuses = new Map<number, number>();
  const known = new Map<string, Known>();
  let acknowledged = 0;
  let unanswered = 0;
  let isOver = false;

  const send = async (method: string, path: string, form?: Record<string, string>): Promise<Answer | undefined> => {
    try {
      const answer = await client.request(method, path, form === undefined ? {} : { form });
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status < 300) acknowledged += 1;
      return answer;
    } catch {
      unanswered += 1;
      return undefined;
    }
  };
  /** A 503 may come after the database has already done the write: it is as good as no answer. */
  const isOpen = (answer: Answer | undefined) => answer === undefined || answer.status === 503;

  const write = async (name: string) => {
    for (let n = 0; !isOver; n += 1) {
      const url = `https://${name}-${n}.example`;
      const of: Known = { acknowledged: undefined, unanswered: [] };
      known.set(url, of);
      const params = random.word(8);
      const stored = await send('POST', '/api/v1/websites', { url, exclude_params: params, password: canary() });
      if (stored !== undefined && stored.status === 201) of.acknowledged = websiteIn(stored);
      else if (isOpen(stored)) of.unanswered.push({ kind: 'store', url, params });
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
        } else if (isOpen(destroyed)) of.unanswered.push({ kind: 'destroy' });
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

/** Whether the website is what the write, done whole, makes of it. */
function isAsAttempted(website: WebsiteJson | undefined, before: WebsiteJson | undefined, attempt: Attempt): boolean {
  if (attempt.kind === 'destroy') return website === undefined;
  if (website === undefined) return false;
  if (attempt.kind === 'store') {
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
