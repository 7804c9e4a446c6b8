import { randomBytes } from 'node:crypto';
import { createAccount, issueKey } from '@hitherto/domain/access';
import { timeZone } from '@hitherto/domain/calendar';
import { COMMAND_LINE } from '@hitherto/domain/changes';
import type { StatisticsEngine } from '@hitherto/domain/engine';
import { createVisitors } from '@hitherto/domain/hits';
import { createImporter } from '@hitherto/domain/imports';
import { createCoverageReader } from '@hitherto/domain/insight';
import type { Repositories } from '@hitherto/domain/repositories';
import { openFile } from '@hitherto/files/open-file';
import { createMetrics, createServer } from '@hitherto/http';
import { createInMemoryRepositories } from '@hitherto/memory';
import { openHitLookups } from '@hitherto/outside/lookups';
import { passkeyChecks } from '@hitherto/outside/passkeys';
import { newId } from '@hitherto/outside/system';
import { totp } from '@hitherto/outside/totp';
import { aDelivery } from '@hitherto/testing/fixtures';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import type { InjectOptions } from 'fastify';
import { pino } from 'pino';
import { loadSettings } from '../../src/installation/settings.ts';
import { facesOf } from '../../src/service/faces.ts';
import { inMemoryDatabase } from './in-memory-database.ts';

/** All faces on one server, as the program mounts them, with an account and its key. */
export async function serveFaces(
  now: () => Date,
  repositories: Repositories & StatisticsEngine = createInMemoryRepositories(),
) {
  const metrics = createMetrics();
  const logger = pino({ level: 'silent' });
  const lookups = await openHitLookups();
  const [importFiles, zone] = [{ open: openFile }, timeZone('UTC')];
  const reading = { ...repositories, importFiles, lookups, zone, now, newId, randomBytes };
  const faces = facesOf({
    importer: createImporter(reading),
    coverageReader: createCoverageReader(reading),
    settings: loadSettings({ RATE_LIMIT_PER_MINUTE: '0' }),
    database: inMemoryDatabase(repositories),
    reportMailing: undefined,
    mailsPeople: false,
    deliveries: aDelivery(repositories, now),
    passwords: quickHasher,
    totp,
    passkeyChecks,
    isCommonPassword: () => false,
    provider: undefined,
    onSetUp: async () => {},
    lookups,
    visitors: createVisitors(repositories.salts, randomBytes),
    metrics,
    version: '0.0.0-test',
    lifecycle: { isPrepared: true, isStopping: false },
    now,
    newId,
    randomBytes,
  });
  const app = await createServer({ logger, metrics, trustedProxies: [] }, faces);
  const issuing = { ...repositories, now, newId, randomBytes, author: COMMAND_LINE };
  const account = await createAccount(issuing, 'Ægir & Söhne 🦊');
  const { text: key } = await issueKey(issuing, account.id);

  return {
    app,
    repositories,
    accountId: account.id,
    key,
    send: async (method: 'GET' | 'POST', url: string, options: InjectOptions = {}) => {
      const headers = { authorization: `Bearer ${key}`, ...options.headers };
      const {
        statusCode: status,
        headers: received,
        body: text,
      } = await app.inject({
        method,
        url,
        ...options,
        headers,
      });
      return { status, headers: received, text };
    },
  };
}
