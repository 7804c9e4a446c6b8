import { randomBytes } from 'node:crypto';
import { createAccount, issueKey, type KeyOptions, revokeKey } from '@hitherto/domain/access';
import { timeZone } from '@hitherto/domain/calendar';
import { COMMAND_LINE, UNRECORDED } from '@hitherto/domain/changes';
import type { CountedHit, HitLookups } from '@hitherto/domain/hits';
import { createImporter } from '@hitherto/domain/imports';
import { createCoverageReader } from '@hitherto/domain/insight';
import type { WebhookClient } from '@hitherto/domain/webhooks';
import type { Website } from '@hitherto/domain/websites';
import { openFile } from '@hitherto/files/open-file';
import { createFailedKeyLimit, createMetrics, createServer } from '@hitherto/http';
import { createInMemoryRepositories } from '@hitherto/memory';
import { passkeyChecks } from '@hitherto/outside/passkeys';
import { newId } from '@hitherto/outside/system';
import { totp } from '@hitherto/outside/totp';
import { aCountedHit, aDelivery, aWebsite, fixedClock } from '@hitherto/testing/fixtures';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import { ENGLISH } from '@hitherto/words';
import type { InjectOptions } from 'fastify';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { createPages, type PagesDependencies } from '../../src/index.ts';

/** Looks nothing up but bots. */
const NO_LOOKUPS: HitLookups = {
  crawlerOf: (userAgent) => (userAgent.includes('bot') ? { operator: userAgent, purpose: 'other' } : undefined),
  deviceOf: () => ({ browser: null, os: null, device: 'other' }),
  countryOf: () => null,
  networkOf: () => null,
  sourceOf: () => undefined,
  sourceNamed: () => undefined,
  isSpamReferrer: () => false,
};

type Overrides = Partial<PagesDependencies> & { readonly webhookClient?: WebhookClient | undefined };

/** What a test sends beside method and path. */
export interface Sent {
  /** The fields, or their encoded text. */
  readonly form?: Readonly<Record<string, string>> | string;
  readonly cookies?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly remoteAddress?: string;
}

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly text: string;
  /** The cookies that the response sets, by name; without their attributes. */
  readonly cookies: Readonly<Record<string, string>>;
}

/** A response without the request's id, and the address of the request, which a link to the sign-in form has. */
export function withoutIds({ headers, text, ...response }: Received) {
  const { 'x-request-id': _id, date: _date, 'content-length': _length, ...rest } = headers;
  return { ...response, text: text.replace(/<a href="[^"]*">sign in/, '<a>sign in'), headers: rest };
}

/** The browser of a session that no request began. */
export const NO_BROWSER = { browser: null, network: null } as const;

export type PagesUnderTest = Awaited<ReturnType<typeof startPages>>;

/** The pages on the in-memory adapters, with two accounts and a clock that stands still at 2026-11-20, 12:00 UTC. */
export async function startPages({ webhookClient, ...overrides }: Overrides = {}) {
  const zone = timeZone('UTC');
  const repositories = createInMemoryRepositories(zone);
  const clock = fixedClock();
  const issuing = { ...repositories, now: clock.now, newId, randomBytes, author: COMMAND_LINE };
  const account = await createAccount(issuing, 'Ægir & Söhne 🦊');
  const other = await createAccount(issuing, 'other');
  // The program reads files in a process of their own, which takes longer to start than most tests.
  const importFiles = { open: openFile };
  const sources = { ...repositories, importFiles, lookups: NO_LOOKUPS, zone, now: clock.now, newId, randomBytes };
  const importer = createImporter(sources);
  const logs: string[] = [];
  const app = await createServer(
    {
      logger: pino({ level: 'trace' }, { write: (line: string) => logs.push(line) }),
      metrics: createMetrics(),
      trustedProxies: [],
    },
    [
      createPages({
        ...repositories,
        importer,
        coverageReader: createCoverageReader(sources),
        passwords: quickHasher,
        totp,
        passkeyChecks,
        isCommonPassword: (password) => password === 'password123',
        onSetUp: async () => {},
        zone,
        now: clock.now,
        newId,
        randomBytes,
        failedKeys: createFailedKeyLimit(),
        lookups: NO_LOOKUPS,
        lifecycle: { isPrepared: true, isStopping: false },
        reportMailing: undefined,
        mailsPeople: false,
        hasPasswords: true,
        provider: undefined,
        deliveries: aDelivery(repositories, clock.now, webhookClient),
        publicUrl: undefined,
        version: '1.2.3',
        locale: ENGLISH,
        ...overrides,
      }),
    ],
  );

  const send = async (method: 'GET' | 'HEAD' | 'POST', path: string, sent: Sent = {}): Promise<Received> => {
    const options: InjectOptions = {
      method,
      url: path,
      headers: {
        host: 'stats.example',
        ...(sent.form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...sent.headers,
      },
      ...(sent.cookies === undefined ? {} : { cookies: { ...sent.cookies } }),
      ...(sent.form === undefined ? {} : { payload: new URLSearchParams(sent.form).toString() }),
      ...(sent.remoteAddress === undefined ? {} : { remoteAddress: sent.remoteAddress }),
    };
    const { statusCode: status, headers, body: text, cookies } = await app.inject(options);
    return { status, headers, text, cookies: Object.fromEntries(cookies.map(({ name, value }) => [name, value])) };
  };

  return {
    app,
    clock,
    repositories,
    importer,
    logs,
    accountId: account.id,
    otherAccountId: other.id,
    send,
    issueKey: async (accountId: string, options?: KeyOptions) => (await issueKey(issuing, accountId, options)).text,
    revokeKeys: async (accountId: string) => {
      for (const { id } of await repositories.access.listKeys(accountId)) await revokeKey(issuing, id);
    },
    /** Adds a website; its password is `é 🦊` where it has one. */
    addWebsite: async (overrides: Partial<Website> = {}, accountId = account.id): Promise<Website> => {
      const id = newId();
      const website = aWebsite({ id, url: `https://${id}.example`, ...overrides });
      await repositories.websites.insert(accountId, website, UNRECORDED);
      return website;
    },
    addHits: (website: Website, hits: readonly Partial<CountedHit>[]) =>
      repositories.hits.add(
        hits.map((hit) => aCountedHit({ websiteId: website.id, time: clock.now(), day: '2026-11-20', ...hit })),
      ),
  };
}

/** As `startPages`, closed when the test ends. */
export async function startPagesForTest(overrides?: Overrides): Promise<PagesUnderTest> {
  const pages = await startPages(overrides);
  onTestFinished(() => pages.app.close());
  return pages;
}

export const PASSWORD = 'é 🦊';
export const PASSWORD_HASH = await quickHasher.hash(PASSWORD);
