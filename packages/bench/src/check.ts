import type { Operation } from './load/load.ts';
import { newRunName } from './load/load.ts';

/** Sees that a variant answers an operation as it should, before it is measured. */
export async function checkAnswer(
  url: string,
  { method, path, headers, body, ids, status, name }: Operation,
): Promise<void> {
  const response = await fetch(url + path.replace('{id}', ids[0] ?? ''), {
    method,
    headers,
    ...(body === undefined ? {} : { body: body.replace('{n}', newRunName()) }),
  });
  const text = await response.text();
  if (response.status !== status) throw new Error(`${name}: ${response.status} in place of ${status}: ${text}`);
}
