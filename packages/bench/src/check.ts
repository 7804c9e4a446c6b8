import type { Operation } from './load/load.ts';
import { newRunName } from './load/load.ts';

/** The outcome of one request; its time is to the last byte, in milliseconds. */
export interface TimedResponse {
  readonly status: number;
  readonly text: string;
  readonly ms: number;
}

/** Sends a single request. */
export async function ask(url: string, { method, path, headers, body, ids }: Operation): Promise<TimedResponse> {
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

/** Checks a variant's response to an operation before it is measured; returns the time, in milliseconds. */
export async function checkResponse(url: string, operation: Operation): Promise<number> {
  const { status, text, ms } = await ask(url, operation);
  if (status !== operation.status) {
    throw new Error(`${operation.name}: ${status} instead of ${operation.status}: ${text}`);
  }
  return ms;
}
