// A separate program, so that the process that measures the other clients does nothing else.
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { BROWSER } from './hit-senders.ts';
import { startPace } from './pace.ts';

/** The kind of the flood, the port, the requests a second, and then the keys to use, or the id of a website. */
const [kind = '', port = '', perSecond = '', ...given] = process.argv.slice(2);
const [website = ''] = given;
const PIPES = 20;
const SLOW_CONNECTIONS = 1_000;
/** From here on a slow client sends one byte per second. */
const BYTE_EVERY_MS = 1_000;

/** The longest page, and as many properties of the longest kind as a hit may have. */
const LONG_PAGE = `/${'p'.repeat(1_900)}`;
const LONG_PROPS = Object.fromEntries(
  Array.from({ length: 10 }, (_, n) => [`${n}`.padEnd(40, 'n'), `${n}`.padEnd(200, '🦊')]),
);
/** More than any body may have. */
const LONG_BODY = 'x'.repeat(64 * 1024);

const get = (path: string, key = '') =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\n${key === '' ? '' : `Authorization: Bearer ${key}\r\n`}\r\n`;

function hit(address: string, body: object | string, browser = BROWSER): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = `Host: a\r\nUser-Agent: ${browser}\r\nX-Forwarded-For: ${address}\r\nContent-Type: text/plain`;
  return `POST /hits HTTP/1.1\r\n${headers}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

const addressOf = (index: number) => `203.${index % 100}.${(index >> 8) % 250}.${index % 250}`;
const url = 'https://example.com';

/** By kind: the requests of a flood. */
const FLOODS: Readonly<Record<string, (index: number) => string>> = {
  lists: (index) => get('/api/v1/websites', given[index % given.length]),
  'one-address': (index) => hit('203.0.113.1', { website, url: `${url}/${index}` }),
  'many-addresses': (index) => hit(addressOf(index), { website, url: `${url}/${index}` }),
  'unknown-ids': (index) => hit(addressOf(index), { website: randomUUID(), url: `${url}/${index}` }),
  'huge-values': (index) => {
    const large = [
      [LONG_BODY],
      [{ website, url: url + LONG_PAGE, referrer: `https://${index}.example${LONG_PAGE}` }],
      [{ website, url: `${url}/${index}` }, BROWSER.padEnd(8_000, 'u')],
      [{ website, url, name: 'n'.repeat(64), props: LONG_PROPS }],
    ] as const;
    const [body, browser] = large[index % large.length] ?? large[0];
    return hit(addressOf(index), body, browser);
  },
};

/** Sends requests at a steady rate on a few connections, and ignores the responses. */
function flood(next: (index: number) => string): void {
  const pipes: Socket[] = [];
  const open = (index: number) => {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
    pipes[index] = socket.on('close', () => open(index)).resume();
  };
  for (let index = 0; index < PIPES; index += 1) open(index);
  startPace(Number(perSecond), async (index) => {
    pipes[index % PIPES]?.write(next(index));
  });
}

/** Slow headers, slow bodies and slow reads, a third each. Reopens connections that the service closes. */
function crawl(): void {
  const open = (index: number) => {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
    let slow: NodeJS.Timeout | undefined;
    const drip = (begin: string) => {
      socket.write(begin);
      slow = setInterval(() => socket.write('a'), BYTE_EVERY_MS);
      socket.resume();
    };
    if (index % 3 === 0) drip('GET /livez HTTP/1.1\r\nHost: a\r\nX-Slow: ');
    else if (index % 3 === 1) {
      const type = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000';
      drip(`POST /api/v1/websites HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${given[0]}\r\n${type}\r\n\r\nurl=`);
    } else socket.pause().write(get('/openapi.json').repeat(20));
    socket.on('close', () => {
      clearInterval(slow);
      setTimeout(open, BYTE_EVERY_MS, index);
    });
  };
  for (let index = 0; index < SLOW_CONNECTIONS; index += 1) setTimeout(open, 2 * index, index);
}

const next = FLOODS[kind];
if (next === undefined) crawl();
else flood(next);
