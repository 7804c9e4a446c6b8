import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from './support/commands.ts';
import { emptyFolder } from './support/program.ts';

test.each(['', '\n', 'AAAAAAAA\n'])('a service whose secret.key is %j does not start', async (content) => {
  const DATA_DIR = await emptyFolder();
  await writeFile(join(DATA_DIR, 'secret.key'), content);

  const { code, stderr } = await runCommand(['serve'], { DATA_DIR });

  expect([code, stderr]).toEqual([1, expect.stringContaining('secret.key does not have a whole key')]);
  if (content.trim() !== '') expect(stderr).not.toContain(content.trim());
});
