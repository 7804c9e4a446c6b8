import { beforeEach, expect, it } from 'vitest';
import { atOnce, fulfilled, type MakeRepositories, type TestRepositories } from './repositories.ts';

const secretOf = (byte: number) => new Uint8Array(32).fill(byte);

/** The contract of `SecretRepository`. */
export function secretRepositoryContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;

  beforeEach(async () => {
    repositories = await makeRepositories();
  });

  it('keeps the first secret of a purpose', async () => {
    expect(await repositories.secrets.secretOf('a', secretOf(1))).toStrictEqual(secretOf(1));
    expect(await repositories.secrets.secretOf('a', secretOf(2))).toStrictEqual(secretOf(1));
    expect(await repositories.secrets.secretOf('b', secretOf(3))).toStrictEqual(secretOf(3));
  });

  it('gives all concurrent callers the same secret, as copies', async () => {
    const secrets = fulfilled(await atOnce(8, (byte) => repositories.secrets.secretOf('a', secretOf(byte + 1))));
    const [first] = secrets.map((secret) => secret.slice());

    expect(secrets).toHaveLength(8);
    for (const secret of secrets) {
      expect(secret).toStrictEqual(first);
      secret.fill(9);
    }
    expect(await repositories.secrets.secretOf('a', secretOf(9))).toStrictEqual(first);
  });
}
