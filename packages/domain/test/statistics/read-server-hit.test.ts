import { describe, expect, test } from 'vitest';
import type { HitInput } from '../../src/hits/read-hit.ts';
import { readServerHit } from '../../src/hits/read-server-hit.ts';

const NOW = new Date('2026-11-20T12:00:00.123Z');
const PAGE = 'https://ex.com/é';
const HIT: HitInput = { url: PAGE, ip: '203.0.113.9' };

function faultsOf(input: HitInput): string[] {
  const read = readServerHit(input, NOW);
  return 'faults' in read ? read.faults.map(({ field, code }) => `${field} ${code}`) : [];
}

test('a server hit keeps all of its fields', () => {
  const input = {
    ...HIT,
    name: 'Order',
    props: { total: 12.5 },
    userAgent: 'Agent é',
    language: 'de-CH,de;q=0.9',
    visitor: 'customer 🦊',
    time: '2026-11-20T13:59:00.5+02:00',
  };

  const read = readServerHit(input, NOW);

  expect(read).toEqual({
    hit: { ...input, url: new URL(PAGE), time: new Date('2026-11-20T11:59:00.500Z'), sender: 'server' },
  });
});

test('a hit without a time gets the current time', () => {
  const read = readServerHit(HIT, NOW);

  expect(read).toEqual({ hit: { ...HIT, url: new URL(PAGE), time: NOW, sender: 'server' } });
});

test.each([
  ['fe80::1%eth0', 'fe80::1'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['::ffff:8.8.8.8', '8.8.8.8'],
  ['::FFFF:808:808', '8.8.8.8'],
  ['0:0:0:0:0:ffff:8.8.8.8', '8.8.8.8'],
  ['::8.8.8.8', '::808:808'],
])('the address %s is read as %s', (ip, expected) => {
  const read = readServerHit({ ...HIT, ip }, NOW);

  expect(read).toMatchObject({ hit: { ip: expected } });
});

describe('times', () => {
  test.each(['2026-11-19T12:00:00.123Z', '2026-11-20T12:05:00.123Z', '2026-11-20t11:59:60z'])(
    '%s is accepted',
    (time) => {
      expect(faultsOf({ ...HIT, time })).toEqual([]);
    },
  );

  test.each([
    ['2026-11-20T11:59:00.5Z', '2026-11-20T11:59:00.500Z'],
    ['2026-11-20T11:59:00.123999999Z', '2026-11-20T11:59:00.123Z'],
    ['2026-11-20T11:59:00.0123456789Z', '2026-11-20T11:59:00.012Z'],
    ['2026-11-20T12:59:60.99999999999999999999+01:00', '2026-11-20T11:59:59.999Z'],
  ])('%s is %s', (time, expected) => {
    const read = readServerHit({ ...HIT, time }, NOW);

    expect(read).toMatchObject({ hit: { time: new Date(expected) } });
  });

  test.each([
    '2026-11-19T12:00:00.122Z',
    '2026-11-20T12:05:00.124Z',
    '2026-11-20',
    '2026-11-20 12:00:00Z',
    '2026-11-20T12:00:00',
    '2026-13-20T12:00:00Z',
    '2026-11-20T24:00:00Z',
    '1763640000',
    '',
  ])('%j is rejected', (time) => {
    expect(faultsOf({ ...HIT, time })).toEqual(['time not_allowed']);
  });

  test('a day that does not exist is rejected', () => {
    const read = readServerHit({ ...HIT, time: '2026-02-30T12:00:00Z' }, new Date('2026-03-02T12:00:00Z'));

    expect(read).toMatchObject({ faults: [{ field: 'time', code: 'not_allowed' }] });
  });
});

describe('a refused hit', () => {
  test.each<[string, HitInput, string[]]>([
    ['without address and visitor', { url: PAGE }, ['ip required']],
    ['with a host name as its address', { ...HIT, ip: 'localhost' }, ['ip invalid_ip']],
    ['with a zone id after an IPv4 address', { ...HIT, ip: '203.0.113.9%eth0' }, ['ip invalid_ip']],
    ['with an empty visitor', { ...HIT, visitor: '' }, ['visitor required']],
    ['with a visitor of 129 characters', { ...HIT, visitor: '🦊'.repeat(129) }, ['visitor too_long']],
    ['with NUL in the visitor', { ...HIT, visitor: '\0' }, ['visitor not_allowed']],
    ['with a huge user agent', { ...HIT, userAgent: 'a'.repeat(16_385) }, ['userAgent too_long']],
    ['with a huge language', { ...HIT, language: 'a'.repeat(16_385) }, ['language too_long']],
    [
      'with faults of every kind',
      { ip: '', visitor: '', time: '' },
      ['url required', 'ip invalid_ip', 'visitor required', 'time not_allowed'],
    ],
  ])('%s', (_, input, faults) => {
    expect(faultsOf(input)).toEqual(faults);
  });
});

test('a visitor of 128 characters is enough without an address', () => {
  expect(faultsOf({ url: 'https://ex.com', visitor: '🦊'.repeat(128) })).toEqual([]);
});
