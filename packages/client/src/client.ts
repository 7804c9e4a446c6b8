import createFetchClient, { type FetchResponse, type MaybeOptionalInit } from 'openapi-fetch';
import { problemOf } from './problem-error.ts';
import type { paths } from './schema.ts';

export interface ClientOptions {
  /** Where the service is, such as `https://stats.example`. */
  readonly baseUrl: string;
  /** An API key: `hto_…`. */
  readonly key: string;
  /** Sends the requests; by default the global one. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

type MethodName = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths that have a method. */
type PathsWith<Name extends MethodName> = {
  [Path in keyof paths]: paths[Path] extends { readonly [Method in Name]: object } ? Path : never;
}[keyof paths];

/** A method on the paths that have it. Rejects with a `ProblemError` unless the response is a success. */
type Method<Name extends MethodName> = <
  Path extends PathsWith<Name>,
  Init extends MaybeOptionalInit<paths[Path], Name>,
>(
  path: Path,
  ...init: undefined extends Init ? [init?: Init] : [init: Init]
) => Promise<Success<NonNullable<paths[Path][Name]>, Init>>;

/** JSON, unless the request says `parseAs`. */
type Success<Operation extends object, Init> = Extract<
  FetchResponse<Operation & Record<string, unknown>, Init, 'application/json'>,
  { readonly error?: never }
>;

/** The API by its paths: `client.GET('/api/v1/websites/{id}', { params: { path: { id } } })`. */
export interface HithertoClient {
  readonly GET: Method<'get'>;
  readonly POST: Method<'post'>;
  readonly PUT: Method<'put'>;
  readonly PATCH: Method<'patch'>;
  readonly DELETE: Method<'delete'>;
}

/** A client of one installation with one key. */
export function createClient({ baseUrl, key, fetch }: ClientOptions): HithertoClient {
  const client = createFetchClient<paths>({
    baseUrl,
    headers: { authorization: `Bearer ${key}` },
    querySerializer: writeQuery,
    ...(fetch === undefined ? {} : { fetch }),
  });
  client.use({
    onResponse: async ({ response }) => {
      if (!response.ok) throw await problemOf(response);
    },
  });
  // No response with an error gets past the middleware.
  return client as HithertoClient;
}

/** A query as the API reads it: lists as repeated parameters, and each member of `filters` as a parameter of its own. */
function writeQuery({ filters, ...parameters }: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries({ ...parameters, ...(filters ?? {}) })) {
    for (const value of [values].flat()) if (value !== undefined) query.append(name, String(value));
  }
  return query.toString();
}
