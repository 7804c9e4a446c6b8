import { createHash } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import {
  canary,
  lookForSecrets,
  outputScanner,
  secretsScanner,
  secretsWatch,
  watchKey,
} from '../src/support/secrets.ts';

afterEach(() => {
  secretsWatch.found.length = 0;
});

test('a password, a key and a hash are found anywhere, also across two parts of a stream', () => {
  const password = canary();
  lookForSecrets(`{"detail":"${password}"}`, 'a response');
  lookForSecrets('authorization: Bearer hto_0123456789abcdef', 'a log');
  lookForSecrets('$argon2id$v=19$m=19456', 'a metric');
  const key = `hto_${'k'.repeat(40)}`;
  watchKey(key);
  lookForSecrets(`"hash":"${createHash('sha256').update(key).digest('hex')}"`, 'a list of keys');
  lookForSecrets(`"etag":"${createHash('sha256').update('no key').digest('hex')}"`, 'an etag');
  const scan = secretsScanner('a stream');
  scan(`… ${password.slice(0, 5)}`);
  scan(`${password.slice(5)} …`);

  const places = secretsWatch.found.map((text) => text.split(':')[0]);
  expect(places).toEqual(['a response', 'a log', 'a metric', 'a list of keys', 'a stream']);
});

test('a found secret is not repeated, and other text is accepted', () => {
  const password = canary();
  lookForSecrets(`password ${password}`, 'a response');
  lookForSecrets('{"has_password":true,"url":"https://canary.example"}', 'a response');

  expect(secretsWatch.found).toHaveLength(1);
  expect(secretsWatch.found.join()).not.toContain(password);
});

test('a key may be printed once, by `keys create`, and nowhere else', () => {
  const [first, second] = [`hto_${'a'.repeat(40)}`, `hto_${'b'.repeat(40)}`];
  const foundIn = (args: readonly string[], stream: 'standard output' | 'standard error', ...texts: string[]) => {
    const scan = outputScanner(args, stream);
    for (const text of texts) scan(text);
    return secretsWatch.found.splice(0).length;
  };

  expect(foundIn(['serve'], 'standard error', `authorization: Bearer ${first}\n`)).toBe(1);
  expect(foundIn(['keys', 'create'], 'standard output', `${first}\n`)).toBe(0);
  expect(foundIn(['keys', 'create'], 'standard output', `${first}\n`, `${second}\n`)).toBe(1);
  expect(foundIn(['keys', 'create'], 'standard error', `${first}\n`)).toBe(1);
  expect(foundIn(['keys', 'list'], 'standard output', `${first}\n`)).toBe(1);
});
