import { describe, expect, test } from 'vitest';
import { InvalidFields } from '../src/base/errors.ts';
import { parseNewWebsite, parseWebsiteChanges, type WebsiteInput } from '../src/websites/website.ts';
import { faultsOf, named } from './faults.ts';

const ALL_WRONG: WebsiteInput = {
  url: 'hush',
  password: 'hush'.repeat(65),
  excludedParams: ['sid', 'hush=1'],
  excludedIps: ['hush', '::1', 'hush'],
};
const ALL_FAULTS = [
  'url invalid_url',
  'password too_long',
  'excludedParams:2 invalid_name',
  'excludedIps:1 invalid_ip',
  'excludedIps:3 invalid_ip',
];

describe.each([
  ['parseNewWebsite', parseNewWebsite],
  ['parseWebsiteChanges', parseWebsiteChanges],
])('%s: the errors of all fields at once', (_, parse) => {
  test('every error is reported', () => {
    expect(named(faultsOf(() => parse(ALL_WRONG)))).toEqual(ALL_FAULTS);
  });

  test('at most 100 errors', () => {
    const excludedIps = Array.from({ length: 150 }, () => 'née');
    const excludedParams = Array.from({ length: 150 }, () => '=');

    expect(faultsOf(() => parse({ url: 'x', excludedParams, excludedIps }))).toHaveLength(100);
    expect(faultsOf(() => parse({ url: 'https://example.com', excludedIps }))).toHaveLength(100);
  });

  test('never the offending value', () => {
    const faults = faultsOf(() => parse(ALL_WRONG));

    expect(JSON.stringify(faults)).not.toContain('hush');
  });
});

describe('parseNewWebsite', () => {
  test('a missing url and a missing password are reported with the rest', () => {
    const faults = faultsOf(() => parseNewWebsite({ privacy: 'password', excludedIps: ['née'] }));

    expect(named(faults)).toEqual(['excludedIps:1 invalid_ip', 'url required', 'password password_required']);
  });
});

describe('parseWebsiteChanges', () => {
  test('privacy "password" without its password is reported with the rest, before the stored website is known', () => {
    const faults = faultsOf(() => parseWebsiteChanges({ privacy: 'password', password: '', excludedIps: ['née'] }));

    expect(named(faults)).toEqual(['excludedIps:1 invalid_ip', 'password password_required']);
  });

  test('rules that need the stored website are not checked yet', () => {
    expect(parseWebsiteChanges({ privacy: 'password' })).toEqual({ privacy: 'password' });
    expect(parseWebsiteChanges({ password: null })).toEqual({ password: null });
  });
});

describe('InvalidFields', () => {
  test('has a stable code and a readable message', () => {
    const error = new InvalidFields([{ field: 'url', code: 'required', detail: 'A url is required.' }]);

    expect(error).toMatchObject({ name: 'InvalidFields', code: 'invalid_fields', message: 'A url is required.' });
  });
});
