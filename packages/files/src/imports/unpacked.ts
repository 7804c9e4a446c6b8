import { type Readable, Transform } from 'node:stream';
import { InvalidFile, storedText } from '@hitherto/domain/files';

const GIB = 2 ** 30;
/** A file may always unpack to `always` bytes, beyond that to `times` times its size, and never to more than `most` bytes. */
const UNPACKED = { always: GIB, times: 100, most: 20 * GIB } as const;

/** The most bytes that a packed file of this size may unpack to: no export is packed any tighter. */
export function mostUnpacked(size: number): number {
  return Math.min(Math.max(UNPACKED.always, UNPACKED.times * size), UNPACKED.most);
}

/** The error of a file that unpacks to more than `most` bytes. */
export function unpacksTooMuch(most: number): InvalidFile {
  return new InvalidFile(storedText('unpacksTooMuch', Math.floor(most / GIB)));
}

/** Unpacks a stream of a file of this size, and ends with {@link InvalidFile} if it is damaged or unpacks to too much. */
export function unpacked(packed: Readable, unpacker: Transform, size: number): Readable {
  const most = mostUnpacked(size);
  let bytes = 0;
  const checked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(bytes > most ? unpacksTooMuch(most) : null, chunk);
    },
  });
  const fail = (error: Error) => checked.destroy(asInvalid(error));
  packed.on('error', fail).pipe(unpacker).on('error', fail).pipe(checked);
  checked.on('close', () => packed.destroy());
  return checked;
}

function asInvalid(error: Error): Error {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return code.startsWith('Z_') ? new InvalidFile(storedText('damaged'), { cause: error }) : error;
}
