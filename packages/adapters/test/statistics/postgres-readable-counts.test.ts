import { NO_IMPORT_COUNTS } from '@hitherto/domain';
import { createDatabase, run, TEMPLATE } from '@hitherto/testing/databases';
import { expect, inject, it, onTestFinished } from 'vitest';
import { openPostgres } from '../../src/postgres/index.ts';
import { undoFrom } from '../undo-migrations.ts';
import { beginImport, importHits, NOW, PROBLEM, someHits, UNSTORABLE } from './imports-support.ts';
import { addWebsite } from './support.ts';

it('an upgrade mends records of imports from which PostgreSQL cannot read', async () => {
  const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const ports = openPostgres({ connection: database.url, log: () => {} });
  onTestFinished(async () => {
    await ports.close();
    await database.drop();
  });
  const website = await addWebsite(ports);
  const done = await importHits(ports, website, someHits(website.websiteId));
  const failed = await beginImport(ports, website);
  await ports.imports.fail(failed.id, PROBLEM, NO_IMPORT_COUNTS);
  const example = `\\${UNSTORABLE}\0\0\\\0\udfff\ud800`;
  const counts = { ...NO_IMPORT_COUNTS, skipped: [{ reason: 'faulty', rows: 1, example }] };
  const quoted = (value: object) => `'${JSON.stringify(value)}'`;
  await run(
    database.url,
    `update import set counts = ${quoted(counts)};
    update import set problem = ${quoted({ ...PROBLEM, detail: example })} where status = 'failed';
    ${undoFrom('0035-readable-counts')}`,
  );
  await expect(ports.imports.importedDays(website.websiteId)).rejects.toThrow('unsupported Unicode escape sequence');

  await ports.migrate();

  const mended = '\\line 3: é\ufffd \ufffd 🦊 "\\u0000"\ufffd\ufffd\\\ufffd\ufffd\ufffd';
  expect(await ports.imports.importedDays(website.websiteId)).toHaveLength(2);
  expect(await ports.imports.list(website)).toMatchObject([
    { id: done.id, problem: null, skipped: [{ example: mended }] },
    { id: failed.id, problem: { ...PROBLEM, detail: mended }, skipped: [{ example: mended }] },
  ]);
  expect(await ports.history.remove(done.id, NOW)).toBe(true);
});
