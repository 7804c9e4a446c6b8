import { expect, test } from 'vitest';
import { dataFolder, runProgram, startService } from './support/program.ts';

test('a command without the settings of the service prints links to where that is reached', async () => {
  const DATA_DIR = await dataFolder();
  const service = await startService({ DATA_DIR });
  const create = async (env: Record<string, string>) =>
    (await runProgram(['people', 'create', '--email', 'a@example.com'], { DATA_DIR, ...env })).stdout;

  expect(await create({})).toMatch(new RegExp(`^http://localhost:${new URL(service.url).port}/invitations/`));
  expect(await create({ PUBLIC_URL: 'https://stats.example' })).toMatch(/^https:\/\/stats\.example\/invitations\//);
});
