/** A kind of request. `{id}` in the path stands for each id of `ids` in turn, `{n}` in the body for a new text. */
export interface Operation {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly ids: readonly string[];
  /** The only status that is not a failure, if the load generator checks it. */
  readonly status: number;
}

/** The outcome of a load; times in milliseconds. */
export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  /** Responses with a wrong status, as far as the generator reports them, and failed connections. */
  readonly failures: number;
}

export interface LoadGenerator {
  readonly name: string;
  run(url: string, operation: Operation, connections: number, seconds: number): Promise<LoadResult>;
}

let runs = 0;

/** A text that is unique to this run, across processes. */
export function newRunName(): string {
  runs += 1;
  return `${process.pid.toString(36)}-${Date.now().toString(36)}-${runs}`;
}
