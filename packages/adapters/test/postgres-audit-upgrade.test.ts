import { anEntry } from '@hitherto/domain/testing';
import { createDatabase, run, TEMPLATE } from '@hitherto/testing/databases';
import { expect, inject, it, onTestFinished } from 'vitest';
import { openPostgres } from '../src/postgres/index.ts';
import { newId } from '../src/system.ts';
import { undoFrom } from './undo-migrations.ts';

it('an upgrade removes the e-mail addresses of accounts from the audit trail, and nothing else', async () => {
  const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const ports = openPostgres({ connection: database.url, log: () => {} });
  onTestFinished(async () => {
    await ports.close();
    await database.drop();
  });
  const accountId = newId();
  const about = { accountId, websiteId: null, subject: { id: accountId, name: 'é' } };
  const name = { field: 'name', before: null, after: 'é' };
  const entry = (changes: readonly object[], action = 'account.updated') =>
    `insert into audit_entry (id, account_id, at, action, actor, subject, changes)
     values ('${newId()}', '${accountId}', now(), '${action}', '{}', '{}', '${JSON.stringify(changes)}')`;
  const email = (before: string | null, after: string | null) => ({ field: 'email', before, after });
  const account = { id: accountId, name: 'é', createdAt: new Date(), email: null };
  await ports.access.insertAccount(
    account,
    anEntry({ ...about, id: newId(), action: 'account.created', changes: [name] }),
  );
  await run(
    database.url,
    [
      entry([name, email(null, 'a@example.com')], 'account.created'),
      entry([email('a@example.com', 'b@example.com')]),
      entry([email('b@example.com', null)]),
      entry([{ field: 'email', change: 'set' }]),
      entry([email('0', '1')], 'website.updated'),
      undoFrom('0037-audit-without-emails'),
    ].join('; '),
  );

  await ports.migrate();

  const { entries } = await ports.audit.list(accountId, {}, 10);
  expect(entries.map(({ changes }) => changes).reverse()).toEqual([
    [name],
    [name, { field: 'email', change: 'set' }],
    [{ field: 'email', change: 'changed' }],
    [{ field: 'email', change: 'removed' }],
    [{ field: 'email', change: 'set' }],
    [email('0', '1')],
  ]);
});
