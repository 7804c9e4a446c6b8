// The package has no types of its own, and the types of DefinitelyTyped lack `preferred`.
declare module 'negotiator' {
  import type { IncomingHttpHeaders } from 'node:http';

  export default class Negotiator {
    constructor(request: { readonly headers: IncomingHttpHeaders });
    /** The best of the available types by Accept; on a tie, the first of them. */
    mediaType<T extends string>(available: readonly T[]): T | undefined;
    /** The best of the available encodings by Accept-Encoding; `preferred` breaks ties. */
    encoding<E extends string>(available: readonly E[], options: { readonly preferred: readonly E[] }): E | undefined;
  }
}
