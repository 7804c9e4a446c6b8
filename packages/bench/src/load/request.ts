/** The text of a request. */
export function requestOf(
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): string {
  const sent = body === '' ? headers : { ...headers, 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\nhost: stats.example\r\n${lines.join('')}\r\n${body}`;
}

/** Each of these in turn, again and again. */
export function eachOf<T>(all: readonly T[]): () => T {
  let next = 0;
  return () => {
    const one = all[next++ % all.length];
    if (one === undefined) throw new Error('There is nothing to choose from.');
    return one;
  };
}
