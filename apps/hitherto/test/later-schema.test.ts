import { rowsOf } from '@hitherto/testing/databases';
import { expect, test } from 'vitest';
import { createTestDatabase, runCommand } from './support/commands.ts';
import { runProgram } from './support/program.ts';

const RECORD = `insert into schema_migration values ('9999-later-exclusive', '2030-01-01T00:00:00.000Z')`;

test('a program that is too old for the schema ends with one sentence, and writes nothing', async () => {
  const env = await createTestDatabase();
  expect((await runCommand(['migrate'], env)).code).toBe(0);
  await rowsOf(env.DATABASE_URL, RECORD);

  const served = await runProgram(['serve'], { ...env, PORT: '0' });
  const command = await runCommand(['accounts', 'create', '--name', 'agency'], env);

  const sentence = /^hitherto: A later version of Hitherto [^.]*; start that version\.\n$/;
  expect([served.code, served.stderr]).toEqual([1, expect.stringMatching(sentence)]);
  expect([command.code, command.stderr]).toEqual([1, expect.stringMatching(sentence)]);
  expect(await rowsOf(env.DATABASE_URL, 'select from account')).toEqual([]);
});
