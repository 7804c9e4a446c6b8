import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { row } from '../src/row.ts';
import { runRow } from '../src/run-row.ts';
import { startHitSenders } from '../src/support/hit-senders.ts';

test('senders of hits end with their trial, also if it fails', async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.writeHead(202).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const service = {
    program: { url: `http://127.0.0.1:${port}` },
    website: 'a website',
    postgres: { url: '' },
  };
  const failing = row('failing', 1, 'trials', {}, async (trials) => {
    await trials.each(async ({ random, open }) => {
      const senders = await open(startHitSenders(service, random));
      await senders.reach(20);
      throw new Error('The trial fails.');
    });
  });

  const { found } = await runRow({ row: failing, count: 1, isFull: false, seed: 1, progress: () => {} });
  const sent = requests;
  await sleep(100);

  expect(found).toContain('The trial fails.');
  expect(sent).toBeGreaterThanOrEqual(20);
  expect(requests).toBe(sent);
});
