import { compilePageRules } from '@hitherto/domain/visits';
import { parseWebsiteChanges, readPageRule } from '@hitherto/domain/websites';
import { describe, expect, it } from 'vitest';

describe('a page rule', () => {
  it.each([
    ['/user/*=>/user/:id', '/user/* => /user/:id'],
    ['/a/*/b/**  =>  /a/:a/b/:b-2', '/a/*/b/** => /a/:a/b/:b-2'],
    ['/caf%c3%a9 => /caf%C3%A9', '/caf%C3%A9 => /caf%C3%A9'],
    [String.raw`/\*/a* => /star/:id`, String.raw`/\*/a* => /star/:id`],
    [String.raw`/a\\* => /a/:id`, String.raw`/a\\* => /a/:id`],
    ['? filter & sort* & filter', '?filter&sort*'],
  ])('%s is %s', (line, entry) => expect(readPageRule(line)).toStrictEqual({ entry }));

  it.each([
    '/user/*',
    '/user/* => /user',
    '/user/1 => /user/:id',
    '/user/* => /user/*',
    '/user/* => user/:id',
    'user/* => /user/:id',
    '/a b => /a',
    '/a => /b => /c',
    `/${'a'.repeat(2_000)} => /a`,
    '?',
    '?a&&b',
    '?a=b',
  ])('%s is rejected', (line) => expect(readPageRule(line)).toHaveProperty('fault'));

  it('is one of at most 20', () => {
    const pageRules = Array.from({ length: 21 }, (_, index) => `?p${index}`);

    expect(() => parseWebsiteChanges({ pageRules })).toThrow(
      expect.objectContaining({ faults: [expect.objectContaining({ code: 'too_many' })] }),
    );
  });
});

describe('a shown page', () => {
  const shown = (page: string, ...rules: string[]) => compilePageRules(rules)(page);

  it('is that of the first rule that fits', () => {
    expect(shown('/user/1?a=1', '?a', '/user/* => /user/:id')).toBe('/user/1');
    expect(shown('/user/1?a=1', '?b', '/user/* => /user/:id')).toBe('/user/:id');
    expect(shown('/users', '?b', '/user/* => /user/:id')).toBe('/users');
  });

  it.each([
    ['/a?b=1', '?b', '/a'],
    ['/a?B=1&c=2&b', '?b', '/a?c=2'],
    ['/a?filter[x]=1&filter%5By%5D=2', '?filter[x]&filter[y]', '/a'],
    ['/a?bb=1&c', '?b*', '/a?c'],
    ['/a?x#/r?b=1', '?b', '/a?x#/r'],
    ['/a?x=1&y', '?*', '/a'],
  ])('%s by %s is %s', (page, rule, expected) => expect(shown(page, rule)).toBe(expected));
});
