import { afterEach, expect, test } from 'vitest';
import { canary, lookForSecrets, secretsScanner, secretsWatch } from '../src/support/secrets.ts';

afterEach(() => {
  secretsWatch.found.length = 0;
});

test('a password, a key and a hash are found wherever they stand, also between two parts of a stream', () => {
  const password = canary();
  lookForSecrets(`{"detail":"${password}"}`, 'an answer');
  lookForSecrets('authorization: Bearer hto_0123456789abcdef', 'a log');
  lookForSecrets('$argon2id$v=19$m=19456', 'a metric');
  const scan = secretsScanner('a stream');
  scan(`… ${password.slice(0, 5)}`);
  scan(`${password.slice(5)} …`);

  expect(secretsWatch.found.map((text) => text.split(':')[0])).toEqual(['an answer', 'a log', 'a metric', 'a stream']);
});

test('what is found is not repeated, and other text is let through', () => {
  const password = canary();
  lookForSecrets(`password ${password}`, 'an answer');
  lookForSecrets('{"has_password":true,"url":"https://canary.example"}', 'an answer');

  expect(secretsWatch.found).toHaveLength(1);
  expect(secretsWatch.found.join()).not.toContain(password);
});
