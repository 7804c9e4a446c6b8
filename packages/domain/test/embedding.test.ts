import { describe, expect, test } from 'vitest';
import { readSetting } from '../src/websites/settings.ts';
import { named } from './faults.ts';

const read = (...lines: readonly string[]) => readSetting('embedOrigins', lines);

describe('the origins that may embed the statistics', () => {
  test.each([
    ['https://example.com', 'https://example.com'],
    [' HTTPS://Example.COM:443/ ', 'https://example.com'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['https://café.example', 'https://xn--caf-dma.example'],
    ['http://192.0.2.1:80', 'http://192.0.2.1'],
    ['*', '*'],
  ])('%j is stored as %j', (sent, stored) => {
    expect(read(sent)).toEqual({ value: [stored], faults: [] });
  });

  test('keep their order, without blank lines and duplicates', () => {
    expect(read('https://b.example', '', 'https://a.example', 'https://B.example/').value).toEqual([
      'https://b.example',
      'https://a.example',
    ]);
  });

  test.each([
    'example.com',
    'ftp://example.com',
    'https://*.example.com',
    'https://example.com/path',
    'https://example.com?x',
    'https://user@example.com',
    'https://[2001:db8::1]',
    'https://a_b.example',
    "https://example.com; script-src 'none'",
    'https://example.com https://other.example',
    "'self'",
    'null',
    '**',
  ])('a fault names the line of %j', (line) => {
    const { faults } = read('https://ok.example', line);

    expect(named(faults)).toEqual(['embedOrigins:2 invalid_url']);
    expect(faults[0]?.detail).toMatch(/^Line 2 /);
  });

  test('a "*" must be alone, and the fault names its line', () => {
    expect(named(read('https://a.example', '', ' * ').faults)).toEqual(['embedOrigins:3 not_allowed']);
    expect(read('*', '*', '').faults).toEqual([]);
  });

  test('are at most 20', () => {
    const most = Array.from({ length: 20 }, (_, index) => `https://${index}.example`);

    expect(read(...most).faults).toEqual([]);
    expect(named(read(...most, 'https://more.example').faults)).toEqual(['embedOrigins too_many']);
  });
});
