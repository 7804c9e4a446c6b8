interface FileHit {
  readonly time: Date;
  readonly visitor: string;
  readonly page: string;
}

/** A file of hits of example.com for an import, one JSON object a line. */
export function hitFile(count: number, hitOf: (n: number) => FileHit): string {
  const fixed = { host: 'example.com', channel: 'Direct', device: 'desktop' };
  return Array.from({ length: count }, (_, n) => `${JSON.stringify({ ...hitOf(n), ...fixed })}\n`).join('');
}
