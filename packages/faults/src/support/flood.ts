import { connect, type Socket } from 'node:net';
import { startPace } from './pace.ts';

const PIPES = 20;

/** Sends requests at a steady rate on a few connections, and ignores the responses. */
export function flood(port: number, perSecond: number, next: (index: number) => string): void {
  const pipes: Socket[] = [];
  const open = (index: number) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.on('close', () => open(index)).resume();
    pipes[index] = socket;
  };
  for (let index = 0; index < PIPES; index += 1) open(index);
  startPace(perSecond, async (index) => {
    pipes[index % PIPES]?.write(next(index));
  });
}
