import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGunzip, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { unpacked } from '../../src/imports/unpacked.ts';

describe('a file that gzip has compressed', () => {
  it('is rejected if it unpacks to more than 1 GiB, and to over 100 times its size', async () => {
    const member = gzipSync(Buffer.alloc(2 ** 24));
    const bomb = Buffer.concat(Array.from({ length: 65 }, () => member));

    const stream = unpacked(Readable.from([bomb]), createGunzip(), bomb.length);

    await expect(finished(stream.resume())).rejects.toThrow('unpacks to more than 1 GiB');
  });
});
