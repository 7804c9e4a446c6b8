import { type Readable, Transform } from 'node:stream';
import { crc32 } from 'node:zlib';
import { InvalidFile, storedText } from '@hitherto/domain/files';
import { type Entry, open, type ZipFile } from 'yauzl';
import { mostUnpacked, unpacksTooMuch } from './unpacked.ts';

/** A file in a ZIP. */
interface ZipEntry {
  /** Its path in the ZIP. */
  readonly name: string;
  /** Of its content, in bytes. */
  readonly size: number;
  readonly bytes: () => Promise<Readable>;
}

const MAX_ENTRIES = 10_000;
/** The type of a file in the upper half of its attributes, and the type of a symbolic link. */
const TYPE = 0o170000;
const LINK = 0o120000;

/** The files of a ZIP. Throws {@link InvalidFile} if it is damaged, unpacks to far too much, or has unsafe entries. */
export async function readZip(path: string): Promise<readonly ZipEntry[]> {
  const zip = await opened(path);
  try {
    const entries: ZipEntry[] = [];
    const most = mostUnpacked(zip.fileSize);
    let total = 0;
    for (const entry of await entriesOf(zip)) {
      rejectLink(entry);
      total += entry.uncompressedSize;
      if (total > most) throw unpacksTooMuch(most);
      if (entry.fileName.endsWith('/')) continue;
      entries.push({ name: entry.fileName, size: entry.uncompressedSize, bytes: () => contentOf(path, entry) });
    }
    return entries;
  } finally {
    zip.close();
  }
}

/** Opens a ZIP. Names of entries that are absolute, lead out of the ZIP, or have a backslash are rejected. */
function opened(path: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    open(path, { lazyEntries: true, autoClose: false, strictFileNames: true }, (error, zip) => {
      if (error === null) resolve(zip);
      else reject(damaged(error));
    });
  });
}

function entriesOf(zip: ZipFile): Promise<Entry[]> {
  if (zip.entryCount > MAX_ENTRIES) throw new InvalidFile(storedText('manyEntries', MAX_ENTRIES));
  return new Promise((resolve, reject) => {
    const entries: Entry[] = [];
    zip.on('entry', (entry: Entry) => {
      entries.push(entry);
      zip.readEntry();
    });
    zip.once('end', () => resolve(entries));
    zip.once('error', (error: Error) => reject(damaged(error)));
    zip.readEntry();
  });
}

/**
 * Opens the file again, until the content has been read or is destroyed. The sizes in a ZIP are checked while it is unpacked, so
 * it cannot unpack to more than it says.
 */
async function contentOf(path: string, entry: Entry): Promise<Readable> {
  const zip = await opened(path);
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => {
      // The file stays open for the stream.
      zip.close();
      if (error !== null) {
        reject(damaged(error, entry.fileName));
        return;
      }
      const content = summed(entry);
      stream.on('error', (cause: Error) => content.destroy(damaged(cause, entry.fileName))).pipe(content);
      // A stream that nobody reads to its end would leave the file open.
      content.on('close', () => stream.destroy());
      resolve(content);
    });
  });
}

/** Passes the bytes of an entry on, and fails if their checksum differs: entries without compression have no other check. */
function summed(entry: Entry): Transform {
  let sum = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sum = crc32(chunk, sum);
      done(null, chunk);
    },
    flush(done) {
      done(sum === entry.crc32 ? null : damaged(new Error('its checksum does not match'), entry.fileName));
    },
  });
}

function rejectLink({ fileName, externalFileAttributes }: Entry): void {
  if (((externalFileAttributes >>> 16) & TYPE) === LINK) {
    throw new InvalidFile(storedText('link', fileName));
  }
}

function damaged(error: Error, name?: string): InvalidFile {
  const message = `${error.message}${error.message.endsWith('.') ? '' : '.'}`;
  const text = name === undefined ? storedText('zip', message) : storedText('zipEntry', name, message);
  return new InvalidFile(text, { cause: error });
}
