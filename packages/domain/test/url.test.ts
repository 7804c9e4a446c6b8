import { expect, it } from 'vitest';
import { readUrl } from '../src/base/url.ts';

it('a non-ASCII address is a URL, however often such addresses are read', () => {
  const hosts = Array.from({ length: 50_000 }, () => readUrl('https://bücher.example/ä')?.hostname);

  expect(new Set(hosts)).toEqual(new Set(['xn--bcher-kva.example']));
});

it('other text is not a URL', () => {
  expect(['', 'example.com', 'http://[::1'].map(readUrl)).toEqual([undefined, undefined, undefined]);
});
