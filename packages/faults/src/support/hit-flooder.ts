// A separate program, so that the process that measures the other senders does nothing else.
import { randomUUID } from 'node:crypto';
import { flood } from './flood.ts';
import { BROWSER } from './hit-senders.ts';

const [kind = '', port = '', perSecond = '', website = ''] = process.argv.slice(2);

/** The longest page, and as many properties of the longest kind as a hit may have. */
const LONG_PAGE = `/${'p'.repeat(1_900)}`;
const LONG_PROPS = Object.fromEntries(
  Array.from({ length: 10 }, (_, n) => [`${n}`.padEnd(40, 'n'), `${n}`.padEnd(200, '🦊')]),
);
/** More than any body may have. */
const LONG_BODY = 'x'.repeat(64 * 1024);

function hit(address: string, body: object | string, browser = BROWSER): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = `Host: a\r\nUser-Agent: ${browser}\r\nX-Forwarded-For: ${address}\r\nContent-Type: text/plain`;
  return `POST /hits HTTP/1.1\r\n${headers}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

const addressOf = (index: number) => `203.${index % 100}.${(index >> 8) % 250}.${index % 250}`;
const url = 'https://example.com';

/** By kind: the requests of a flood. */
const FLOODS: Record<string, (index: number) => string> = {
  'one-address': (index) => hit('203.0.113.1', { website, url: `${url}/${index}` }),
  'many-addresses': (index) => hit(addressOf(index), { website, url: `${url}/${index}` }),
  'unknown-ids': (index) => hit(addressOf(index), { website: randomUUID(), url: `${url}/${index}` }),
  'huge-values': (index) => {
    const address = addressOf(index);
    if (index % 4 === 0) return hit(address, LONG_BODY);
    if (index % 4 === 1)
      return hit(address, { website, url: url + LONG_PAGE, referrer: `https://${index}.example${LONG_PAGE}` });
    if (index % 4 === 2) return hit(address, { website, url: `${url}/${index}` }, BROWSER.padEnd(8_000, 'u'));
    return hit(address, { website, url, name: 'n'.repeat(64), props: LONG_PROPS });
  },
};

const next = FLOODS[kind];
if (next === undefined) throw new Error(`There is no flood of the kind ${kind}.`);
flood(Number(port), Number(perSecond), next);
