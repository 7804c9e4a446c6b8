type FirstBytes = readonly [bytes: readonly number[], reason: string];

const PACKED: readonly FirstBytes[] = [
  [[0x42, 0x5a, 0x68], 'is compressed by bzip2. Unpack it first, or compress it with gzip.'],
  [[0xfd, 0x37, 0x7a, 0x58], 'is compressed by xz. Unpack it first, or compress it with gzip.'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'is compressed by zstd. Unpack it first, or compress it with gzip.'],
  [[0x04, 0x22, 0x4d, 0x18], 'is compressed by lz4. Unpack it first, or compress it with gzip.'],
];

const OTHERS: readonly FirstBytes[] = [
  [[0x50, 0x4b, 0x03, 0x04], 'is a ZIP. Unpack it first.'],
  [[0xff, 0xfe], 'is UTF-16. Convert it to UTF-8 first.'],
  [[0xfe, 0xff], 'is UTF-16. Convert it to UTF-8 first.'],
];

export function isGzip(beginning: Uint8Array): boolean {
  return beginsWith(beginning, [0x1f, 0x8b]);
}

/** Why a file that another program than gzip has compressed cannot be read, as the end of a sentence. */
export function packedReason(beginning: Uint8Array): string | undefined {
  return reasonIn(PACKED, beginning);
}

/** Throws if a log has to be converted first. */
export function rejectUnreadable(beginning: Uint8Array, path: string): void {
  const reason = reasonIn([...PACKED, ...OTHERS], beginning);
  if (reason !== undefined) throw new Error(`${path} ${reason}`);
}

function reasonIn(kinds: readonly FirstBytes[], beginning: Uint8Array): string | undefined {
  return kinds.find(([bytes]) => beginsWith(beginning, bytes))?.[1];
}

function beginsWith(beginning: Uint8Array, bytes: readonly number[]): boolean {
  return bytes.every((byte, index) => beginning[index] === byte);
}
