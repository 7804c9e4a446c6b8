import { atOnce, fulfilled, rejected } from '@hitherto/testing/at-once';
import { describe, expect, it } from 'vitest';
import { createPasswordHasher } from '../src/password-hasher.ts';

describe('the password hasher', () => {
  it('makes argon2id hashes of 19 MiB and two passes, each with its own salt', async () => {
    const passwords = createPasswordHasher({ concurrency: 2, waiting: 64 });

    const [first, second] = [await passwords.hash('é 🦊'), await passwords.hash('é 🦊')];

    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(second).not.toBe(first);
    expect(await passwords.verify(first, 'é 🦊')).toBe(true);
    expect(await passwords.verify(first, 'e 🦊')).toBe(false);
  });

  it('runs two at a time, lets 64 wait, and rejects more', async () => {
    const passwords = createPasswordHasher({ concurrency: 2, waiting: 64 });

    const hashing = atOnce(70, () => passwords.hash('x'));
    expect(passwords.load()).toEqual({ active: 2, waiting: 64 });
    await expect(passwords.verify('$argon2id$', 'x')).rejects.toMatchObject({ code: 'unavailable' });

    const results = await hashing;
    expect(fulfilled(results)).toHaveLength(66);
    for (const reason of rejected(results)) expect(reason).toMatchObject({ code: 'unavailable' });
    expect(passwords.load()).toEqual({ active: 0, waiting: 0 });
    expect(await passwords.hash('x')).toMatch(/^\$argon2id/);
  });
});
