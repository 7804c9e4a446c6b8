import { promisify } from 'node:util';
import { crc32, deflateRaw as deflate, inflateRaw as inflate } from 'node:zlib';
import { mapAhead } from './map-ahead.ts';

// A file of blocks, each a member of gzip with a number, a kind and a size in its header: gunzip unpacks the file, and every
// byte of it is checked.

/** A piece of content: a header, or rows. */
export interface BlockContent {
  readonly kind: 'header' | 'rows';
  readonly bytes: Uint8Array;
}

/** The file is damaged, incomplete, or no backup. The message holds none of its content. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

const KINDS = { header: 0x48, rows: 0x52 } as const;
/** Content is gathered to blocks of about this size. */
const BLOCK_BYTES = 1 << 20;
/** No block is larger, so damage to a size cannot take much memory. */
const MAX_BYTES = 2 * BLOCK_BYTES;
/** The lowest level is five times as fast as the default, and its files are a fifth larger. */
const LEVEL = 1;
/** How many blocks are packed or unpacked at the same time, on other threads. */
const AT_ONCE = 3;

/** The bytes that begin each block: gzip, deflated, with an extra field; no time, no name, any system. */
const MAGIC = Buffer.from([0x1f, 0x8b, 0x08, 0x04, 0, 0, 0, 0, 0, 0xff]);
/** The length of the header of each block: its number, the size and the checksum of its packed content, and its kind. */
const ABOUT_BYTES = 13;
/** Then comes gzip's extra field of that: its length, and the name "HB" and the length of its only part. */
const START = Buffer.concat([MAGIC, Buffer.from([ABOUT_BYTES + 4, 0, 0x48, 0x42, ABOUT_BYTES, 0])]);
const HEADER_BYTES = START.length + ABOUT_BYTES;
/** The checksum and the size of the content, as gzip has them. */
const FOOTER_BYTES = 8;

/** The bytes of a file with this content. */
export function writeBlocks(contents: AsyncIterable<BlockContent>): AsyncGenerator<Buffer> {
  return mapAhead(gather(contents), AT_ONCE, pack);
}

/** The content of a file. Throws `BackupError` at the first byte that is not as it was written. */
export function readBlocks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<BlockContent> {
  return mapAhead(split(bytes), AT_ONCE, unpack);
}

/** Rows gathered to large blocks; headers have blocks of their own. */
async function* gather(contents: AsyncIterable<BlockContent>): AsyncGenerator<BlockContent> {
  let rows: Uint8Array[] = [];
  let size = 0;
  const take = (): BlockContent => {
    const bytes = Buffer.concat(rows);
    rows = [];
    size = 0;
    return { kind: 'rows', bytes };
  };
  for await (const { kind, bytes } of contents) {
    if (kind === 'header') {
      if (size > 0) yield take();
      yield { kind, bytes };
      continue;
    }
    for (let start = 0; start < bytes.length; start += BLOCK_BYTES) {
      const piece = bytes.subarray(start, start + BLOCK_BYTES);
      rows.push(piece);
      size += piece.length;
      if (size >= BLOCK_BYTES) yield take();
    }
  }
  if (size > 0) yield take();
}

async function pack({ kind, bytes }: BlockContent, number: number): Promise<Buffer> {
  if (bytes.length > MAX_BYTES) throw new Error('A header of a backup is too large.');
  const packed = await promisify(deflate)(bytes, { level: LEVEL });
  const about = Buffer.alloc(ABOUT_BYTES);
  about.writeUInt32LE(number, 0);
  about.writeUInt32LE(packed.length, 4);
  about.writeUInt32LE(crc32(packed), 8);
  about.writeUInt8(KINDS[kind], 12);
  const footer = Buffer.alloc(FOOTER_BYTES);
  footer.writeUInt32LE(crc32(bytes), 0);
  footer.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([START, about, packed, footer]);
}

/** A block as it is in the file, and where it begins. */
interface Block {
  readonly offset: number;
  readonly bytes: Buffer;
}

async function* split(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Block> {
  let pending: Uint8Array[] = [];
  let size = 0;
  let offset = 0;
  let number = 0;
  const take = (length: number): Buffer => {
    const all = pending.length === 1 && pending[0] !== undefined ? asBuffer(pending[0]) : Buffer.concat(pending);
    const rest = all.subarray(length);
    pending = rest.length > 0 ? [rest] : [];
    size -= length;
    return all.subarray(0, length);
  };
  const next = (): Block | undefined => {
    if (size < HEADER_BYTES) return undefined;
    const head = take(HEADER_BYTES);
    pending.unshift(head);
    size += HEADER_BYTES;
    const length = HEADER_BYTES + packedSize(head, number, offset) + FOOTER_BYTES;
    if (size < length) return undefined;
    const block = { offset, bytes: take(length) };
    offset += length;
    number += 1;
    return block;
  };
  for await (const piece of bytes) {
    pending.push(piece);
    size += piece.length;
    for (let block = next(); block !== undefined; block = next()) yield block;
  }
  if (size === 0 && number > 0) return;
  throw number > 0 || offset > 0 || size >= HEADER_BYTES ? incomplete() : noBackup();
}

/** The size of the packed content of a block that is in its place. */
function packedSize(header: Buffer, number: number, offset: number): number {
  const isBlock = header.subarray(0, START.length).equals(START);
  if (!isBlock && offset === 0) throw noBackup();
  const size = header.readUInt32LE(START.length + 4);
  if (!isBlock || header.readUInt32LE(START.length) !== number || size > MAX_BYTES)
    throw damaged(offset, 'no block of it begins there');
  return size;
}

async function unpack({ bytes: block, offset }: Block): Promise<BlockContent> {
  const kind = block[HEADER_BYTES - 1] === KINDS.header ? 'header' : 'rows';
  if (block[HEADER_BYTES - 1] !== KINDS[kind]) throw damaged(offset, 'the kind of the block there is unknown');
  const packed = block.subarray(HEADER_BYTES, -FOOTER_BYTES);
  // Some bits of packed content have no meaning, so the checksum of the content alone would miss a change.
  if (crc32(packed) !== block.readUInt32LE(START.length + 8))
    throw damaged(offset, 'the block there has another checksum');
  const bytes = await promisify(inflate)(packed, { maxOutputLength: MAX_BYTES }).catch((cause: unknown) => {
    throw damaged(offset, 'the block there cannot be unpacked', cause);
  });
  const isAsWritten =
    crc32(bytes) === block.readUInt32LE(block.length - 8) && bytes.length === block.readUInt32LE(block.length - 4);
  if (!isAsWritten) throw damaged(offset, 'the block there has another checksum');
  return { kind, bytes };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function incomplete(): BackupError {
  return new BackupError('The backup is incomplete: its end is missing. The command that wrote it did not finish.');
}

function noBackup(): BackupError {
  return new BackupError('This is not a backup: it was not made by "hitherto backup".');
}

function damaged(offset: number, reason: string, cause?: unknown): BackupError {
  return new BackupError(`The backup is damaged at byte ${offset.toLocaleString('en')}: ${reason}.`, { cause });
}
