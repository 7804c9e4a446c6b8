import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalizeEscapes, readWebUrl } from '../../src/base/url.ts';
import { compileExcludedParameters } from '../../src/hits/excluded-parameters.ts';
import { isWithin, readPagePath, readPageUrl } from '../../src/hits/page-url.ts';

const read = (text: string, ...excluded: string[]) => {
  const url = readWebUrl(text);
  return url && readPageUrl(url, compileExcludedParameters(excluded));
};
const pageOf = (path: string, ...excluded: string[]) => read(`https://ex.com${path}`, ...excluded)?.page;
const EXAMPLE = 'https://WWW.Ex.com:443/A/?Session=1&page=2&utm_source=nl&utm_campaign=x&fbclid=z&foo=1#top';

describe('the example of the contract', () => {
  test('names in full, in any letter case, and a prefix', () => {
    const page = read(EXAMPLE, 'session', 'FBCLID', 'utm_campaign', 'f*');

    expect(page).toEqual({
      host: 'ex.com',
      page: '/A?page=2',
      labels: new Map([['utm_source', 'nl']]),
      paidClick: false,
      removedParameters: [
        { name: 'Session', by: 'exclude_params' },
        { name: 'utm_source', by: 'built_in' },
        { name: 'utm_campaign', by: 'exclude_params' },
        { name: 'fbclid', by: 'exclude_params' },
        { name: 'foo', by: 'exclude_params' },
      ],
    });
  });

  test.each(['&', '*'])('with %j every parameter is removed, and labels are still read', (all) => {
    const page = read(EXAMPLE, all);

    expect(page?.page).toBe('/A');
    expect([...(page?.labels ?? [])]).toEqual([
      ['utm_source', 'nl'],
      ['utm_campaign', 'x'],
    ]);
    expect(page?.removedParameters.map(({ name, by }) => `${name} ${by}`)).toEqual([
      'Session exclude_params',
      'page exclude_params',
      'utm_source built_in',
      'utm_campaign built_in',
      'fbclid built_in',
      'foo exclude_params',
    ]);
  });
});

describe('the host', () => {
  test.each([
    ['http://user:password@www.ex.com:8080/', 'ex.com'],
    ['https://EX.com./', 'ex.com'],
    ['https://www.www.ex.com/', 'www.ex.com'],
    ['https://www.com/', 'www.com'],
    ['https://bücher.example/', 'xn--bcher-kva.example'],
    ['https://[2001:DB8::1]:8080/', '[2001:db8::1]'],
  ])('of %s is %s', (url, host) => {
    expect(read(url)?.host).toBe(host);
  });

  test.each(['ftp://ex.com/', 'javascript:alert(1)', '/a', ''])('%j is not the address of a page', (url) => {
    expect(read(url)).toBeUndefined();
  });

  test.each([
    ['ex.com', true],
    ['a.b.ex.com', true],
    ['notex.com', false],
    ['com', false],
  ])('%s is ex.com or below it: %s', (host, within) => {
    expect(isWithin(host, 'ex.com')).toBe(within);
  });
});

describe('the path', () => {
  test.each([
    ['', '/'],
    ['/', '/'],
    ['///', '/'],
    ['/A/b//', '/A/b'],
    ['/%C3%A9/%2f', '/%C3%A9/%2F'],
    ['/%e6%a9%9f%E8%83%bd', '/%E6%A9%9F%E8%83%BD'],
    ['/%41%7a%30%2d%2E%5f%7e', '/Az0-._~'],
    ['/%2525%2541', '/%2525%2541'],
    ['/%%34%31/%4%31', '/%%341/%4%31'],
    ['/a;%6Asessionid=1', '/a'],
    ['/é', '/%C3%A9'],
    ['/a^b', '/a%5Eb'],
    ['/a;jsessionid=1A', '/a'],
    ['/a/;JSESSIONID=1A/', '/a'],
    ['/a;v=1;jsessionid=2;w=3', '/a;v=1'],
    ['/a;jsessionid=1/b', '/a;jsessionid=1/b'],
    ['/;jsessionid=1', '/'],
    ['/a#top', '/a'],
    ['/100%', '/100%'],
  ])('%j becomes %j', (path, page) => {
    expect(pageOf(path)).toBe(page);
  });
});

describe('a fragment that begins with / or !/ is part of the path', () => {
  test.each([
    ['/app/#/users/', '/app#/users'],
    ['/app#!/users', '/app#!/users'],
    ['/app#/%c3%a9/%5fa?b=%5f', '/app#/%C3%A9/_a?b=_'],
    ['/app?x=1#/users?utm_source=nl&id=2', '/app?x=1#/users?id=2'],
    ['/app#/a;jsessionid=1', '/app#/a'],
    ['/app#/', '/app'],
    ['/app#!/', '/app'],
    ['/app#/?id=1', '/app#/?id=1'],
    ['/app#/a#top', '/app#/a'],
    ['/app#!a', '/app'],
    ['/app#?id=1', '/app'],
  ])('%j becomes %j', (path, page) => {
    expect(pageOf(path)).toBe(page);
  });

  test('its labels are read, after those of the query', () => {
    const page = read('https://ex.com/?utm_source=a#/b?utm_source=c&utm_medium=d');

    expect([...(page?.labels ?? [])]).toEqual([
      ['utm_source', 'a'],
      ['utm_medium', 'd'],
    ]);
  });
});

