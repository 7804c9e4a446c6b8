import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readEnvFile } from '../src/installation/env-file.ts';
import { emptyFolder } from './support/program.ts';

/** The environment after the file has been read. */
async function read(content: string | Buffer, env: Record<string, string | undefined> = {}) {
  const folder = await emptyFolder();
  await writeFile(join(folder, '.env'), content);
  readEnvFile(folder, env);
  return env;
}

describe('the file .env', () => {
  test('adds its variables to the environment, whose own variables have priority, also empty ones', async () => {
    const env = await read('# é\n\nPORT=8080\r\nexport HOST = "::1" # all\nDATA_DIR=\'/srv/é # data\'\nTLS_KEY=k\n', {
      PORT: '9090',
      TLS_KEY: '',
    });

    expect(env).toEqual({ PORT: '9090', HOST: '::1', DATA_DIR: '/srv/é # data', TLS_KEY: '' });
  });

  test('may begin with a byte order mark, and quote values of several lines', async () => {
    expect(await read('\uFEFFPORT=1\nA="x\ny z\n"\nHOST=h')).toEqual({ PORT: '1', A: 'x\ny z\n', HOST: 'h' });
  });

  test('may be absent', async () => {
    const env = {};

    readEnvFile(await emptyFolder(), env);

    expect(env).toEqual({});
  });

  test.each([
    ['PORT 8080\nHOST=::1', 1],
    ['HOST=::1\n\nPORT: 8080', 3],
    ['HOST="::1\nPORT=8080', 1],
    ['HOST="\n\n"\n{"PORT":8080}', 4],
  ])('is rejected with the number of a line that sets nothing: %j', async (content, line) => {
    await expect(read(content)).rejects.toThrow(
      new RegExp(`^Line ${line} of .*/\\.env must be NAME=value, empty, or a comment after #\\.$`),
    );
  });

  test('is rejected if it is not in UTF-8, and the error has nothing of it', async () => {
    await expect(read(Buffer.from('PORT=8080', 'utf16le').fill(255, 0, 1))).rejects.toThrow(
      /\.env is not a file in UTF-8\.$/,
    );
  });

  test('is rejected if it cannot be read', async () => {
    const folder = await emptyFolder();
    await mkdir(join(folder, '.env'));

    expect(() => readEnvFile(folder, {})).toThrow(/\.env cannot be read \(EISDIR\)\.$/);
  });
});
