import { randomBytes } from 'node:crypto';

/** A fast hasher whose hashes do not contain the password in plain text. */
export const quickHasher = {
  hash: async (password: string) =>
    `$test$${Buffer.from(password).toString('base64url')}$${randomBytes(6).toString('hex')}`,
  verify: async (hash: string, password: string) => hash.split('$')[2] === Buffer.from(password).toString('base64url'),
};
