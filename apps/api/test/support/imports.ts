import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Api, startApi } from './api.ts';

/** An import, or the problem of a file that is rejected at once. */
export interface Imported {
  readonly id: string;
  readonly status: string | number;
  readonly problem: { readonly code: string; readonly detail: string } | null;
  readonly detail?: string;
  readonly [field: string]: unknown;
}

export interface Statistics<Data> {
  readonly data: Data;
  readonly meta: { readonly without_days: readonly object[]; readonly imported: readonly object[] };
}

type Row = { readonly value: string | null } & Readonly<Record<string, unknown>>;

/** The days of the exports in tests. */
export const PERIOD = 'from=2023-01-01&to=2023-01-31';

let api: Api | undefined;
let count = 0;

/** A new website of the host example.com on an API that all tests share, files to import into it, and what it then shows. */
export async function startImports() {
  api ??= await startApi();
  const { send, createWebsite } = api;
  count += 1;
  const { id } = await createWebsite({ url: `https://example.com/${count}` });

  async function statistics<Data = Record<string, unknown>>(path = '', query = ''): Promise<Statistics<Data>> {
    const response = await send('GET', `/api/v1/websites/${id}/statistics${path}?${PERIOD}${query}`);
    expect(response.status).toBe(200);
    return response.json<Statistics<Data>>();
  }

  async function rowsOf(dimension: string): Promise<readonly Row[]> {
    return (await statistics<readonly Row[]>(`/by/${dimension}`)).data;
  }

  return {
    api,
    id,
    statistics,
    rowsOf,

    /** The import once it has ended: on a busy machine, that is after the response. */
    async upload(body: Buffer | string, query = ''): Promise<Imported> {
      const headers = { 'content-type': 'application/octet-stream' };
      const response = await send('POST', `/api/v1/websites/${id}/imports${query}`, {
        body: Buffer.from(body),
        headers,
      });
      const sent = response.json<{ data?: Imported } & Imported>();
      let imported = sent.data ?? sent;
      while (imported.status === 'running') {
        await setTimeout(100);
        const shown = await send('GET', `/api/v1/websites/${id}/imports/${imported.id}`);
        imported = shown.json<{ data: Imported }>().data;
      }
      return imported;
    },

    /** The value and these fields of each row. */
    async fieldsOf(dimension: string, ...fields: readonly string[]): Promise<readonly (readonly unknown[])[]> {
      return (await rowsOf(dimension)).map((row) => [row.value, ...fields.map((field) => row[field])]);
    },
  };
}