describe('the query', () => {
  test.each([
    ['/?', '/'],
    ['/?b=2&a=1&b=2', '/?b=2&a=1&b=2'],
    ['/?a=1&&b', '/?a=1&&b'],
    ['/?a=1&&utm_source=x&', '/?a=1&&'],
    ['/?&utm_source=x&&', '/'],
    ['/?a=%41+%zz&B', '/?a=A+%zz&B'],
    ['/?%61=%2b%26%c3%a9', '/?a=%2B%26%C3%A9'],
    ['/?a&&b=', '/?a&&b='],
    ['/?=1', '/?=1'],
    ['/?a=1?b', '/?a=1?b'],
    ['/?a=1;utm_source=x', '/?a=1;utm_source=x'],
  ])('%j becomes %j: the rest stays as sent, but for the spelling of escapes', (path, page) => {
    expect(pageOf(path)).toBe(page);
  });

  const BUILT_IN =
    'utm_source utm_anything ref source gclid gbraid wbraid dclid gad_source msclkid fbclid twclid ttclid li_fat_id ' +
    'yclid igsh igshid srsltid mc_cid mc_eid _ga _gl hsa_acc _hsenc _hsmi phpsessid jsessionid sessionid sid ' +
    'aspsessionidABC token access_token id_token auth password email';

  test.each(BUILT_IN.split(' '))('%s is removed by the built-in list, in any letter case', (name) => {
    const page = read(`https://ex.com/?a=1&${name.toUpperCase()}=x&${name}=y`);

    expect(page?.page).toBe('/?a=1');
    expect(page?.removedParameters).toEqual([{ name: name.toUpperCase(), by: 'built_in' }]);
  });

  test.each(['utm', 'gad', '_gat', 'refs', 'xtoken', 'aspsession'])('%s is kept', (name) => {
    expect(pageOf(`/?${name}=1`)).toBe(`/?${name}=1`);
  });

  test.each([
    ['a name with an escape', '?%73ecret=1', 'secret'],
    ['a name with "+"', '?my+name=1', 'my name'],
    ['a name beyond ASCII', '?%C3%89=1', 'é'],
    ['a malformed escape', '?a%zz=1', 'a%zz'],
    ['escapes that are no UTF-8', '?a%ff=1', 'A%FF'],
    ['a name without a value', '?secret', 'SECRET'],
    ['a prefix', '?secret_key=1', 'Secret_*'],
    ['an "*" within a name', '?a*b=1', 'a*b'],
  ])('%s is compared decoded: %s is removed by %j', (_, query, entry) => {
    expect(pageOf(`/${query}`, entry)).toBe('/');
    expect(pageOf(`/${query}`, 'other')).toBe(`/${normalizeEscapes(query)}`);
  });

  test.each([
    ['filter%5Bx%5D', '?filter[x]=1&filter%5Bx%5D=2'],
    ['%C3%89t*', '?%C3%A9t%C3%A9=1'],
    ['my+name', '?my+name=1'],
    ['my+name', '?my%2Bname=1'],
  ])('an entry may be written as in an address: %j removes %s', (entry, query) => {
    expect(pageOf(`/${query}`, entry)).toBe('/');
  });

  test('an escaped "*" or "&" in an entry stands for itself', () => {
    expect(pageOf('/?axb=1&a*=2', 'a%2A', '%26')).toBe('/?axb=1');
  });

  test('"*" inside a name stands for itself', () => {
    expect(pageOf('/?axb=1', 'a*b')).toBe('/?axb=1');
  });

  test('labels and click ids are read if a prefix removes them, but not if they are named in full', () => {
    const url = 'https://ex.com/?utm_source=a&ref=b&gclid=c';

    expect(read(url, 'utm_*', 'r*', 'g*')).toMatchObject({ paidClick: true, page: '/' });
    expect([...(read(url, 'utm_*', 'r*', 'g*')?.labels.keys() ?? [])]).toEqual(['utm_source', 'ref']);
    expect(read(url, 'utm_source', 'ref', 'gclid')).toMatchObject({ paidClick: false, labels: new Map(), page: '/' });
  });

  test('labels are decoded, trimmed, without control characters and at most 255 characters; an empty one counts as none', () => {
    const page = read(`https://ex.com/?utm_source=+%C3%A9%00+b+&utm_term=${'x'.repeat(300)}&utm_medium=+&ref=&ref=c`);

    expect([...(page?.labels ?? [])]).toEqual([
      ['utm_source', 'é  b'],
      ['utm_term', 'x'.repeat(255)],
      ['ref', 'c'],
    ]);
  });

  test('an empty click id counts as none, and that of Facebook is not paid', () => {
    expect(read('https://ex.com/?gclid=&fbclid=x')?.paidClick).toBe(false);
    expect(read('https://ex.com/?gad_source=1')?.paidClick).toBe(true);
  });
});

