import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { receiveFile } from '@hitherto/http';
import { newId } from '@hitherto/outside/system';
import { fixedClock } from '@hitherto/testing/fixtures';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { HeldFile } from '../src/owner/imports/held-files.ts';
import { useTemporaryFolder } from './support/temporary-folder.ts';

const WEBSITE = { accountId: newId(), websiteId: newId() };
const OPTIONS = { format: 'umami', keepGoing: true, until: '2026-01-01', timeZone: 'Europe/Berlin' } as const;
const QUARTER_OF_AN_HOUR_MS = 15 * 60 * 1_000;

const disk = vi.hoisted(() => ({ isFull: false }));

vi.mock('node:fs/promises', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs/promises')>();
  const rejectWhenFull = async () => {
    if (disk.isFull) throw Object.assign(new Error('No space left on device.'), { code: 'ENOSPC' });
  };
  const writeFile = (path: string, text: string, options: object) =>
    rejectWhenFull().then(() => fs.writeFile(path, text, options));
  const link = (from: string, to: string) => rejectWhenFull().then(() => fs.link(from, to));
  return { ...fs, writeFile, link };
});

// Other files share their loaded modules, which write to the real disk.
let createHeldFiles: typeof import('../src/owner/imports/held-files.ts').createHeldFiles;
beforeAll(async () => {
  vi.resetModules();
  ({ createHeldFiles } = await import('../src/owner/imports/held-files.ts'));
});
afterAll(() => {
  vi.doUnmock('node:fs/promises');
  vi.resetModules();
});

let folder: string;
let clock: ReturnType<typeof fixedClock>;
beforeEach(() => {
  folder = useTemporaryFolder();
  clock = fixedClock();
  disk.isFull = false;
});

/** The held files as one process knows them. */
function aProcess() {
  const files = createHeldFiles({ now: clock.now, newId });
  onTestFinished(() => files.close());
  return files;
}

async function aFile(content = 'é 🦊', website = WEBSITE): Promise<HeldFile> {
  return { website, options: OPTIONS, file: await receiveFile(Readable.from([Buffer.from(content)]), 1_000) };
}

const contentOf = (held: HeldFile | undefined) => held && readFileSync(held.file.path, 'utf8');
const namesOfHeld = () => readdirSync(folder).filter((name) => name.startsWith('hitherto-held-'));

describe('A held file', () => {
  test('is taken by any process of the machine, with its options', async () => {
    const held = await aFile();
    const id = await aProcess().hold(held);

    const taken = await aProcess().take(id, WEBSITE);

    expect(contentOf(taken)).toBe('é 🦊');
    expect(taken).toMatchObject({ options: OPTIONS, file: { sha256: held.file.sha256, bytes: held.file.bytes } });
  });

  test('can be taken again, and each taker removes its own', async () => {
    const files = aProcess();
    const id = await files.hold(await aFile());

    const first = await files.take(id, WEBSITE);
    const second = await files.take(id, WEBSITE);
    await first?.file.remove();

    expect(contentOf(second)).toBe('é 🦊');
    await second?.file.remove();
    expect(readdirSync(folder)).toEqual(namesOfHeld());
  });

  test('is readable for its user only', async () => {
    const id = await aProcess().hold(await aFile());

    const path = join(folder, `hitherto-held-${id}`);

    const modes = [path, ...readdirSync(path).map((name) => join(path, name))].map(
      (each) => statSync(each).mode & 0o77,
    );
    expect(modes).toEqual([0, 0, 0]);
  });

  test('is of one website of one account', async () => {
    const files = aProcess();
    const id = await files.hold(await aFile());

    expect(await files.take(id, { ...WEBSITE, accountId: newId() })).toBeUndefined();
    expect(await files.take(id, { ...WEBSITE, websiteId: newId() })).toBeUndefined();
    expect(await files.take(newId(), WEBSITE)).toBeUndefined();
    expect(await files.take(`x/../hitherto-held-${id}`, WEBSITE)).toBeUndefined();
  });

  test('is gone after 15 minutes, and the next process that starts removes it', async () => {
    const files = aProcess();
    const id = await files.hold(await aFile());

    clock.advance(QUARTER_OF_AN_HOUR_MS - 1);
    const before = await files.take(id, WEBSITE);
    clock.advance(1);
    const after = await files.take(id, WEBSITE);
    aProcess();

    expect([contentOf(before), after]).toEqual(['é 🦊', undefined]);
    await expect.poll(namesOfHeld).toEqual([]);
    expect(contentOf(before)).toBe('é 🦊');
  });

  test('makes way for later ones of its account only', async () => {
    const files = aProcess();
    const other = await files.hold(await aFile('other', { accountId: newId(), websiteId: newId() }));
    const ids: string[] = [];
    for (const content of ['0', '1', '2', '3', '4', '5', '6']) {
      clock.advance(1);
      ids.push(await files.hold(await aFile(content)));
    }

    const taken = await Promise.all(ids.map(async (id) => contentOf(await files.take(id, WEBSITE))));

    expect(taken).toEqual([undefined, undefined, '2', '3', '4', '5', '6']);
    expect(namesOfHeld()).toContain(`hitherto-held-${other}`);
  });

  test('is removed by the process that received it when that stops', async () => {
    const [stopping, staying] = [aProcess(), aProcess()];
    await stopping.hold(await aFile());
    const id = await staying.hold(await aFile());

    await stopping.close();

    expect(namesOfHeld()).toEqual([`hitherto-held-${id}`]);
  });

  test('does not hold up a stop if the folder of temporary files is gone', async () => {
    const files = aProcess();
    rmSync(folder, { recursive: true });

    await expect(files.close()).resolves.toBeUndefined();
  });

  test('does not disturb others if it is damaged', async () => {
    const files = aProcess();
    const damaged = await files.hold(await aFile());
    writeFileSync(join(folder, `hitherto-held-${damaged}`, 'held.json'), '{');

    const id = await files.hold(await aFile());

    expect(await files.take(damaged, WEBSITE)).toBeUndefined();
    expect(contentOf(await files.take(id, WEBSITE))).toBe('é 🦊');
  });

  test('is rejected if the disk is full, in one sentence, and so is taking it', async () => {
    const files = aProcess();
    const [held, other] = [await aFile(), await aFile()];
    const id = await files.hold(held);
    disk.isFull = true;

    const full = 'The disk for temporary files is full.';
    await expect(files.hold(other)).rejects.toThrow(full);
    await expect(files.take(id, WEBSITE)).rejects.toThrow(full);

    await other.file.remove();
    expect(readdirSync(folder)).toEqual(namesOfHeld());
  });
});
