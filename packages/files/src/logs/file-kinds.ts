import { inEnglish, storedText } from '@hitherto/domain/files';

type FirstBytes = readonly [bytes: readonly number[], is: string];

/** By the programs that have compressed them. */
const PACKED: readonly FirstBytes[] = [
  [[0x42, 0x5a, 0x68], 'bzip2'],
  [[0xfd, 0x37, 0x7a, 0x58], 'xz'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'zstd'],
  [[0x04, 0x22, 0x4d, 0x18], 'lz4'],
];

const OTHERS: readonly FirstBytes[] = [
  [[0x50, 0x4b, 0x03, 0x04], 'is a ZIP. Unpack it first.'],
  [[0xff, 0xfe], 'is UTF-16. Convert it to UTF-8 first.'],
  [[0xfe, 0xff], 'is UTF-16. Convert it to UTF-8 first.'],
];

export function isGzip(beginning: Uint8Array): boolean {
  return beginsWith(beginning, [0x1f, 0x8b]);
}

/** The program other than gzip that has compressed a file. */
export function packedBy(beginning: Uint8Array): string | undefined {
  return kindOf(PACKED, beginning);
}

/** Throws if a log has to be converted first. */
export function rejectUnreadable(beginning: Uint8Array, path: string): void {
  const program = packedBy(beginning);
  if (program !== undefined) throw new Error(inEnglish(storedText('packed', path, program)));
  const reason = kindOf(OTHERS, beginning);
  if (reason !== undefined) throw new Error(`${path} ${reason}`);
}

function kindOf(kinds: readonly FirstBytes[], beginning: Uint8Array): string | undefined {
  return kinds.find(([bytes]) => beginsWith(beginning, bytes))?.[1];
}

function beginsWith(beginning: Uint8Array, bytes: readonly number[]): boolean {
  return bytes.every((byte, index) => beginning[index] === byte);
}
