import type { components } from './schema.ts';

/** Problem details (RFC 9457), as the API sends them. */
export type Problem = components['schemas']['Problem'];

/** One fault of a request with the code `validation`. */
export type Fault = NonNullable<Problem['errors']>[number];

/** A response that is not a success. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  /** Absent where something between client and service responded. */
  readonly problem: Problem | undefined;
  /** How many seconds to wait before trying again, where the response says so. */
  readonly retryAfter: number | undefined;

  constructor(status: number, problem: Problem | undefined, retryAfter: number | undefined) {
    super(problem === undefined ? `The response has status ${status}.` : `${problem.title}: ${problem.detail}`);
    this.status = status;
    this.problem = problem;
    this.retryAfter = retryAfter;
  }

  /** The stable code of the problem, such as `validation`. */
  get code(): Problem['code'] | undefined {
    return this.problem?.code;
  }
}

/** Reads the error that a response stands for. */
export async function problemOf(response: Response): Promise<ProblemError> {
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') ?? false;
  // The content type says that it is one.
  const problem = isProblem ? ((await response.json().catch(() => undefined)) as Problem | undefined) : undefined;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ProblemError(response.status, problem, Number.isNaN(seconds) ? undefined : seconds);
}
