import { NO_IMPORT_COUNTS } from '@hitherto/domain';
import { createDatabase, run, TEMPLATE } from '@hitherto/testing/databases';
import { expect, inject, it, onTestFinished } from 'vitest';
import { openPostgres } from '../../src/postgres/index.ts';
import { undoFrom } from '../undo-migrations.ts';
import { anImport, NOW } from './imports-support.ts';
import { addWebsite, at, settle } from './support.ts';

it('an upgrade takes all days of a website with a log that was followed, and none of imported logs', async () => {
  const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const ports = openPostgres({ connection: database.url, log: () => {} });
  onTestFinished(async () => {
    await ports.close();
    await database.drop();
  });
  const to = { beginning: { bytes: 3, sha256: 'é' }, offset: 10, second: 1_795_175_970, linesOfSecond: 2 };
  const place = { log: 'access.log', from: undefined, to };
  const [followed, imported] = [await addWebsite(ports), await addWebsite(ports)];
  const hitOf = (websiteId: string) => at('12:00', { websiteId, day: '2026-11-20' });
  const { websiteId } = followed;
  await ports.logs.add({ ...place, websiteId, hits: [hitOf(websiteId)], dropped: [], crawled: [] });
  const ofLogs = anImport(imported.websiteId, { format: 'access-log' });
  await ports.imports.insert(imported, ofLogs);
  await ports.history.stage(ofLogs.id, [hitOf(imported.websiteId)]);
  await ports.history.publish(ofLogs.id, NO_IMPORT_COUNTS, NOW, undefined, { logs: [place], also: false });
  await settle(ports);
  await run(database.url, undoFrom('0034-followed-days'));

  await ports.migrate();

  expect(await ports.logs.followedDays(followed.websiteId)).toStrictEqual(['2026-11-20']);
  expect(await ports.logs.followedDays(imported.websiteId)).toStrictEqual([]);
});
