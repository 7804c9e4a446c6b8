import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../row.ts';
import { type Client, openClient } from '../support/client.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { startPace } from '../support/pace.ts';
import { type Program, startProgram } from '../support/program.ts';

/** What Node takes for the heap on a machine with 1 GB. */
const HEAP_MB = 512;
const READERS_PER_SECOND = 20;
const LOOKS_PER_SECOND = 5;
const FULL_MS = 30_000;
const SMALL_MS = 5_000;
const MOST_MS = 1_000;

/** Readers of one account ask for the longest lists; one in two never reads, the other reads as fast as it can. */
export const unreadLists: Row = {
  name: 'unread-lists',
  what: `lists of 10 MB at 20/s to clients that do not read, ${HEAP_MB} MB of heap`,
  required: "the process lives; /livez and another account's show ≤ 1 s",
  unit: 'rounds',
  full: 3,
  small: 1,
  async run(trials) {
    const postgres = await startOwnPostgres();
    const env = {
      DATABASE_URL: postgres.url,
      RATE_LIMIT_PER_MINUTE: '600',
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
    };
    const program = await startProgram({ env });
    const times: number[] = [];
    let readers = 0;
    try {
      await trials.each(async ({ random, index }) => {
        const key = await postgres.issueKey(`greedy ${index} ${random.word(8)}`);
        const greedy = openClient(program.url, key);
        await createLongWebsites(greedy);
        greedy.close();
        const other = openClient(program.url, await postgres.issueKey(`other ${index} ${random.word(8)}`));
        const id = await createWebsite(other);
        const sockets: Socket[] = [];
        const reading = startPace(READERS_PER_SECOND, async (each) => {
          sockets.push(askForList(program, key, each % 2 === 0));
          readers += 1;
        });
        const looking = startPace(LOOKS_PER_SECOND, async () => {
          for (const path of ['/livez', `/api/v1/websites/${id}`]) {
            const { status, ms } = await other.request('GET', path);
            if (status !== 200) throw new Error(`${path} gets ${status}.`);
            times.push(ms);
          }
        });
        await sleep(trials.isFull ? FULL_MS : SMALL_MS);
        await reading.stop();
        await looking.stop();
        for (const socket of sockets) socket.destroy();
        other.close();
      });
    } finally {
      await program.stop();
      await postgres.close();
    }
    const slowest = Math.max(...times);
    const found = `${readers} readers; ${times.length} requests of others, the slowest ${slowest.toFixed(0)} ms`;
    if (trials.isFull && slowest > MOST_MS) throw new Error(`Others wait too long: ${found}.`);
    return found;
  },
};

/** A page of websites with lists as long as they may be. */
async function createLongWebsites(client: Client): Promise<void> {
  const names = Array.from({ length: 256 }, (_, index) => `${index}`.padEnd(255, 'x')).join('\n');
  const ips = Array.from(
    { length: 1_000 },
    (_, index) => `2001:db8:1111:2222:3333:4444:5555:${(4_096 + index).toString(16)}`,
  );
  for (let index = 0; index < 100; index += 1) {
    const json = { url: `https://long-${index}.example`, exclude_params: names, exclude_ips: ips.join('\n') };
    const { status, text } = await client.request('POST', '/api/v1/websites', { json });
    if (status !== 201) throw new Error(`A long website gets ${status}: ${text}`);
  }
}

async function createWebsite(client: Client): Promise<string> {
  const { text } = await client.request('POST', '/api/v1/websites', { json: { url: 'https://other.example' } });
  const { data }: { data: { id: string } } = JSON.parse(text);
  return data.id;
}

/** Asks for a list on a connection of its own, and reads the response or does not. */
function askForList({ url }: Program, key: string, reads: boolean): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  if (reads) socket.resume();
  else socket.pause();
  socket.write(`GET /api/v1/websites?per_page=100 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  return socket;
}
