import { atOnce, fulfilled } from '@hitherto/testing/at-once';
import { beforeEach, expect, it } from 'vitest';
import type { MakeRepositories, TestRepositories } from './support/repositories.ts';

const secretOf = (byte: number) => new Uint8Array(32).fill(byte);

/** The contract of `SecretRepository`. */
export function secretRepositoryContract(makeRepositories: MakeRepositories, kind: 'secrets' | 'localSecrets'): void {
  let secrets: TestRepositories['secrets'];

  beforeEach(async () => {
    secrets = (await makeRepositories())[kind];
  });

  it('keeps the first secret of a purpose', async () => {
    expect(await secrets.secretOf('a', secretOf(1))).toStrictEqual(secretOf(1));
    expect(await secrets.secretOf('a', secretOf(2))).toStrictEqual(secretOf(1));
    expect(await secrets.secretOf('b', secretOf(3))).toStrictEqual(secretOf(3));
  });

  it('gives all concurrent callers the same secret, as copies', async () => {
    const given = fulfilled(await atOnce(8, (byte) => secrets.secretOf('a', secretOf(byte + 1))));
    const [first] = given.map((secret) => secret.slice());

    expect(given).toHaveLength(8);
    for (const secret of given) {
      expect(secret).toStrictEqual(first);
      secret.fill(9);
    }
    expect(await secrets.secretOf('a', secretOf(9))).toStrictEqual(first);
  });
}
