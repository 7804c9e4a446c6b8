import type { RunningServer } from '../servers.ts';

/** How a request differs from a GET without a key. */
export interface ReadOptions {
  readonly key?: string;
  readonly method?: string;
  /** Its body. */
  readonly json?: object;
}

/** Sends a request, and returns the body of its response. Rejects if the status is not 2xx. */
export async function readFrom(
  { url }: Pick<RunningServer, 'url'>,
  path: string,
  { key, method = 'GET', json }: ReadOptions = {},
): Promise<string> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(json && { 'content-type': 'application/json' }),
    },
    ...(json && { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}${path} gets ${response.status}: ${text.slice(0, 200)}`);
  return text;
}
