import { describe, expect, test } from 'vitest';
import { foldCase, readWebsiteUrl, searchTextOf } from '../src/websites/website-url.ts';

const matches = (url: string, search: string) => searchTextOf(url).includes(foldCase(search));

describe('searchTextOf', () => {
  test('holds the url as stored and as people write it, each on its own line', () => {
    expect(searchTextOf('https://xn--caf-dma.example:8443/a%20b/%F0%9F%A6%8A')).toBe(
      'https://xn--caf-dma.example:8443/a%20b/%f0%9f%a6%8a\nhttps://café.example:8443/a b/🦊',
    );
  });

  test('holds the url once if both forms are the same', () => {
    expect(searchTextOf('http://example.com')).toBe('http://example.com');
    expect(searchTextOf('http://[2001:db8::1]:81/a')).toBe('http://[2001:db8::1]:81/a');
    expect(searchTextOf('http://203.0.113.7')).toBe('http://203.0.113.7');
  });

  test.each([
    'café',
    'CAFÉ',
    'cafe\u0301',
    'xn--CAF',
    'é.example/Über uns',
    '%C3%9cber%20',
    'ber uns',
    'https://c',
    '.EXAMPLE',
    '/',
    '',
  ])('matches anywhere in the url, case-insensitively: %j', (search) => {
    expect(matches('https://xn--caf-dma.example/%C3%9Cber%20uns', search)).toBe(true);
  });

  test.each(['%', 'c_f', 'caf%', '\\', '.*', ' café', 'example '])(
    'takes every character of a search literally: %j',
    (search) => {
      expect(matches('https://xn--caf-dma.example', search)).toBe(false);
    },
  );

  test.each([
    ['https://example.com/100%25', '100%'],
    ['https://example.com/a_b', 'a_b'],
    ['https://example.com/a%5Cb', 'a\\b'],
  ])('finds "%%", "_" and "\\" literally: in %s', (url, search) => {
    expect(matches(url, search)).toBe(true);
  });

  test.each(['%FF%FE', '%00', '%0A', '%0d%0a', '%C2%85', '%ED%A0%80', '%C0%AF', '%zz%'])(
    'keeps an escape that is not text: %s',
    (escapes) => {
      expect(searchTextOf(`https://example.com/x${escapes}y`)).toBe(`https://example.com/x${escapes}y`.toLowerCase());
    },
  );

  test.each([
    ['%C3%A9%FF', 'é%ff'],
    ['%FF%C3%A9', '%ffé'],
    ['%0A%20b', '%0a b'],
    ['%C3%41', '%c3a'],
    ['%E4%BE%8B%F0%9F%A6%8A%E4', '例🦊%e4'],
  ])('decodes escapes of text next to other escapes: %s', (escapes, decoded) => {
    expect(searchTextOf(`https://example.com/x${escapes}y`).split('\n')[1]).toBe(`https://example.com/x${decoded}y`);
  });

  test('keeps a host that only another version of Node can decode', () => {
    expect(searchTextOf('https://xn--a.example/%20')).toContain('https://xn--a.example/ ');
  });

  test('no match spans the two forms', () => {
    const [first, second, ...rest] = searchTextOf('https://xn--caf-dma.example/%0A%E2%80%A8%0D').split('\n');

    expect(first).toBe('https://xn--caf-dma.example/%0a%e2%80%a8%0d');
    expect(second).toContain('café');
    expect(rest).toEqual([]);
  });

  test('holds the normal form, also of unusual hosts', () => {
    const sent = ['https://ab--c.d', 'https://xn--caf-dma.xn--fa-hia', 'http://[::]:1', 'http://0.0.0.0'];

    const urls = sent.map(readWebsiteUrl).flatMap((read) => ('url' in read ? [read.url] : []));

    expect(urls).toHaveLength(sent.length);
    for (const url of urls) expect(searchTextOf(url)).toContain(url);
  });
});

describe('foldCase', () => {
  test.each([
    ['ÄÖÜ', 'äöü'],
    ['A\u0308', 'ä'],
    ['ΟΔΟΣ', 'οδος'],
    ['οδός', 'ΟΔΌΣ'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['STRAẞE', 'straße'],
    ['ǅ', 'ǆ'],
    ['𐐀', '𐐨'],
    ['İ', 'i\u0307'],
    ['\u212a', 'k'],
    ['J\u030c', 'ǰ'],
    ['H\u0331', 'ẖ'],
  ])('%s and %s fold to the same', (one, other) => {
    expect(foldCase(one)).toBe(foldCase(other));
  });
});
