import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { checkConnections, connectionsWatch, recording } from '../src/support/connections.ts';

afterEach(() => {
  connectionsWatch.found.length = 0;
});

test.each([
  ['net.connect', "require('net').connect(9, '127.0.0.1').on('error', () => {})"],
  ['new Socket', "new (require('net').Socket)().connect(9, '127.0.0.1').on('error', () => {})"],
  ['an http client', "require('http').get('http://127.0.0.1:9').on('error', () => {})"],
  ['fetch', "fetch('http://127.0.0.1:9999').catch(() => {})"],
  ['a datagram socket', "require('dgram').createSocket('udp4').close()"],
])('a connection to an unknown host by %s is detected', (_, code) => {
  const folder = mkdtempSync(join(tmpdir(), 'hitherto-faults-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'connections');
  const { args, env } = recording(file);

  execFileSync(process.execPath, [...args, '-e', code], { env: { ...process.env, ...env } });
  checkConnections(file, ['postgresql://a@127.0.0.1:5432/a']);

  expect(connectionsWatch.found).toHaveLength(1);
});
