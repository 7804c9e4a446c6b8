import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';

const MEBIBYTE = 1_048_576;
const LIMIT = 8 * MEBIBYTE;

/** The bytes that fit on the disk of temporary files; then writes go to a device that is always full. */
const disk = vi.hoisted(() => ({ room: Number.POSITIVE_INFINITY, hasRoomForFolders: true }));

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>();
  const full = fs.openSync('/dev/full', 'w');
  const write = (file: number, chunk: Buffer, ...rest: [number, number, number, () => void]) => {
    disk.room -= chunk.length;
    fs.write(disk.room < 0 ? full : file, chunk, ...rest);
  };
  const createWriteStream = (path: string, options: object) =>
    fs.createWriteStream(path, { ...options, fs: { open: fs.open, close: fs.close, write } });
  return { ...fs, createWriteStream };
});

vi.mock('node:fs/promises', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs/promises')>();
  const mkdtemp = async (prefix: string) => {
    if (!disk.hasRoomForFolders) throw Object.assign(new Error('No space left on device.'), { code: 'ENOSPC' });
    return fs.mkdtemp(prefix);
  };
  return { ...fs, mkdtemp };
});

// Other files share their loaded modules, which write to the real disk.
let http: typeof import('../src/index.ts');
beforeAll(async () => {
  vi.resetModules();
  http = await import('../src/index.ts');
});
afterAll(() => {
  vi.doUnmock('node:fs');
  vi.doUnmock('node:fs/promises');
  vi.resetModules();
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hitherto-received-'));
  vi.stubEnv('TMPDIR', folder);
  disk.room = Number.POSITIVE_INFINITY;
  disk.hasRoomForFolders = true;
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
});

test('folders of killed processes are removed, and those of others stay', async () => {
  const { pid: killed } = spawnSync(process.execPath, ['--version']);
  const others = [
    `hitherto-import-${hostname()}-${process.ppid}-a`,
    `hitherto-import-else.where-${killed}-b`,
    'hitherto-held-c',
  ];
  for (const name of [`hitherto-import-${hostname()}-${killed}-d`, ...others]) mkdirSync(join(folder, name));
  const own = basename(await http.makeFileFolder());

  await http.removeAbandonedFolders(new Date());

  expect(readdirSync(folder).sort()).toEqual([...others, own].sort());
});

/** A server that receives files, and the port it listens on. */
async function listen(): Promise<number> {
  const { allowSlowBody, createMetrics, createServer, receiveFile, sendProblem } = http;
  const app = await createServer({ logger: pino({ level: 'silent' }), metrics: createMetrics(), trustedProxies: [] }, [
    {
      sendError: sendProblem,
      register(scope) {
        scope.removeAllContentTypeParsers();
        scope.addContentTypeParser('*', (request, payload, done) => {
          allowSlowBody(request.raw);
          done(null, payload);
        });
        scope.post('/files', async ({ body }) => {
          if (!(body instanceof Readable)) throw new Error('There is no body.');
          const { bytes, remove } = await receiveFile(body, LIMIT);
          await remove();
          return { bytes };
        });
      },
    },
  ]);
  await app.listen();
  onTestFinished(() => app.close());
  return (app.server.address() as AddressInfo).port;
}

/**
 * Sends a body as browsers do: all of it, before the response is read. It is one write, because Node's client never goes on
 * with a stream that waits for the socket to drain when the response ends.
 */
async function upload(port: number, bytes: number): Promise<{ readonly status: number; readonly text: string }> {
  const request = send({ port, path: '/files', method: 'POST', headers: { 'content-type': 'text/csv' } });
  const responded = once(request, 'response') as Promise<[IncomingMessage]>;
  request.end(Buffer.alloc(bytes, 'é 🦊'));
  const [[response]] = await Promise.all([responded, once(request, 'finish')]);
  return { status: response.statusCode ?? 0, text: Buffer.concat(await response.toArray()).toString() };
}

describe('A received file', () => {
  test('may have any size up to the limit', async () => {
    const port = await listen();

    expect(await upload(port, LIMIT)).toEqual({ status: 200, text: JSON.stringify({ bytes: LIMIT }) });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('of more than the limit is rejected, and leaves nothing', async () => {
    const port = await listen();

    const { status, text } = await upload(port, LIMIT + MEBIBYTE);

    expect([status, JSON.parse(text).detail]).toEqual([413, 'A file may have at most 8,388,608 bytes.']);
    expect(readdirSync(folder)).toEqual([]);
  });

  // What was sent and is not read would reset the connection, often before the sender has the response.
  test.each([0, 100_000, 5 * MEBIBYTE])(
    'is rejected if the disk is full after %d bytes, leaves nothing, and its sender gets the response',
    async (room) => {
      const port = await listen();
      disk.room = room;

      const uploads = await Promise.all(Array.from({ length: 8 }, () => upload(port, LIMIT)));

      for (const { status, text } of uploads) {
        expect([status, JSON.parse(text).detail]).toEqual([503, 'The disk for temporary files is full.']);
      }
      expect(readdirSync(folder)).toEqual([]);
      disk.room = Number.POSITIVE_INFINITY;
      expect((await upload(port, LIMIT)).status).toBe(200);
    },
  );

  test('is rejected if not even its folder fits on the disk, and the rest of its stream is dropped', async () => {
    disk.hasRoomForFolders = false;
    const stream = Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(65_536)));

    const received = http.receiveFile(stream, LIMIT);

    await expect(received).rejects.toThrow('The disk for temporary files is full.');
    await expect.poll(() => stream.readableEnded).toBe(true);
  });
});
