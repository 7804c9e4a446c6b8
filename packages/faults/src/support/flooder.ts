// A separate program, so that the process that measures the other clients does nothing else.
import { connect } from 'node:net';
import { flood } from './flood.ts';

const [kind = '', port = '', ...keys] = process.argv.slice(2);
const SLOW_CONNECTIONS = 1_000;
/** From here on a slow client sends one byte per second. */
const BYTE_EVERY_MS = 1_000;

const get = (path: string, key?: string) =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\n${key === undefined ? '' : `Authorization: Bearer ${key}\r\n`}\r\n`;

/** Slow headers, slow bodies and slow reads, a third each. Reopens connections that the service closes. */
function crawl(): void {
  const [key = ''] = keys;
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
      drip(`POST /api/v1/websites HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${type}\r\n\r\nurl=`);
    } else socket.pause().write(get('/openapi.json').repeat(20));
    socket.on('close', () => {
      clearInterval(slow);
      setTimeout(open, BYTE_EVERY_MS, index);
    });
  };
  for (let index = 0; index < SLOW_CONNECTIONS; index += 1) setTimeout(open, 2 * index, index);
}

if (kind === 'slow') crawl();
else flood(Number(port), Number(kind), (index) => get('/api/v1/websites', keys[index % keys.length]));
