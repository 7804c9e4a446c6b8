import { randomBytes } from 'node:crypto';
import { createImportFiles } from '@hitherto/adapters/import-files';
import { openHitLookups } from '@hitherto/adapters/lookups';
import { createApi } from '@hitherto/api';
import { createAccount, issueKey, type KeyOptions } from '@hitherto/domain/access';
import { timeZone } from '@hitherto/domain/calendar';
import { COMMAND_LINE } from '@hitherto/domain/changes';
import type { StatisticsEngine } from '@hitherto/domain/engine';
import { createVisitors } from '@hitherto/domain/hits';
import { createImporter } from '@hitherto/domain/imports';
import type { Repositories } from '@hitherto/domain/repositories';
import { aDelivery, type fixedClock, sequentialIds } from '@hitherto/domain/testing';
import { createFailedKeyLimit, createMetrics, createServer } from '@hitherto/http';
import { pino } from 'pino';
import { secretsScanner } from './secrets.ts';

export type InProcessService = Awaited<ReturnType<typeof startInProcess>>;

/**
 * Starts the HTTP service in this process, on a free port. Its ids count up, so that two services give the same ids to the same
 * requests. Its log is watched. Password hashing is fast, because it does not depend on the adapter.
 */
export async function startInProcess(
  repositories: Repositories & StatisticsEngine,
  clock: ReturnType<typeof fixedClock>,
) {
  const newId = sequentialIds();
  const metrics = createMetrics();
  const lookups = await openHitLookups();
  const zone = timeZone('UTC');
  const importFiles = createImportFiles();
  const api = createApi({
    ...repositories,
    deliveries: aDelivery(repositories, clock.now),
    importer: createImporter({ ...repositories, importFiles, lookups, zone, now: clock.now, newId, randomBytes }),
    visitors: createVisitors(repositories.salts, randomBytes),
    lookups,
    zone,
    passwords: {
      hash: async (password) => hashOf(password),
      verify: async (hash, password) => hash === hashOf(password),
    },
    now: clock.now,
    newId,
    randomBytes,
    metrics,
    version: '0.0.0-faults',
    documented: [],
    lifecycle: { isPrepared: true, isStopping: false },
    ping: async () => {},
    failedKeys: createFailedKeyLimit(),
    rateLimitPerMinute: 0,
  });
  const logger = pino({ level: 'trace' }, { write: secretsScanner('log of the service in process') });
  const app = await createServer({ logger, metrics, trustedProxies: [] }, [api]);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const issuing = { access: repositories.access, now: clock.now, newId, randomBytes, author: COMMAND_LINE };
  return {
    url,
    createAccount: (name: string) => createAccount(issuing, name),
    issueKey: async (account: string, options?: KeyOptions) => (await issueKey(issuing, account, options)).text,
    close: () => app.close(),
  };
}

const hashOf = (password: string) => `$argon2-quick$${Buffer.from(password).toString('base64url')}`;