describe('2,000 characters', () => {
  test('path and query of 2,000 characters are kept; if they are longer, the query is removed', () => {
    const query = `?q=${'x'.repeat(1995)}`;

    expect(pageOf(`/a${query}`)).toHaveLength(2000);
    expect(pageOf(`/a${query}y`)).toBe('/a');
    expect(pageOf(`/a${query}#/b`)).toBe('/a#/b');
  });

  test('a longer path is cut', () => {
    expect(pageOf(`/${'x'.repeat(3000)}?q=1`)).toBe(`/${'x'.repeat(1999)}`);
    expect(pageOf(`/a#/${'x'.repeat(3000)}`)).toHaveLength(2000);
    expect(pageOf(`/${'é'.repeat(500)}`)).toBe(`/${'%C3%A9'.repeat(333)}`);
    expect(pageOf(`/${'x'.repeat(1998)}/../${'x'.repeat(100)}`)).toBe(`/${'x'.repeat(100)}`);
  });
});

describe('a path alone', () => {
  test.each([
    ['/a.b/c-1', '/a.b/c-1'],
    ['/', '/'],
    ['/über/', '/%C3%BCber'],
    ['/%C3%BCber', '/%C3%BCber'],
    ['/100%', '/100%25'],
    ['/a?b=1&utm_source=nl', '/a?b=1'],
    ['/#/route', '/#/route'],
    ['(other)', '(other)'],
    ['', ''],
  ])('%j becomes %j', (path, page) => {
    expect(readPagePath(path)).toBe(page);
  });

  test('is what the page of an address is, and stays so', () => {
    fc.assert(
      fc.property(fc.webPath({ size: 'large' }), (path) => {
        const page = pageOf(path) ?? '';

        expect(readPagePath(path || '/')).toBe(page);
        expect(readPagePath(page)).toBe(page);
      }),
    );
  });
});

describe('hostile addresses', () => {
  test.each([
    ['slashes', `/${'/'.repeat(4000)}a`],
    ['suffixes', `/${';jsessionid='.repeat(330)}`],
    ['parameters', `/?${'a&'.repeat(2000)}`],
    ['escapes', `/?${'%ff'.repeat(1300)}`],
    ['escapes of letters', `/${'%61'.repeat(1300)}`],
    ['malformed escapes', `/${'%'.repeat(4000)}61`],
    ['malformed escapes with a digit', `/${'%4'.repeat(2000)}61`],
  ])('%s are read in a few milliseconds', (_, path) => {
    const excluded = compileExcludedParameters(Array.from({ length: 1000 }, (_value, index) => `${index}x*`));

    // The fastest of many, so that a busy machine does not matter.
    const times = Array.from({ length: 50 }, () => {
      const start = performance.now();
      readPageUrl(new URL(`https://ex.com${path}`), excluded);
      return performance.now() - start;
    });

    expect(Math.min(...times)).toBeLessThan(5);
  });
});

describe('cleaning is idempotent', () => {
  const parts = fc.constantFrom(
    ...['/', '//', '?', '&', '=', '#', '!', '#/', '#!/', ';jsessionid=', '.', '..', '%2e', '%', '%C3%A9', '%ff', 'é'],
    ...[
      '%25',
      '%4',
      '%34%31',
      '41',
      '%6a',
      '%5f',
      '%2E',
      ';%6Asessionid=',
      '+',
      '^',
      '|',
      "'",
      '\\',
      'A',
      'utm_source',
      'gclid',
      'token',
      'secret',
      'x'.repeat(660),
      '%c3'.repeat(200),
    ],
  );
  const paths = fc.array(parts, { maxLength: 14 }).map((texts) => `/${texts.join('')}`);

  test('a cleaned page stays the same, and has at most 2,000 ASCII characters', () => {
    fc.assert(
      fc.property(paths, fc.subarray(['secret', 'A*', '&']), (path, excluded) => {
        const page = pageOf(path, ...excluded);

        expect(page).toMatch(/^\/[!-~]{0,1999}$/);
        expect(read(`https://ex.com${page}`, ...excluded)).toEqual({
          host: 'ex.com',
          page,
          labels: new Map(),
          paidClick: false,
          removedParameters: [],
        });
      }),
      { numRuns: 2000 },
    );
  });
});
