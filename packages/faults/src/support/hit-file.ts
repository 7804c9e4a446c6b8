/** A file of hits of example.com for an import, one JSON object a line, with their `time`, `visitor` and `page`. */
export function hitFile(count: number, hitOf: (n: number) => object): string {
  const fixed = { host: 'example.com', channel: 'Direct', device: 'desktop' };
  return Array.from({ length: count }, (_, n) => `${JSON.stringify({ ...hitOf(n), ...fixed })}\n`).join('');
}
