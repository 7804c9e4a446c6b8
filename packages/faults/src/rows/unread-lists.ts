import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { row } from '../row.ts';
import { type Client, create } from '../support/client.ts';
import { withNumbers } from '../support/numbers-text.ts';
import { startPace } from '../support/pace.ts';
import { startService } from '../support/service.ts';

/** The default heap of Node on a machine with 1 GB. */
const HEAP_MB = 512;
const MOST_MS = 1_000;

/** Readers of one account ask for the longest lists; one in two never reads, the other reads as fast as it can. */
export const unreadLists = row('unread-lists', 3, 'rounds', { small: 1 }, async (trials) => {
  const env = { RATE_LIMIT_PER_MINUTE: '600', NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` };
  const service = await trials.open(startService(env));
  const { hostname, port } = new URL(service.program.url);
  const times: number[] = [];
  let readers = 0;
  await trials.each(async ({ open }) => {
    const key = await service.postgres.issueKey();
    await createLongWebsites(await open(service.openClient(key)));
    const other = await open(service.openClient());
    const { id } = await create(other, { url: 'https://other.example' });
    const sockets: Socket[] = [];
    await open({ close: () => sockets.forEach((socket) => void socket.destroy()) });
    const reading = startPace(20, async (each) => {
      // Each sends a request on its own connection, and reads the response or does not.
      const socket = connect(Number(port), hostname).on('error', () => {});
      sockets.push(each % 2 === 0 ? socket.resume() : socket.pause());
      socket.write(`GET /api/v1/websites?per_page=100 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
      readers += 1;
    });
    const looking = startPace(5, async () => {
      for (const path of ['/livez', `/api/v1/websites/${id}`]) {
        times.push((await other.request('GET', path, { expects: 200 })).ms);
      }
    });
    await sleep(trials.isFull ? 30_000 : 5_000);
    await reading.stop();
    await looking.stop();
  });
  const slowest = Math.max(...times);
  const found = withNumbers`${readers} readers; ${times.length} requests of others, the slowest ${slowest} ms`;
  if (trials.isFull && slowest > MOST_MS) throw new Error(`Others wait too long: ${found}.`);
  return found;
});

/** A page of websites with lists as long as they may be. */
async function createLongWebsites(client: Client): Promise<void> {
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
  const names = numbers(256).map((index) => `${index}`.padEnd(255, 'x'));
  const ips = numbers(1_000).map((index) => `2001:db8:1111:2222:3333:4444:5555:${(4_096 + index).toString(16)}`);
  const lists = { exclude_params: names.join('\n'), exclude_ips: ips.join('\n') };
  for (const index of numbers(100)) {
    await create(client, { url: `https://long-${index}.example`, ...lists });
  }
}
