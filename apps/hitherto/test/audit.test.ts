import { beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type DatabaseSettings, runCommand } from './support/commands.ts';

let empty: DatabaseSettings;
beforeAll(async () => {
  empty = await createTestDatabase();
});

test('commands are in the audit trail, which a command lists', async () => {
  const run = (...args: string[]) => runCommand(args, empty);
  await run('accounts', 'create', '--name', 'agency');
  const { stdout: key } = await run('keys', 'create', '--account', 'agency', '--label', 'é 🦊');
  const { stdout: listed } = await run('keys', 'list', '--account', 'agency', '--json');
  const [{ id }] = JSON.parse(listed) as [{ id: string }];
  await run('keys', 'revoke', id);
  await run('keys', 'revoke', id);
  await run('accounts', 'set-email', 'agency', 'a@example.com');
  await run('accounts', 'set-email', 'agency', 'a@example.com');

  const json = await run('audit', 'list', '--account', 'agency', '--json');
  const table = await run('audit', 'list', '--account', 'agency');
  const earlier = await run('audit', 'list', '--account', 'agency', '--to', '2000-01-01');

  const entries = JSON.parse(json.stdout) as readonly { readonly action: string }[];
  expect(entries).toMatchObject([
    { action: 'account.updated', changes: [{ field: 'email', before: null, after: 'a@example.com' }] },
    { action: 'key.revoked', subject: { id, name: 'é 🦊' } },
    { action: 'key.created', actor: { type: 'command_line', id: null, label: null }, request_id: null, network: null },
    { action: 'account.created', website_id: null },
  ]);
  expect(json.stdout).not.toContain(key.trim());
  expect(table.stdout).toMatch(/account\.updated +agency +command_line +- +email\n/);
  expect([earlier.code, earlier.stdout, earlier.stderr]).toEqual([0, '', 'There are none.\n']);
});

test.each([
  [['--account', 'nobody'], 1, 'no account with this name'],
  [['--account', 'agency', '--from', '2026-02-30'], 2, 'written as 2026-11-20'],
  [
    ['--account', 'agency', '--from', '2026-11-20', '--to', '2026-11-19'],
    2,
    '--from 2026-11-20 must not be after --to 2026-11-19',
  ],
] as const)('audit list %j exits with %d', async (args, code, text) => {
  const ended = await runCommand(['audit', 'list', ...args], empty);

  expect(ended.stderr).toContain(text);
  expect(ended.code).toBe(code);
});
