import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { InvalidFile, type RowPlace, type StoredText, storedText } from '@hitherto/domain/files';
import { packedBy } from '../logs/file-kinds.ts';
import { decoded } from './lines.ts';
import { unpacked } from './unpacked.ts';
import { readZip } from './zip.ts';

/** The name of a file that is in no ZIP. */
const THE_FILE = 'The file';

/** A file with its content, unpacked. */
export interface FileContent {
  /** Its path in the ZIP; `The file` if it is in none. */
  readonly name: string;
  /** Of its bytes as they are stored. */
  readonly size: number;
  /** The first characters; all of a small file. */
  start(): Promise<string>;
  bytes(): Promise<Readable>;
}

/** The files of a path: the file itself, or the content of a ZIP. */
export interface FileContents {
  readonly files: readonly FileContent[];
  /** The share of the file that was opened last which has been read, from 0 to 1. */
  share(): number;
  close(): void;
}

/** The name of a file in a sentence. */
export function namedIn({ name }: Pick<FileContent, 'name'>): string | StoredText {
  return name === THE_FILE ? storedText('theFile') : basename(name);
}

/** The place of rows of a file: its name, if it is in a ZIP. */
export function placeIn({ name }: Pick<FileContent, 'name'>): RowPlace {
  return name === THE_FILE ? {} : { file: basename(name) };
}

const GZIP = Buffer.from([0x1f, 0x8b]);
const ZIP = Buffer.from('PK\u0003\u0004');
const START_BYTES = 1 << 16;

/** Opens a plain file, one that gzip has compressed, or a ZIP. */
export async function openContents(path: string): Promise<FileContents> {
  const first = await firstBytes(path);
  if (first.length === 0) throw new InvalidFile(storedText('empty'));
  const program = packedBy(first);
  if (program !== undefined) throw new InvalidFile(storedText('packed', storedText('theFile'), program));
  return first.equals(ZIP) ? zipContents(path) : fileContents(path, first.subarray(0, 2).equals(GZIP));
}

async function firstBytes(path: string): Promise<Buffer> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(ZIP.length), 0, ZIP.length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function fileContents(path: string, isPacked: boolean): Promise<FileContents> {
  const { size } = await stat(path);
  let file: ReturnType<typeof createReadStream> | undefined;
  const bytes = async () => {
    file = createReadStream(path, { highWaterMark: 1 << 16 });
    return isPacked ? unpacked(file, createGunzip(), size) : file;
  };
  return {
    files: [{ name: THE_FILE, size, bytes, start: async () => startOf(await bytes()) }],
    share: () => Math.min(1, (file?.bytesRead ?? 0) / size),
    close: () => file?.destroy(),
  };
}

async function zipContents(path: string): Promise<FileContents> {
  let read = 0;
  let size = 1;
  let last: Readable | undefined;
  const files = (await readZip(path)).map(({ name, size: whole, bytes }) => ({
    name,
    size: whole,
    start: async () => startOf(await bytes()),
    bytes: async () => {
      const [content, counted] = [await bytes(), new PassThrough()];
      [last, read, size] = [counted, 0, whole];
      content.on('data', (chunk: Buffer) => {
        read += chunk.length;
      });
      // The reader gets the error; if it ends early, nobody needs one.
      return pipeline(content, counted, () => {});
    },
  }));
  return { files, share: () => Math.min(1, size === 0 ? 1 : read / size), close: () => last?.destroy() };
}

async function startOf(bytes: Readable): Promise<string> {
  let text = '';
  for await (const piece of decoded(bytes)) {
    text += piece;
    if (text.length >= START_BYTES) break;
  }
  return text;
}
