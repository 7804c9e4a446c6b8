import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { newFolder } from '@hitherto/testing/folder';
import { root } from '@hitherto/testing/machine';
import { row, type Setting } from '../row.ts';
import { create, openClient } from '../support/client.ts';
import {
  buildImage,
  type Container,
  missingForContainers,
  newVolume,
  runContainer,
  runWithInput,
} from '../support/containers.ts';
import { compressedMegabytes } from '../support/image-size.ts';
import { until } from '../support/until.ts';

const READY_MS = 3_000;
const STOP_MS = 15_000;
const SENDERS = 8;
/** The largest images, in megabytes of compressed layers. */
const IMAGES = { hitherto: 111, minimal: 80 } as const;
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
/** A file that the last version before the first release has written. */
const EARLIER = join(root, 'apps/hitherto/test/support/before-release.backup');

/** What the senders of a website know. */
interface Sent {
  sent: number;
  acknowledged: number;
}

export const container = row('container', 100, 'kills', { small: 2, missing: missingForContainers }, async (trials) => {
  const image = await buildImage();
  const minimal = await buildImage('minimal');
  for (const [name, most] of Object.entries(IMAGES)) {
    const megabytes = await compressedMegabytes(name === 'minimal' ? minimal : image);
    if (megabytes > most) throw new Error(`The image ${name} has ${megabytes} MB; ${most} MB are allowed.`);
    trials.add({ [`MB of ${name}`]: megabytes });
  }
  const volume = await trials.open(newVolume());
  const { key, website } = await firstStart(trials, minimal, volume.name);
  const sent: Sent = { sent: 0, acknowledged: 0 };
  await trials.each(async ({ index, random, open, took }) => {
    const service = await open(runContainer(index % 2 === 0 ? image : minimal, volume.name));
    took('ready after a kill', await service.ready(), READY_MS, 0.9);
    const sending = sendHits(service.url, website, sent);
    await sleep(random.below(500));
    await service.signal('KILL');
    await sending;
  });
  const service = await trials.open(runContainer(minimal, volume.name));
  await service.ready();
  await expectHits(service, key, website, sent);
  trials.add({ acknowledged: sent.acknowledged });
  await stopsWhileItStarts(trials, image);
  await survivesAFullVolume(trials, image);
  await restores(trials, minimal, service, key, website, sent);
  await restoresAnEarlierFile(trials, image);
  await buildsForArm(trials);
});

/** The first start, commands in the container, its health check and its stop. */
async function firstStart({ open, took }: Setting, image: string, volume: string) {
  const service = await open(runContainer(image, volume));
  await service.ready();
  const key = await service.exec('hitherto', 'keys', 'create', '--account', 'default');
  const client = await open(openClient(service.url, key));
  const { id: website } = await create(client, { url: 'https://example.com' });
  await service.exec('node', '/app/health.mjs');
  client.close();
  const since = performance.now();
  const code = await service.stop();
  took('a stop', performance.now() - since, STOP_MS);
  if (code !== '0') throw new Error(`The container stopped with ${code}.`);
  const written = await service.written();
  if (written !== '') throw new Error(`It wrote outside of its volume: ${written}`);
  return { key, website };
}

/** Sends hits until the service does not respond any more. */
async function sendHits(url: string, website: string, sent: Sent): Promise<void> {
  const send = async (): Promise<void> => {
    for (;;) {
      sent.sent += 1;
      const body = JSON.stringify({ website, url: `https://example.com/${sent.sent}` });
      const headers = { 'content-type': 'text/plain', 'user-agent': AGENT };
      const response = await fetch(`${url}/hits`, { method: 'POST', body, headers }).catch(() => undefined);
      if (response === undefined) return;
      if (response.status !== 202) throw new Error(`A hit had the status ${response.status}.`);
      sent.acknowledged += 1;
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
}

/** Counts the stored hits: all that were acknowledged, and none twice. */
async function expectHits(
  { url }: Container,
  key: string,
  website: string,
  { sent, acknowledged }: Sent,
): Promise<void> {
  const response = await fetch(`${url}/api/v1/websites/${website}/statistics`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { data }: { data: { pageviews: number } } = JSON.parse(await response.text());
  if (data.pageviews < acknowledged || data.pageviews > sent) {
    throw new Error(`${data.pageviews} hits are stored; ${sent} were sent and ${acknowledged} acknowledged.`);
  }
}

/** A signal before the port is open is not lost, though the kernel gives process 1 no default. */
async function stopsWhileItStarts({ open, took }: Setting, image: string): Promise<void> {
  const volume = await open(newVolume());
  const service = await open(runContainer(image, volume.name));
  await sleep(1_500);
  const since = performance.now();
  const code = await service.stop();
  took('a stop of a start', performance.now() - since, STOP_MS);
  if (code !== '143' && code !== '0') throw new Error(`A start stopped with ${code}.`);
}

/** While the volume is full, hits are not acknowledged; afterwards they are, without a restart. */
async function survivesAFullVolume({ open, patience }: Setting, image: string): Promise<void> {
  const volume = await open(newVolume(400));
  const service = await open(runContainer(image, volume.name));
  await service.ready();
  const key = await service.exec('hitherto', 'keys', 'create', '--account', 'default');
  const client = await open(openClient(service.url, key));
  let count = 0;
  const statusOf = async () => {
    count += 1;
    return (await client.request('POST', '/api/v1/websites', { json: { url: `https://full-${count}.example` } }))
      .status;
  };
  const fill = `const { openSync, writeSync } = require('fs'); const file = openSync('/data/filler', 'a');
    try { for (;;) writeSync(file, Buffer.alloc(4096, 1)); } catch (error) { if (error.code !== 'ENOSPC') throw error; }`;
  await service.exec('node', '-e', fill);
  await until('writes on a full volume are acknowledged', 60_000 * patience, async () => {
    await sleep(100);
    return (await statusOf()) === 503;
  });
  await service.exec('node', '-e', `require('fs').rmSync('/data/filler')`);
  await until('writes are not acknowledged again', 30_000 * patience, async () => (await statusOf()) === 201);
  client.close();
}

/** A backup of a running container, restored into a fresh volume by one command. */
async function restores(
  { open }: Setting,
  image: string,
  service: Container,
  key: string,
  website: string,
  sent: Sent,
): Promise<void> {
  const file = join((await open(newFolder())).path, 'hitherto.backup');
  await service.execTo(file, 'hitherto', 'backup', '-');
  const volume = await open(newVolume());
  await runWithInput(image, volume.name, file, 'restore', '-');
  const restored = await open(runContainer(image, volume.name));
  await restored.ready();
  await expectHits(restored, key, website, sent);
}

async function restoresAnEarlierFile({ open }: Setting, image: string): Promise<void> {
  const volume = await open(newVolume());
  await runWithInput(image, volume.name, EARLIER, 'restore', '-');
  await (await open(runContainer(image, volume.name))).ready();
}

/** Everything that an image for arm64 needs. */
async function buildsForArm({ open }: Setting): Promise<void> {
  const { path } = await open(newFolder());
  await promisify(execFile)(process.execPath, [join(root, 'scripts/image.mjs'), join(path, 'app'), 'arm64']);
  const { stdout } = await promisify(execFile)('find', [
    path,
    '-path',
    '*linux-arm64*',
    '-name',
    'postgres',
    '-type',
    'f',
  ]);
  if (stdout === '') throw new Error('There is no PostgreSQL for arm64.');
}
