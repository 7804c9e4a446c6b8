import { writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { describe, expect, test } from 'vitest';
import { dataFolder, emptyFolder, runProgram, startService } from './support/program.ts';

describe('TLS_CERT and TLS_KEY', () => {
  test('with them the port speaks https, and only that', async () => {
    const folder = await emptyFolder();
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { keySize: 2048 });
    const [TLS_CERT, TLS_KEY] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    await Promise.all([writeFile(TLS_CERT, cert), writeFile(TLS_KEY, key)]);
    const service = await startService({ DATA_DIR: await dataFolder(), TLS_CERT, TLS_KEY });

    const status = await new Promise((resolve, reject) => {
      get(`${service.url}/livez`, { ca: cert }, (answer) => resolve(answer.resume().statusCode)).on('error', reject);
    });
    const plain = fetch(`${service.url.replace('https:', 'http:')}/livez`);

    expect(service.url).toMatch(/^https:/);
    expect(status).toBe(200);
    await expect(plain).rejects.toThrow();
    await service.stop();
  });

  test('a file that cannot be read, or holds no certificate, is named', async () => {
    const folder = await emptyFolder();
    const TLS_CERT = join(folder, 'cert.pem');
    const TLS_KEY = join(folder, 'key.pem');
    await writeFile(TLS_CERT, 'no certificate');

    const unread = await runProgram(['serve'], { DATA_DIR: await dataFolder(), TLS_CERT, TLS_KEY });
    await writeFile(TLS_KEY, 'no key');
    const unusable = await runProgram(['serve'], { DATA_DIR: await dataFolder(), TLS_CERT, TLS_KEY, PORT: '0' });

    expect([unread.code, unread.stderr]).toEqual([1, expect.stringContaining('TLS_KEY')]);
    expect([unusable.code, unusable.stderr]).toEqual([1, expect.stringContaining('TLS_CERT')]);
  });
});
