import type { WebsiteJson } from '@hitherto/testing/website-json';
import { expect } from 'vitest';

export interface ListJson {
  readonly data: readonly WebsiteJson[];
  readonly links: { readonly next: string | null; readonly prev: string | null };
  readonly meta: { readonly per_page: number; readonly total: number; readonly total_is_exact: boolean };
}

interface FaultJson {
  readonly field: string;
  readonly line?: number;
  readonly code: string;
  readonly detail: string;
}

interface ProblemJson {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly request_id: string;
  readonly existing_id?: string;
  readonly errors?: readonly FaultJson[];
}

/** A response that holds the contract; what it is read as has been validated by the document's schemas. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly text: string;
  /** One header as text, or `undefined`. */
  header(name: string): string | undefined;
  json<T>(): T;
  website(): WebsiteJson;
  list(): ListJson;
  problem(): ProblemJson;
  /** The faults in short: `field code`, or `field:line code`. */
  faults(): string[];
}

/** A response with what tests ask of it. */
export function readable(raw: { status: number; headers: ApiResponse['headers']; text: string }): ApiResponse {
  const json = <T>(): T => JSON.parse(raw.text);
  const problem = () => {
    expect(raw.status, raw.text).toBeGreaterThanOrEqual(400);
    return json<ProblemJson>();
  };
  return {
    ...raw,
    header: (name) => (raw.headers[name] === undefined ? undefined : String(raw.headers[name])),
    json,
    website: () => {
      expect(raw.status, raw.text).toBeLessThan(300);
      return json<{ data: WebsiteJson }>().data;
    },
    list: () => {
      expect(raw.status, raw.text).toBe(200);
      return json<ListJson>();
    },
    problem,
    faults: () =>
      (problem().errors ?? []).map(
        ({ field, line, code }) => `${field}${line === undefined ? '' : `:${line}`} ${code}`,
      ),
  };
}
