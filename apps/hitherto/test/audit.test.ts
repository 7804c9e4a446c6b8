import { dayOf, timeZone } from '@hitherto/domain/calendar';
import { COMMAND_LINE } from '@hitherto/domain/changes';
import { createWebsite, parseNewWebsite } from '@hitherto/domain/websites';
import { newId, now } from '@hitherto/outside/system';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import { beforeAll, expect, test } from 'vitest';
import { loadSettings } from '../src/installation/settings.ts';
import { createTestDatabase, type DatabaseSettings, openDatabase, runCommand } from './support/commands.ts';

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
  const set = await run('accounts', 'set-email', 'agency', 'a@example.com');
  const again = await run('accounts', 'set-email', 'agency', 'a@example.com');
  await run('accounts', 'set-email', 'agency', 'b@example.com');
  await run('accounts', 'set-email', 'agency', '--none');
  await run('accounts', 'create', '--name', 'other', '--email', 'a@example.com');

  const json = await run('audit', 'list', '--account', 'agency', '--json');
  const other = await run('audit', 'list', '--account', 'other', '--json');
  const table = await run('audit', 'list', '--account', 'agency');
  const earlier = await run('audit', 'list', '--account', 'agency', '--to', '2000-01-01');

  const entries = JSON.parse(json.stdout) as readonly { readonly action: string }[];
  expect(entries).toMatchObject([
    { action: 'account.updated', changes: [{ field: 'email', change: 'removed' }] },
    { action: 'account.updated', changes: [{ field: 'email', change: 'changed' }] },
    { action: 'account.updated', changes: [{ field: 'email', change: 'set' }] },
    { action: 'key.revoked', subject: { id, name: 'é 🦊' } },
    { action: 'key.created', actor: { type: 'command_line', id: null, label: null }, request_id: null, network: null },
    { action: 'account.created', website_id: null },
  ]);
  expect([set.stderr, again.stderr]).toEqual([
    expect.stringContaining('The address was set'),
    expect.stringContaining('Nothing changed: the account already has this address.'),
  ]);
  expect(JSON.parse(other.stdout)).toMatchObject([
    {
      changes: [
        { field: 'name', before: null, after: 'other' },
        { field: 'email', change: 'set' },
      ],
    },
  ]);
  expect(json.stdout + other.stdout).not.toContain('@example.com');
  expect(json.stdout).not.toContain(key.trim());
  expect(table.stdout).toMatch(/account\.updated +agency +command_line +- +email\n/);
  expect([earlier.code, earlier.stdout, earlier.stderr]).toEqual([0, '', 'There are none.\n']);
});

test('days of a website are in its time zone, whatever the letter case of its id', async () => {
  const env = { ...(await createTestDatabase()), TIME_ZONE: 'Pacific/Pago_Pago' };
  const { stdout } = await runCommand(['accounts', 'create', '--name', 'agency'], env);
  const database = await openDatabase(loadSettings(env), { use: 'command', log: () => {}, onProgress: () => {} });
  const deps = { ...database, passwords: quickHasher, newId, now, author: COMMAND_LINE };
  const zone = 'Pacific/Kiritimati';
  const { id, createdAt } = await createWebsite(
    deps,
    stdout.trim(),
    parseNewWebsite({ url: 'https://a.example', timeZone: zone }),
  );
  await database.close();

  // The two zones are never on the same day.
  const day = dayOf(timeZone(zone), createdAt);
  const args = ['audit', 'list', '--account', 'agency', '--website', id.toUpperCase(), '--from', day, '--to', day];
  const listed = await runCommand(args, env);

  expect(listed.stdout).toContain('website.created');
});

test.each([
  [['--account', 'nobody'], 1, 'no account with this name'],
  [['--account', 'agency', '--from', '2026-02-30'], 2, 'written as 2026-11-01'],
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

test('an argument that an error repeats cannot steer a terminal', async () => {
  const { stderr } = await runCommand(['audit', 'list', '--account', 'agency', '--from', '\u001b[2J\u202e']);

  expect(stderr).toContain(String.raw`\u001b[2J\u202e`);
  expect(stderr).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
});
