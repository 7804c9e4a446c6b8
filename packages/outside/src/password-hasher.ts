import { unavailable } from '@hitherto/domain/base';
import type { PasswordHasher } from '@hitherto/domain/websites';
import { hash, type Options, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';

/** argon2id (the library's default kind) with the parameters that OWASP's password storage cheat sheet asks for at least. */
const ARGON2ID: Options = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

interface PasswordHasherOptions {
  /** How many passwords are hashed at a time: each takes a core and 19 MiB from everything else. */
  readonly concurrency: number;
  /** How many may wait; more are rejected immediately, because their callers would only give up later. */
  readonly waiting: number;
}

/** A password hasher that reports how busy it is. */
interface BoundedPasswordHasher extends PasswordHasher {
  load(): { readonly active: number; readonly waiting: number };
}

/** Hashes passwords with argon2id, a bounded number at a time (api.md, "Limits"). */
export function createPasswordHasher({ concurrency, waiting }: PasswordHasherOptions): BoundedPasswordHasher {
  const limit = pLimit(concurrency);
  let admitted = 0;

  const admit = async <T>(work: () => Promise<T>): Promise<T> => {
    if (admitted >= concurrency + waiting) throw unavailable('Too many passwords are being hashed.');
    admitted += 1;
    try {
      return await limit(work);
    } finally {
      admitted -= 1;
    }
  };

  return {
    hash: (password) => admit(() => hash(password, ARGON2ID)),
    verify: (passwordHash, password) => admit(() => verify(passwordHash, password)),
    load: () => ({ active: Math.min(admitted, concurrency), waiting: Math.max(0, admitted - concurrency) }),
  };
}
