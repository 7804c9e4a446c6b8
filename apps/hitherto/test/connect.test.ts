import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startService } from './support/program.ts';

const CONNECT = 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n';

test('a client that resets its connection after CONNECT, before or after the response, does not stop the service', async () => {
  const service = await startService({ DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' }, 'listening');
  const port = Number(new URL(service.url).port);
  const reset = (when: 'written' | 'answered') =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      const now = () => socket.resetAndDestroy();
      socket.once('close', resolve).write(CONNECT, when === 'written' ? now : undefined);
      if (when === 'answered') socket.once('data', now);
    });

  await Promise.all(Array.from({ length: 10 }, () => [reset('written'), reset('answered')]).flat());
  const { status } = await fetch(`${service.url}/livez`);
  const { code, stdout } = await service.stop();

  expect([status, code]).toEqual([200, 0]);
  expect(stdout).not.toContain('stopping after an error');
});
