import type { Operation } from './load/load.ts';
import { newRunName } from './load/load.ts';

/** What came of one request; its time is to the last byte, in milliseconds. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly ms: number;
}

/** Asks once, by itself. */
export async function ask(url: string, { method, path, headers, body, ids }: Operation): Promise<Answer> {
  const id = ids[Math.floor(Math.random() * ids.length)] ?? '';
  const since = performance.now();
  const response = await fetch(url + path.replace('{id}', id), {
    method,
    headers,
    ...(body === undefined ? {} : { body: body.replace('{n}', newRunName()) }),
  });
  const text = await response.text();
  return { status: response.status, text, ms: performance.now() - since };
}

/** Sees that a variant answers an operation as it should, before it is measured; answers the time, in milliseconds. */
export async function checkAnswer(url: string, operation: Operation): Promise<number> {
  const { status, text, ms } = await ask(url, operation);
  if (status !== operation.status) {
    throw new Error(`${operation.name}: ${status} in place of ${operation.status}: ${text}`);
  }
  return ms;
}
